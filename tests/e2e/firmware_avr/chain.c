/* Two MAX7219 (DIN D11, CS D10, CLK D13), and an A4988 with a motor (STEP D2, DIR D3,
   MS1 to MS3 D4 to D6, ENABLE D7). */
#include "serial.h"
#include <util/delay.h>

static void shift(uint8_t byte)
{
    for (uint8_t i = 0; i < 8; i++, byte <<= 1) {
        if (byte & 0x80) PORTB |= _BV(3); else PORTB &= ~_BV(3);
        PORTB |= _BV(5);
        PORTB &= ~_BV(5);
    }
}

static void both(uint8_t reg, uint8_t far, uint8_t near)
{
    PORTB &= ~_BV(2);
    shift(reg);
    shift(far);
    shift(reg);
    shift(near);
    PORTB |= _BV(2);
}

static void steps(uint8_t select, uint8_t forward, uint16_t n)
{
    PORTD = (PORTD & ~0x78) | select << 4 | forward << 3;
    _delay_us(10);
    while (n--) {
        PORTD |= _BV(2);
        _delay_us(2);
        PORTD &= ~_BV(2);
        _delay_us(600);
    }
    _delay_ms(2);
}

int main(void)
{
    serial_start();
    DDRB = 0x2C;
    DDRD = 0xFE;
    PORTB = _BV(2);
    both(0x0F, 0, 0);
    both(0x0B, 7, 7);
    both(0x09, 0, 0);
    both(0x0A, 15, 3);
    for (uint8_t row = 0; row < 8; row++) both(row + 1, 0x80 >> row, row ? 1 : 0xF0);
    PORTB &= ~_BV(2); /* one for the far chip alone, and no operation */
    shift(8);
    shift(0xFF);
    shift(0);
    shift(0x77);
    PORTB |= _BV(2);
    both(0x0C, 1, 1);
    say("SHOWN\n");
    steps(0, 1, 50);
    say("FULL\n");
    _delay_ms(20);
    steps(1, 1, 50);
    say("HALF\n");
    _delay_ms(20);
    steps(2, 0, 100);
    say("QUARTER\n");
    _delay_ms(20);
    steps(4 | 2 | 1, 0, 160);
    say("SIXTEENTH\n");
    _delay_ms(20);
    PORTD |= _BV(7);
    _delay_ms(1);
    steps(0, 1, 6); /* counted, but not turned */
    say("LOOSE\n");
    _delay_ms(20);
    steps(0, 0, 6);
    PORTD &= ~_BV(7);
    steps(0, 0, 1);
    say("HELD\n");
    both(0x0C, 1, 0); /* the near one rests */
    for (;;) { }
}
