/* 150 pulses forward and 50 back for an A4988: STEP at D2, DIR at D3. */
#include <avr/io.h>
#include <util/delay.h>

static void pulses(uint8_t count)
{
    while (count--) {
        PORTD |= _BV(2);
        _delay_us(500);
        PORTD &= ~_BV(2);
        _delay_us(500);
    }
}

int main(void)
{
    DDRD |= _BV(2) | _BV(3);
    PORTD |= _BV(3);
    _delay_ms(2);
    pulses(150);
    _delay_ms(100);
    PORTD &= ~_BV(3);
    pulses(50);
    for (;;) _delay_ms(1);
}
