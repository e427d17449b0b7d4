/* Brings lines and time to the controller. */
#include "app.h"
#include "embedbench_port.h"

#include <string.h>

#define TICK_MS 20U

void say(const char *line)
{
    port_uart_write((const uint8_t *)line, strlen(line));
    port_uart_write((const uint8_t *)"\n", 1);
}

void firmware_main(void)
{
    char line[32];
    size_t used = 0;

    say("DBG BOOTED");
    for (;;) {
        uint8_t byte;

        if (port_uart_read(&byte, 1, TICK_MS) == 1) {
            if (byte != '\n') {
                line[used < sizeof line - 1 ? used++ : used] = (char)byte;
                continue;
            }
            line[used] = '\0';
            used = 0;
            controller_hear(line, port_now_ms());
        }
        controller_tick(port_now_ms());
    }
}
