/* Moves COUNT bytes as WAY says; D8 is high meanwhile. Then says what it has read. */
#include <avr/interrupt.h>
#include <avr/io.h>

#include "serial.h"

enum { SPI, SPI_BY_INTERRUPT, COLLISION, TWI, FLAG, LENT };
enum { BUSY = _BV(0) };

static volatile uint8_t moved;

ISR(SPI_STC_vect)
{
    moved++;
    SPDR = moved;
}

static uint8_t twi(uint8_t control)
{
    TWCR = _BV(TWINT) | _BV(TWEN) | control;
    while (!(TWCR & _BV(TWINT))) { }
    return TWSR & 0xF8;
}

#if defined SPI_CYCLES || defined TWI_CYCLES
/* Say whether a flag is up so many cycles after the end of the byte's first instruction. */
static void look_for_flag(void)
{
    uint8_t flags;
#ifdef SPI_CYCLES
    asm volatile("out %1, __zero_reg__\n.rept %3\nnop\n.endr\nin %0, %2"
                 : "=r"(flags)
                 : "I"(_SFR_IO_ADDR(SPDR)), "I"(_SFR_IO_ADDR(SPSR)), "i"(SPI_CYCLES));
    say_value("F", flags & _BV(SPIF) ? 1 : 0);
#else
    twi(_BV(TWSTA));
    TWDR = 0x4E;
    asm volatile("sts %1, %2\n.rept %3\nnop\n.endr\nlds %0, %1"
                 : "=&r"(flags)
                 : "n"(_SFR_MEM_ADDR(TWCR)), "r"(_BV(TWINT) | _BV(TWEN)), "i"(TWI_CYCLES));
    say_value("F", flags & _BV(TWINT) ? 1 : 0);
#endif
}
#endif

/* START, then each byte of BYTES as it is written or, if READ, read; then STOP. */
static void talk(void)
{
    static const uint8_t bytes[] = { BYTES };
    uint8_t seen[8], n = 0;
    PORTB |= BUSY;
    seen[n++] = twi(_BV(TWSTA));
    for (uint8_t i = 0; i < sizeof bytes; i++) {
        if (bytes[i] == 1) {
            seen[n++] = twi(_BV(TWSTA));
            continue;
        }
        TWDR = bytes[i];
        seen[n++] = twi(i && bytes[i] == 2 ? _BV(TWEA) : 0);
    }
    TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTO);
    while (TWCR & _BV(TWSTO)) { }
    PORTB &= ~BUSY;
    for (uint8_t i = 0; i < n; i++) say_value("S", seen[i]);
    say_value("D", TWDR);
}

int main(void)
{
    serial_start();
    DDRB = BUSY | _BV(2) | _BV(3) | _BV(5);
#ifdef __AVR_ATmega2560__
    DDRB |= _BV(0) | _BV(1);
#endif
    SPCR = _BV(SPE) | _BV(MSTR) | (RATE & 3);
    SPSR = RATE >> 2;
    TWBR = RATE;
    uint8_t read = 0;
    switch (WAY) {
    case SPI:
        PORTB |= BUSY;
        for (uint8_t i = 0; i < COUNT; i++) {
            SPDR = i;
            while (!(SPSR & _BV(SPIF))) { }
            read = SPDR;
        }
        PORTB &= ~BUSY;
        say_value("D", read);
        break;
    case SPI_BY_INTERRUPT:
        PORTB |= BUSY;
        SPCR |= _BV(SPIE);
        sei();
        SPDR = 0;
        while (moved < COUNT) { }
        PORTB &= ~BUSY;
        break;
    case LENT: /* PORTB has no say in SCK, MOSI and MISO while SPI is on */
        DDRB |= _BV(4);
        SPCR |= _BV(CPOL) | _BV(CPHA);
        PORTB ^= _BV(3) | _BV(5);
        SPDR = 0xA5;
        while (!(SPSR & _BV(SPIF))) PORTB ^= _BV(3) | _BV(5);
        PORTB = _BV(2) | _BV(3);
        SPCR = 0;
        break;
    case COLLISION:
        SPDR = 1;
        SPDR = 2;
        say_value("D", SPSR & _BV(WCOL));
        break;
    case TWI:
        talk();
        break;
#if defined SPI_CYCLES || defined TWI_CYCLES
    case FLAG:
        look_for_flag();
        break;
#endif
    }
    for (;;) { }
}
