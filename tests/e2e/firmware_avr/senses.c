/* Says every 10 ms what A0, A1 and A2 have, and D2, D3 and D4. */
#include "serial.h"
#include <util/delay.h>

static uint16_t measured(uint8_t channel)
{
    ADMUX = _BV(REFS0) | channel;
    ADCSRA = _BV(ADEN) | _BV(ADSC) | 7;
    while (ADCSRA & _BV(ADSC)) { }
    return ADC;
}

int main(void)
{
    serial_start();
    for (;;) {
        say("READ");
        for (uint8_t i = 0; i < 3; i++) {
            uint16_t value = measured(i);
            put(' ');
            say_number(value);
        }
#ifdef __AVR_ATmega2560__
        uint8_t bits = (PINE >> 4 & 3) | (PING >> 5 & 1) << 2; /* D2, D3, D4 */
#else
        uint8_t bits = PIND >> 2 & 7;
#endif
        for (uint8_t i = 0; i < 3; i++, bits >>= 1) {
            put(' ');
            say_number(bits & 1);
        }
        put('\n');
        _delay_ms(8);
    }
}
