/* Says the four bytes of NEC that a receiver at D2 sees, and repeats. */
#include "serial.h"
#include <avr/interrupt.h>

static volatile uint32_t frame;
static volatile uint8_t bits = 255, repeats;

/* From fall to fall, in 4 us: 13.5 ms begin, 11.25 ms repeat, 2.25 ms are a 1. */
ISR(INT0_vect)
{
    static uint16_t last;
    uint16_t now = TCNT1, span = now - last;
    last = now;
    if (span > 3200 && span < 3500) bits = 0;
    else if (span > 2700 && span < 2900) repeats++;
    else if (bits < 32) {
        frame = frame >> 1 | (span > 400 ? 0x80000000UL : 0);
        bits++;
    }
}

int main(void)
{
    uint8_t said = 0;
    serial_start();
    TCCR1B = _BV(CS11) | _BV(CS10);
    EICRA = _BV(ISC01);
    EIMSK = _BV(INT0);
    sei();
    for (;;) {
        if (bits == 32) {
            bits = 255;
            say_value("ADDRESS", frame & 0xFF);
            say_value("COMMAND", frame >> 16 & 0xFF);
        }
        if (repeats != said) say_value("REPEAT", ++said);
    }
}
