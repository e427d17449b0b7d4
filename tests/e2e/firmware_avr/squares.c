// A timer makes sounds by itself: it turns its pin over at each match, or has PWM, over a sleep.
#include <avr/io.h>
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#ifdef SLEEPS
ISR(WDT_vect) {}

static void sleep_for_a_while(void)
{
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDP0);
    set_sleep_mode(SLEEP_MODE_PWR_DOWN);
    sei();
    sleep_mode();
    wdt_disable();
}
#endif

int main(void)
{
    DDRB = _BV(PB1) | _BV(PB3);
#ifdef SLEEPS
    OCR2A = 63;
    TCCR2A = _BV(COM2A1) | _BV(WGM20);
    TCCR2B = _BV(CS22);
    for (volatile long i = 0; i < 20000; i++) {}
    sleep_for_a_while();
#else
    // It has counted before, as it has after Arduino's init().
    TCCR1A = _BV(WGM10);
    TCCR1B = _BV(CS11) | _BV(CS10);
    for (volatile int i = 0; i < 1000; i++) {}
    TCCR1A = _BV(COM1A0);
    TCCR1B = _BV(WGM12) | _BV(CS11);
    OCR1A = 1135;
    for (volatile long i = 0; i < 100000; i++) {}
    OCR1A = 567;
    for (volatile long i = 0; i < 100000; i++) {}
    TCCR1A = 0;
#endif
    for (;;) {}
}
