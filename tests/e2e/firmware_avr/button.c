/* A button at D2 lights D13; every change is told, and every byte said again. */
#include "serial.h"

int main(void)
{
    uint8_t before = 1;

    serial_start();
    DDRB = _BV(5);
    PORTD = _BV(2);
    say("ready\n");
    for (;;) {
        uint8_t open = PIND >> 2 & 1;
        if (open != before) {
            before = open;
            PORTB = open ? 0 : _BV(5);
            say(open ? "dark\n" : "lit\n");
        }
        if (UCSR0A & _BV(RXC0)) put(UDR0);
    }
}
