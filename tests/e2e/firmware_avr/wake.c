/* Sleeps until INT0 (D2) falls or D8 changes; sets D12 for a while, then says which. */
#include <avr/interrupt.h>
#include <avr/sleep.h>

#include "serial.h"

static volatile char cause;

ISR(INT0_vect) { PORTB |= _BV(4); cause = 'I'; }
ISR(PCINT0_vect) { PORTB |= _BV(4); cause = 'P'; }

int main(void)
{
    serial_start();
    DDRB = _BV(4);
    PORTD = _BV(2);
    PORTB = _BV(0);
    EICRA = _BV(ISC01);
    EIMSK = _BV(INT0);
    PCICR = _BV(PCIE0);
    PCMSK0 = _BV(PCINT0);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;) {
        sleep_mode();
        put(cause);
        PORTB &= ~_BV(4);
    }
}
