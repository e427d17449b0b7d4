/* PWM on all six pins of a 328P, as the Arduino core sets them up; then off. */
#include <util/delay.h>

#include "serial.h"

int main(void)
{
    DDRD = _BV(3) | _BV(5) | _BV(6);
    DDRB = _BV(1) | _BV(2) | _BV(3);
    TCCR0A = _BV(COM0A1) | _BV(COM0B1) | _BV(WGM01) | _BV(WGM00); /* fast, 8 bits */
    TCCR0B = _BV(CS01) | _BV(CS00);
    TCCR1A = _BV(COM1A1) | _BV(COM1B1) | _BV(WGM10); /* phase correct, 8 bits */
    TCCR1B = _BV(CS11) | _BV(CS10);
    TCCR2A = _BV(COM2A1) | _BV(COM2B1) | _BV(WGM20); /* phase correct, 8 bits */
    TCCR2B = _BV(CS22);
    OCR0A = 31;
    OCR0B = 63;
    OCR1A = 51;
    OCR1B = 102;
    OCR2A = 153;
    OCR2B = 204;
    _delay_ms(10);
    TCCR0A = TCCR2A = 0;
    TCCR1A = _BV(COM1A1) | _BV(WGM11); /* a servo: 20 ms, 1.5 ms high, on D9 */
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);
    ICR1 = 40000 - 1;
    OCR1A = 3000 - 1;
    for (;;) { }
}
