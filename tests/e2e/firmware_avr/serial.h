/* The first USART, polled; at 115200 Bd (117647 in fact) if not told otherwise. */
#include <avr/io.h>
#include <stdint.h>

#ifndef DIVISOR
#define DIVISOR 16
#endif

#if defined __AVR_ATmega2560__ || defined __AVR_ATmega1284P__
#define USART_RX_vect USART0_RX_vect
#define USART_UDRE_vect USART0_UDRE_vect
#endif

static inline void serial_start(void)
{
    UCSR0A = _BV(U2X0);
    UBRR0 = DIVISOR;
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
}

static inline void put(char c)
{
    while (!(UCSR0A & _BV(UDRE0))) { }
    UDR0 = c;
}

static inline void say(const char *text)
{
    while (*text) put(*text++);
}

static inline void say_number(uint32_t n)
{
    char digits[11];
    uint8_t i = 10;
    digits[i] = 0;
    do digits[--i] = '0' + n % 10; while (n /= 10);
    say(digits + i);
}

static inline void say_value(const char *name, uint32_t n)
{
    say(name);
    put(' ');
    say_number(n);
    put('\n');
}
