/* ATmega328P and ATmega2560 without a framework: UART0, Timer1, and sleep.
 *
 * Timer1 counts 4 us steps at 16 MHz and starts over every PORT_TICK_MS, so that a
 * wait is exact to a step although the core wakes no more often than it has to.
 */
#if defined(__AVR__) && !defined(ARDUINO)

#include "embedbench_port.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <stdbool.h>
#include <util/atomic.h>

#ifndef BAUD
#define BAUD 115200UL
#endif
#define BAUD_TOL 3 /* 115200 from 16 MHz is 2.1 % fast */
#include <util/setbaud.h>

#ifndef USART0_RX_vect /* the 328P has but one */
#define USART0_RX_vect USART_RX_vect
#define USART0_UDRE_vect USART_UDRE_vect
#endif

#define PRESCALER 64UL
#define COUNTS_PER_MS (F_CPU / PRESCALER / 1000UL)
#define COUNTS_PER_TICK (COUNTS_PER_MS * PORT_TICK_MS)

#if F_CPU % (PRESCALER * 1000UL) != 0
#error "Timer1 cannot count this F_CPU down to whole milliseconds"
#endif

#if RAMEND > 0x0FFF
#define RX_RING_SIZE 512U
#else
#define RX_RING_SIZE 256U
#endif

/* Written by interrupts. Times are in counts of Timer1 and wrap. */
static volatile uint32_t tick_ms;
static volatile uint32_t tick_start;
static volatile uint32_t last_arrival;
static volatile uint8_t ring[RX_RING_SIZE];
static volatile uint16_t ring_head;
static volatile uint16_t ring_count;

ISR(TIMER1_COMPA_vect)
{
    tick_ms += PORT_TICK_MS;
    tick_start += COUNTS_PER_TICK;
}

/* Only to wake the core. */
ISR(TIMER1_COMPB_vect)
{
    TIMSK1 &= (uint8_t)~_BV(OCIE1B);
}

ISR(USART0_UDRE_vect)
{
    UCSR0B &= (uint8_t)~_BV(UDRIE0);
}

/* With interrupts off. */
static uint32_t now(void)
{
    uint16_t count = TCNT1;
    uint32_t start = tick_start;

    if ((TIFR1 & _BV(OCF1A)) && count < COUNTS_PER_TICK / 2U) {
        start += COUNTS_PER_TICK; /* the tick's interrupt is still to come */
    }
    return start + count;
}

ISR(USART0_RX_vect)
{
    uint8_t byte = UDR0;

    last_arrival = now();
    if (ring_count < RX_RING_SIZE) {
        ring[(ring_head + ring_count) % RX_RING_SIZE] = byte;
        ring_count++;
    }
}

static bool is_past(uint32_t time)
{
    return (int32_t)(now() - time) >= 0;
}

/* Sleep until an interrupt; interrupts are off before and after. */
static void doze(void)
{
    sleep_enable();
    sei(); /* takes effect after the next instruction: nothing can come between */
    sleep_cpu();
    sleep_disable(); /* before cli(): simavr is an instruction late if one was pending */
    cli();
}

/* Sleep until an interrupt, at `time` at the latest; interrupts are off. */
static void doze_until(uint32_t time)
{
    uint32_t phase = time - tick_start;

    if (phase < COUNTS_PER_TICK) {
        if (phase <= TCNT1 + 1U) {
            return; /* too close to be met by a comparison */
        }
        OCR1B = (uint16_t)phase;
        TIFR1 = _BV(OCF1B);
        TIMSK1 |= _BV(OCIE1B);
    }
    doze();
}

uint32_t port_now_ms(void)
{
    uint32_t value;

    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        value = tick_ms;
    }
    return value;
}

/* With interrupts off. */
static uint8_t take_from_ring(void)
{
    uint8_t byte = ring[ring_head];

    ring_head = (ring_head + 1U) % RX_RING_SIZE;
    ring_count--;
    return byte;
}

size_t port_uart_read(uint8_t *buffer, size_t capacity, uint32_t timeout_ms)
{
    const uint32_t timeout = timeout_ms * COUNTS_PER_MS;
    uint32_t until = 0;
    size_t count = 0;
    bool timed_out = false;

    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        until = now() + timeout;
    }
    while (count < capacity && !timed_out) {
        /* For each byte anew: what comes in meanwhile must not have to wait. */
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
        {
            if (ring_count > 0) {
                uint32_t later = last_arrival + timeout;

                buffer[count++] = take_from_ring();
                if ((int32_t)(later - until) > 0) {
                    until = later;
                }
            } else if (is_past(until)) {
                timed_out = true;
            } else {
                doze_until(until);
            }
        }
    }
    return count;
}

void port_uart_write(const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
        {
            while (!(UCSR0A & _BV(UDRE0))) {
                UCSR0B |= _BV(UDRIE0);
                doze();
            }
            UDR0 = data[i];
        }
    }
}

void port_delay_ms(uint32_t duration_ms)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        uint32_t until = now() + duration_ms * COUNTS_PER_MS;

        while (!is_past(until)) {
            doze_until(until);
        }
    }
}

static void start_timer(void)
{
    OCR1A = (uint16_t)(COUNTS_PER_TICK - 1U);
    TCCR1A = 0;
    TCCR1B = _BV(WGM12) | _BV(CS11) | _BV(CS10); /* CTC, clock / 64 */
    TIMSK1 = _BV(OCIE1A);
}

static void start_uart(void)
{
    UBRR0 = UBRR_VALUE;
#if USE_2X
    UCSR0A = _BV(U2X0);
#else
    UCSR0A = 0;
#endif
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00); /* 8N1 */
    UCSR0B = _BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0);
}

int main(void)
{
    MCUSR = 0; /* or the watchdog, after it has bitten, cannot be stopped */
    wdt_disable();
    set_sleep_mode(SLEEP_MODE_IDLE);
    start_timer();
    start_uart();
    sei();
    firmware_main();
    cli();
    for (;;) {
        sleep_mode();
    }
}

#endif
