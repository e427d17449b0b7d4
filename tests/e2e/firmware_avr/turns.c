/* 4076 half steps for a ULN2003 at D8 to D11, from IN4 down to IN1. */
#include <avr/io.h>
#include <util/delay.h>

int main(void)
{
    static const uint8_t half_steps[] = { 9, 8, 12, 4, 6, 2, 3, 1 };
    DDRB |= 15;
    for (uint16_t i = 0; i < 4076; i++) {
        PORTB = half_steps[i & 7];
        _delay_us(900);
    }
    for (;;) _delay_ms(1);
}
