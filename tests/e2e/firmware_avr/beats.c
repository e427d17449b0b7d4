/* ROLE 0 beats: D7 goes high for 300 us, PULSES times, a millisecond apart, when it is
 * told G. ROLE 1 counts rising edges on D2 by interrupt, says the count for each line
 * that it hears, and what the ADC sees at A0, and pulls D3 low (else released) after the
 * third. ROLE 2 drives D2 low. ROLE 3 has PWM on D6 (OC0A), 1/4 of 1.024 ms, and D7
 * goes high, low and high within a quarter of a microsecond for each line. */
#include "serial.h"
#include <avr/interrupt.h>
#include <util/delay.h>

#ifndef ROLE
#define ROLE 0
#endif
#define PULSES 5

static volatile uint16_t edges;

ISR(INT0_vect)
{
    if (++edges == 3) DDRD |= _BV(3);
}

static uint8_t hears_a_line(void)
{
    char c;
    if (!(UCSR0A & _BV(RXC0))) return 0;
    c = UDR0;
    return c == '\n';
}

int main(void)
{
    serial_start();
    say("READY\n");
#if ROLE == 0
    DDRD = _BV(7);
    PORTD = _BV(3); /* a pull-up at the line that the other pulls low */
    for (;;) {
        if (!hears_a_line()) continue;
        for (uint8_t i = 0; i < PULSES; i++) {
            PORTD |= _BV(7);
            _delay_us(300);
            PORTD &= ~_BV(7);
            _delay_us(700);
        }
        say_value("D3", PIND >> 3 & 1);
    }
#elif ROLE == 1
    EICRA = _BV(ISC01) | _BV(ISC00);
    EIMSK = _BV(INT0);
    sei();
    for (;;) {
        if (!hears_a_line()) continue;
        say_value("EDGES", edges);
        ADMUX = _BV(REFS0);
        ADCSRA = _BV(ADEN) | _BV(ADSC) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
        while (ADCSRA & _BV(ADSC)) { }
        say_value("A0", ADC);
    }
#elif ROLE == 2
    DDRD = _BV(2);
    for (;;) { }
#else
    DDRD = _BV(6) | _BV(7);
    OCR0A = 63;
    TCCR0A = _BV(COM0A1) | _BV(WGM01) | _BV(WGM00);
    TCCR0B = _BV(CS01) | _BV(CS00);
    for (;;) {
        if (!hears_a_line()) continue;
        PORTD |= _BV(7);
        PORTD &= ~_BV(7);
        PORTD |= _BV(7);
    }
#endif
}
