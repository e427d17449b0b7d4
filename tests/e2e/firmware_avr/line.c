/* A line protocol that idles between 100 Hz ticks: every line is answered. */
#include <avr/interrupt.h>
#include <avr/sleep.h>

#include "serial.h"

#ifdef FILL /* a program that only a big flash can hold */
__attribute__((section(".fill"), used)) static const uint8_t fill[16] = {1};
#endif

#ifndef MODE
#define MODE SLEEP_MODE_IDLE
#endif

static volatile uint32_t ticks;
static volatile char received[64];
static volatile uint8_t head;
static uint8_t tail;

ISR(TIMER1_COMPA_vect) { ticks++; }

ISR(USART_RX_vect)
{
    received[head & 63] = UDR0;
    head++;
}

int main(void)
{
    serial_start();
    UCSR0B |= _BV(RXCIE0);
    TCCR1B = _BV(WGM12) | _BV(CS11) | _BV(CS10);
    OCR1A = F_CPU / 64 / 100 - 1;
    TIMSK1 = _BV(OCIE1A);
    set_sleep_mode(MODE);
    sei();
    say("BOOT\n");
    for (;;) {
        sleep_mode();
        while (tail != head)
            if (received[tail++ & 63] == '\n')
                say_value("ACT PUMP ON t", ticks);
    }
}
