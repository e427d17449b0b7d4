/* Says what it measures on channel CHANNEL against reference REFERENCE. */
#include "serial.h"

int main(void)
{
    serial_start();
    ADMUX = REFERENCE << REFS0 | (CHANNEL & 7);
#ifdef MUX5
    ADCSRB = CHANNEL > 7 ? _BV(MUX5) : 0;
#endif
    ADCSRA = _BV(ADEN) | 7;
    for (;;) {
        ADCSRA |= _BV(ADSC);
        while (ADCSRA & _BV(ADSC)) { }
        say_value("ADC", ADC);
#ifdef LEFT
        ADMUX |= _BV(ADLAR);
        ADCSRA |= _BV(ADSC);
        while (ADCSRA & _BV(ADSC)) { }
        say_value("HIGH", ADCH);
        ADMUX &= ~_BV(ADLAR);
#endif
    }
}
