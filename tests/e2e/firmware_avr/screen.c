/* HD44780U by its figures 23 and 24: data at D0 to D7 (4 bits: D4 to D7), RS D8, E D9. */
#include <avr/io.h>
#include <util/delay.h>

static void strobe(uint8_t byte)
{
    PORTD = byte;
    _delay_us(1);
    PORTB |= _BV(1);
    _delay_us(1);
    PORTB &= ~_BV(1);
    _delay_us(50);
}

static void write(uint8_t byte)
{
#ifdef NIBBLES
    strobe(byte & 0xF0);
    byte <<= 4;
#endif
    strobe(byte);
}

static void command(uint8_t byte) { PORTB &= ~_BV(0); write(byte); }
static void data(uint8_t byte) { PORTB |= _BV(0); write(byte); }
static void text(const char *words) { while (*words) data(*words++); }

int main(void)
{
    DDRD = 0xFF;
    DDRB = 3;
    _delay_ms(45);
    strobe(0x30);
    _delay_ms(5);
    strobe(0x30);
    _delay_us(110);
    strobe(0x30);
#ifdef NIBBLES
    strobe(0x20);
    command(0x28);
#else
    command(0x38);
#endif
    command(0x08);
    command(0x01);
    _delay_ms(2);
    command(0x06);
    command(0x40 | 2 << 3); /* the third character of one's own */
    for (uint8_t i = 0; i < 8; i++) data(i & 1 ? 0x1F : 0x11);
    command(0x80); /* what does not fit the first row is in the third */
    text("row one, of twenty..row three, after one");
    command(0x80 | 0x40);
    text("row two: 21.5");
    data(0xDF);
    text("C ~");
    data(2);
    command(0x04); /* backwards, from the end of the fourth */
    command(0x80 | (0x54 + 19));
    text("sdrawkcab");
    command(0x80 | (0x54 + 19));
    command(0x0E);
    _delay_ms(50);
    command(0x1C); /* shifts what is shown to the right */
    for (;;) { }
}
