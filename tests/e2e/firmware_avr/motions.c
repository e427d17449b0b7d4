/* An encoder (D2, D3, its button D6), pulses of flow (D7), a clock at T0 (D4), and a
   servo at OC1A (D9), which goes on every 100 ms, and what was counted is said. */
#include "serial.h"
#include <util/delay.h>

static const uint16_t widths_us[] = { 1500, 1900, 1100, 600, 2400, 500, 2500 };

int main(void)
{
    static const int8_t turned[16] = { 0, -1, 1, 0, 1, 0, 0, -1, -1, 0, 0, 1, 0, 1, -1, 0 };
    int16_t quarters = 0;
    uint16_t flow = 0, clocks = 0;
    uint8_t frames = 0, next = 0, before, t0 = 0;
    serial_start();
    PORTD = _BV(6);
    DDRB = _BV(1);
    TCCR0B = _BV(CS02) | _BV(CS01) | _BV(CS00); /* T0, rising */
    OCR1A = 3000;
    ICR1 = 39999; /* 20 ms of 0.5 us */
    TCCR1A = _BV(COM1A1) | _BV(WGM11);
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);
    before = PIND;
    for (;;) {
        uint8_t now = PIND, count = TCNT0;
        clocks += (uint8_t)(count - t0);
        t0 = count;
        if (now & ~before & _BV(7)) flow++;
        quarters -= turned[(before >> 2 & 3) << 2 | (now >> 2 & 3)];
        before = now;
        if (!(TIFR1 & _BV(TOV1))) continue;
        TIFR1 = _BV(TOV1);
        if (++frames < 5) continue;
        frames = 0;
        OCR1A = widths_us[next++ % 7] * 2 - 1;
        say("SAW ");
        say_number(1000 + quarters);
        put(' ');
        say_number(flow);
        put(' ');
        say_number(clocks);
        put(' ');
        say_number(now >> 6 & 1);
        put('\n');
        flow = clocks = 0;
    }
}
