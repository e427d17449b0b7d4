/* A bar of ten LEDs with its tenth the other way round, and three shares of PWM.
   The bar is at D2 to D7, D8, A0, A1 and (the cathode) A2; the colors at D9, D10, D11. */
#include <avr/io.h>
#include <util/delay.h>

int main(void)
{
    DDRD = 0xFC;
    DDRB = 0x0F;
    DDRC = 0x07;
    PORTD = 0xFC; /* the first six */
    PORTB = _BV(0); /* the seventh; the eighth is dark; the tenth's cathode is low */
    TCCR1A = _BV(COM1A1) | _BV(COM1B1) | _BV(WGM10); /* fast, 8 bits */
    TCCR1B = _BV(WGM12) | _BV(CS11) | _BV(CS10);
    TCCR2A = _BV(COM2A1) | _BV(WGM21) | _BV(WGM20);
    TCCR2B = _BV(CS22);
    OCR1A = 63; /* high for OCR + 1 of 256 */
    OCR1B = 127;
    OCR2A = 255;
    for (;;) { /* the ninth has 250 Hz and a quarter */
        PORTC |= _BV(1);
        _delay_ms(1);
        PORTC &= ~_BV(1);
        _delay_ms(3);
    }
}
