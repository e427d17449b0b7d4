/* An interrupt at a low level of INT0 (D2), which is enabled when D8 is low: one letter
 * each time, and it switches itself off after five. Without LEVEL nobody asks for one. */
#include <avr/interrupt.h>
#include <util/delay.h>

#include "serial.h"

static volatile unsigned char count;

ISR(INT0_vect)
{
    if (++count == 5) {
        EIMSK = 0;
    }
}

int main(void)
{
    unsigned char shown = 0;

    serial_start();
    PORTD = _BV(2);
    PORTB = _BV(0);
    sei();
    put('B');
    for (;;) {
#ifdef LEVEL
        if (!(PINB & _BV(0)) && count < 5) {
            EIMSK = _BV(INT0);
        }
#endif
        if (count != shown) {
            shown++;
            put('0' + shown);
        }
    }
}
