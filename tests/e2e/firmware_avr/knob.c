/* Counts KY-040 by interrupt (CLK at D2, DT at D3), and says when SW at D4 changes. */
#include "serial.h"
#include <avr/interrupt.h>

static volatile uint8_t count = 100;

ISR(INT0_vect) { count += PIND & _BV(3) ? 1 : -1; }

int main(void)
{
    uint8_t said = count, was = 1;
    serial_start();
    PORTD |= _BV(4);
    EICRA = _BV(ISC01);
    EIMSK = _BV(INT0);
    sei();
    for (;;) {
        if (count != said) say_value("COUNT", said = count);
        uint8_t is_open = PIND >> 4 & 1;
        if (is_open != was) say_value("SW", was = is_open);
    }
}
