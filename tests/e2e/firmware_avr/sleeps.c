/* Sleeps in MODE again and again; says what has woken it. D13 is high while awake. */
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/delay.h>

#include "serial.h"

#ifndef BEFORE
#define BEFORE
#endif
#ifndef AFTER
#define AFTER
#endif

static volatile char woken_by;
static volatile uint16_t conversions;

ISR(WDT_vect) { woken_by = 'W'; }
ISR(TIMER1_COMPA_vect) { woken_by = '1'; }
ISR(TIMER2_OVF_vect) { woken_by = '2'; }
ISR(PCINT0_vect) { woken_by = 'P'; }
ISR(INT0_vect) { woken_by = 'I'; }
ISR(USART_RX_vect) { woken_by = UDR0; }
ISR(ADC_vect) { woken_by = 'A'; }

/* Interrupts only, every SCALE: 0 is 16 ms, 6 is 1 s (nominally 1024 ms). */
static inline void watch(uint8_t scale)
{
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | scale;
}

int main(void)
{
    DDRB = _BV(5);
    serial_start();
    SETUP;
    set_sleep_mode(MODE);
    sleep_enable();
    sei();
    for (;;) {
        woken_by = '-';
        BEFORE;
        PORTB &= ~_BV(5);
        sleep_cpu();
        PORTB |= _BV(5);
        AFTER;
        put(woken_by);
        while (!(UCSR0A & _BV(TXC0))) { }
        UCSR0A |= _BV(TXC0);
    }
}
