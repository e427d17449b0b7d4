/* D8 (PB0) has a pull-up, D13 (PB5) blinks; every D8 is told with the pin's level. */
#include <avr/interrupt.h>
#include <util/delay.h>

#include "serial.h"

int main(void)
{
    serial_start();
    DDRB = _BV(5);
    PORTB = _BV(0);
    for (uint8_t i = 0; i < 5; i++) {
        _delay_ms(10);
        PORTB ^= _BV(5); /* a write to the port must not touch the driven pin */
        put('0' + (PINB & 1));
    }
    put('\n');
    PORTB = 0;
    DDRB = 0;
    for (;;) { }
}
