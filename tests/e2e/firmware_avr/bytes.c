/* Bytes, in the way that WAY names. */
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <util/delay.h>

#include "serial.h"

enum { SPEAK_POLLED, SPEAK_BY_INTERRUPT, ECHO, COUNT, DEAF, LATE, MUTE, BUSY };

static volatile uint8_t left = 100;

ISR(USART_UDRE_vect)
{
    UDR0 = --left ? 'x' : '\n';
    if (!left) UCSR0B &= ~_BV(UDRIE0);
}

static volatile uint16_t received;

ISR(USART_RX_vect)
{
    received++;
    if (UDR0 == '\n') left = 0;
}

static uint8_t get(void)
{
    while (!(UCSR0A & _BV(RXC0))) { }
    return UDR0;
}

int main(void)
{
    uint16_t count = 0;
    if (WAY == LATE) _delay_ms(50);
    serial_start();
    sei();
    switch (WAY) {
    case SPEAK_POLLED:
        while (--left) put('x');
        put('\n');
        break;
    case SPEAK_BY_INTERRUPT:
        UCSR0B |= _BV(UDRIE0);
        break;
    case ECHO:
        for (;;) put(get());
    case COUNT: /* says how many bytes there were, after the one that is a newline */
        for (;;) {
            count++;
            if (get() == '\n') say_value("BYTES", count), count = 0;
        }
    case DEAF: /* looks after 100 ms */
        _delay_ms(100);
        say_value("OVERRUN", !!(UCSR0A & _BV(DOR0)));
        while (UCSR0A & _BV(RXC0)) put(UDR0);
        put('\n');
        for (;;) put(get());
    case BUSY: /* interrupts are off for 1.7 bytes, again and again */
        UCSR0B |= _BV(RXCIE0);
        while (left) {
            cli();
            _delay_us(150);
            sei();
            _delay_us(60);
        }
        say_value("BYTES", received);
        break;
    case MUTE:
        UCSR0B = _BV(RXEN0);
        while (--left) put('x');
        break;
    case LATE:
        for (;;) put(get());
    }
    set_sleep_mode(SLEEP_MODE_IDLE);
    for (;;) sleep_mode();
}
