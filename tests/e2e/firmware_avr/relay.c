/* Says READY; whenever it hears N and a number, it says the next one, up to LINES. */
#include "serial.h"
#include <stdlib.h>

#ifndef LINES
#define LINES 20
#endif

int main(void)
{
    char line[16];
    uint8_t used = 0;

    serial_start();
    say("READY\n");
    for (;;) {
        char c;

        while (!(UCSR0A & _BV(RXC0))) { }
        c = UDR0;
        if (c != '\n') {
            if (used < sizeof line - 1) line[used++] = c;
            continue;
        }
        line[used] = 0;
        used = 0;
        if (line[0] == 'N' && atoi(line + 1) < LINES) say_value("N", atoi(line + 1) + 1);
    }
}
