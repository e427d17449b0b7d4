/* All PWM outputs and all four USARTs of an ATmega2560. */
#include <avr/io.h>
#include <stdint.h>

#define TIMER16(n) \
    TCCR##n##A = _BV(COM##n##A1) | _BV(COM##n##B1) | _BV(COM##n##C1) | _BV(WGM##n##0); \
    TCCR##n##B = _BV(CS##n##1) | _BV(CS##n##0); /* phase correct, 8 bits */ \
    OCR##n##A = n * 10 + 1, OCR##n##B = n * 10 + 2, OCR##n##C = n * 10 + 3

#define TIMER8(n, clock) \
    TCCR##n##A = _BV(COM##n##A1) | _BV(COM##n##B1) | _BV(WGM##n##0); \
    TCCR##n##B = clock; /* phase correct */ \
    OCR##n##A = n * 10 + 1, OCR##n##B = n * 10 + 2

#define USART(n) UCSR##n##A = _BV(U2X##n), UBRR##n = 16, \
    UCSR##n##B = _BV(RXEN##n) | _BV(TXEN##n)

#define ECHO(n) if (UCSR##n##A & _BV(RXC##n)) UDR##n = UDR##n + n

int main(void)
{
    DDRB = DDRE = DDRG = DDRH = DDRL = 0xFF;
    TIMER16(1);
    TIMER16(3);
    TIMER16(4);
    TIMER16(5);
    TIMER8(2, _BV(CS22));
    TCCR1A &= ~_BV(COM1C1); /* shares its pin with OC0A */
    TIMER8(0, _BV(CS01) | _BV(CS00));
    USART(0);
    USART(1);
    USART(2);
    USART(3);
    for (;;) {
        ECHO(0);
        ECHO(1);
        ECHO(2);
        ECHO(3);
    }
}
