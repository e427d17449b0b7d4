/* Heats at D9 while A0 is over 1.9 V (a thermistor below 36 C), to 1.8 V (39 C) at 30 %. */
#include "serial.h"
#include <avr/interrupt.h>
#include <util/delay.h>

int main(void)
{
    serial_start();
    say("BOOTED\n");
    DDRB = _BV(1);
    TCCR1A = _BV(WGM11);
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS10);
    ICR1 = 15999;
    OCR1A = 4799;
    ADMUX = _BV(REFS0);
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
    for (;;) {
        ADCSRA |= _BV(ADSC);
        while (ADCSRA & _BV(ADSC)) { }
        uint16_t felt = ADC;
        if (felt >= 368 && felt < 389) {
            TCCR1A |= _BV(COM1A1);
        } else {
            TCCR1A &= ~_BV(COM1A1);
            if (felt >= 389) PORTB |= _BV(1);
            else PORTB &= ~_BV(1);
        }
        _delay_ms(7);
    }
}
