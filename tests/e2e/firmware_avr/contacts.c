/* A slide switch at D2 whose edges are counted, and DIP switches to ground at D3 to D10.
   It looks every 20 ms, and says what has changed. */
#include "serial.h"
#include <avr/interrupt.h>
#include <util/delay.h>

static volatile uint16_t edges;
ISR(INT0_vect) { edges++; }

int main(void)
{
    uint16_t before = 0xFFFF;
    serial_start();
    PORTD = 0xFC;
    PORTB = 0x07;
    _delay_ms(1);
    EICRA = _BV(ISC00); /* any change */
    EIFR = _BV(INTF0);
    EIMSK = _BV(INT0);
    sei();
    for (;;) {
        uint8_t slide = PIND >> 2 & 1;
        uint8_t dip = ~(PIND >> 3 | PINB << 5); /* closed is low */
        uint16_t now = slide << 8 | dip;
        if (now != before) {
            cli();
            uint16_t counted = edges;
            edges = 0;
            sei();
            say_value("SLIDE", slide);
            say_value("DIP", dip);
            say_value("EDGES", counted);
            before = now;
        }
        _delay_ms(20);
    }
}
