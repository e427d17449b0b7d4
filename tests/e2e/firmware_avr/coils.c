/* Times contacts of two relays, whose coils are at D2 and D5; contacts pull to ground:
   NC and NO of the first at D3 and D4, of the second's poles at D7, D6 and D9, D8. */
#include "serial.h"
#include <util/delay.h>

#define COILS (_BV(2) | _BV(5))

static uint8_t contacts(void) /* NC, NO, NC1, NO1, NC2, NO2; 1 is closed */
{
    uint8_t d = ~PIND, b = ~PINB;
    return (d >> 3 & 1) | (d >> 4 & 1) << 1 | (d >> 7 & 1) << 2 | (d >> 6 & 1) << 3
         | (b >> 1 & 1) << 4 | (b & 1) << 5;
}

/* Watches for 40 ms; says of each contact when it first changed, in units of 100 us,
   and how often. */
static void watch(const char *name)
{
    uint16_t first[6] = { 0 };
    uint8_t changes[6] = { 0 }, before = contacts();
    TCNT1 = 0;
    TCCR1B = _BV(CS11) | _BV(CS10); /* 4 us */
    while (TCNT1 < 10000) {
        uint8_t now = contacts(), moved = now ^ before;
        before = now;
        for (uint8_t i = 0; moved; i++, moved >>= 1)
            if (moved & 1 && !changes[i]++) first[i] = TCNT1;
    }
    say(name);
    for (uint8_t i = 0; i < 6; i++) {
        put(' ');
        say_number((first[i] + 12) / 25);
        put(':');
        say_number(changes[i]);
    }
    put('\n');
}

int main(void)
{
    serial_start();
    PORTD = 0xD8;
    PORTB = 0x03;
    DDRD = COILS | _BV(1);
    _delay_ms(20);
    say_value("REST", contacts());
    PORTD |= COILS;
    watch("ON");
    say_value("PULLED", contacts());
    PORTD &= ~COILS;
    watch("OFF");
    say_value("REST", contacts());
    PORTD |= COILS; /* for less than it takes to move */
    _delay_ms(4);
    PORTD &= ~COILS;
    watch("SHORT");
    for (uint8_t i = 0; i < 100; i++) { /* half of the voltage is no 75 % */
        PORTD |= COILS;
        _delay_us(200);
        PORTD &= ~COILS;
        _delay_us(200);
    }
    watch("HALF");
    for (;;) { }
}
