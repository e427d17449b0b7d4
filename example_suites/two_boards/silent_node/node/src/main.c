/* The node: passes each level on that it senses, until it is told to fail.
 *
 * The bench stands for the sensor and says SENSE LEVEL n. MUTE, BABBLE and WORK are the
 * bench's, too: the node falls silent, says nonsense in the place of levels, or works. */
#include "embedbench_port.h"

#include <stdio.h>
#include <string.h>

static void say(const char *line)
{
    port_uart_write((const uint8_t *)line, strlen(line));
}

static void pass_on(const char *level, char how, unsigned *count)
{
    static const char *const NONSENSE[] = {"LEVEL\n", "LEVEL 1O\n", "LEVEL 101\n", "#?\n"};
    char line[32];

    if (how == 'B') {
        say(NONSENSE[(*count)++ % 4U]);
    } else if (how == 'W') {
        snprintf(line, sizeof line, "LEVEL %s\n", level);
        say(line);
    }
}

void firmware_main(void)
{
    static const char SENSE[] = "SENSE LEVEL ";
    char line[32];
    size_t used = 0;
    unsigned count = 0;
    char how = 'W';

    say("DBG BOOTED\n");
    for (;;) {
        uint8_t byte;

        if (port_uart_read(&byte, 1, 1000) != 1) {
            continue;
        }
        if (byte != '\n') {
            line[used < sizeof line - 1 ? used++ : used] = (char)byte;
            continue;
        }
        line[used] = '\0';
        used = 0;
        if (strncmp(line, SENSE, sizeof SENSE - 1) == 0) {
            pass_on(line + sizeof SENSE - 1, how, &count);
        } else if (!strcmp(line, "MUTE") || !strcmp(line, "BABBLE")
                   || !strcmp(line, "WORK")) {
            how = line[0];
        }
    }
}
