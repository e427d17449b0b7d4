/* A line protocol that idles between 100 Hz ticks: "SENSE n" is answered. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

static volatile uint32_t ticks;
static volatile char received[64];
static volatile uint8_t head;
static uint8_t tail;

ISR(TIMER1_COMPA_vect) { ticks++; }

#ifdef __AVR_ATmega2560__
#define USART_RX_vect USART0_RX_vect
#endif

ISR(USART_RX_vect)
{
    received[head & 63] = UDR0;
    head++;
}

static void put(char c)
{
    while (!(UCSR0A & _BV(UDRE0))) { }
    UDR0 = c;
}

static void say(const char *text)
{
    while (*text) put(*text++);
}

static void say_number(uint32_t n)
{
    char digits[11];
    uint8_t i = 10;
    digits[i] = 0;
    do digits[--i] = '0' + n % 10; while (n /= 10);
    say(digits + i);
}

int main(void)
{
    UCSR0A = _BV(U2X0);
    UBRR0 = 16; /* 115200 */
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
    TCCR1B = _BV(WGM12) | _BV(CS11) | _BV(CS10);
    OCR1A = F_CPU / 64 / 100 - 1;
    TIMSK1 = _BV(OCIE1A);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    say("BOOT\n");
    for (;;) {
        sleep_mode();
        while (tail != head) {
            char c = received[tail++ & 63];
            if (c == '\n') {
                say("ACT PUMP ON t=");
                say_number(ticks);
                say("\n");
            }
        }
    }
}
