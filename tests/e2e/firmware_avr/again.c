/* Things done twice: a USART that is switched off and on, a timer before and after a
 * reset. */
#include <avr/interrupt.h>
#include <util/delay.h>

#include "serial.h"

static volatile const char *left = "two\n";

ISR(USART_UDRE_vect)
{
    UDR0 = *left++;
    if (!*left) UCSR0B &= ~_BV(UDRIE0);
}

int main(void)
{
    uint8_t flags = TIFR1;
    uint16_t count = TCNT1;
    serial_start();
    say_value("count", count);
    say_value("flags", flags);
    OCR1A = 20000;
    TCCR1B = _BV(WGM12) | _BV(CS11); /* 10 ms */
    say_value("early", TIFR1 & _BV(OCF1A));
    _delay_ms(5);
    UCSR0B = 0; /* as Arduino's Serial.end() and Serial.begin() */
    flags = UCSR0A;
    serial_start();
    say_value("empty", flags & _BV(UDRE0));
    say("one\n");
    UCSR0B = 0;
    serial_start();
    UCSR0B |= _BV(UDRIE0);
    sei();
    _delay_ms(5);
    say_value("timer", TIFR1 & _BV(OCF1A));
    for (;;) { }
}
