/* Reads HX711 (DT at D2, SCK at D3) and says what it has, and how long that took. */
#include "serial.h"
#include <util/delay.h>

int main(void)
{
    serial_start();
    DDRD |= _BV(3);
    for (;;) {
        uint16_t ms = 0;
        for (; PIND & _BV(2); ms++) _delay_ms(1);
        uint32_t value = 0;
        for (uint8_t i = 0; i < 25; i++) {
            PORTD |= _BV(3);
            _delay_us(1);
            if (i < 24) value = value << 1 | (PIND >> 2 & 1);
            PORTD &= ~_BV(3);
            _delay_us(1);
        }
        say_value("WAITED_MS", ms);
        say_value("RAW", (uint16_t)value);
    }
}
