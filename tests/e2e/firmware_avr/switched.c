/* Switches a relay at D2, and says how long D3 takes to fall and to rise again. */
#include "serial.h"
#include <util/delay.h>

static uint16_t until(uint8_t level)
{
    uint16_t tenths_ms = 0;
    for (; (PIND >> 3 & 1) != level; tenths_ms++) _delay_us(100);
    return tenths_ms;
}

int main(void)
{
    serial_start();
    DDRD |= _BV(2);
    PORTD |= _BV(3);
    _delay_ms(20);
    PORTD |= _BV(2);
    say_value("ON", until(0));
    PORTD &= ~_BV(2);
    say_value("OFF", until(1));
    for (;;) { }
}
