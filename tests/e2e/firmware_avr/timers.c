/* Sets a timer up as SETUP says; each interrupt VECTOR does EACH and turns D13 round. */
#include <avr/interrupt.h>
#include <avr/io.h>

#ifndef EACH
#define EACH
#endif

ISR(VECTOR)
{
    PINB = _BV(5);
    EACH;
}

int main(void)
{
    DDRB = _BV(5);
    SETUP;
    sei();
    for (;;) { }
}
