/* DHT11 at D2 and DS18B20 at D3, both pulled up from outside, bit by bit. */
#include "serial.h"
#include <util/crc16.h>
#include <util/delay.h>

static void low(uint8_t pin) { DDRD |= _BV(pin); }
static void let(uint8_t pin) { DDRD &= ~_BV(pin); }
static uint8_t level(uint8_t pin) { return PIND >> pin & 1; }

/* Microseconds for which a pin keeps a level, 250 at most. */
static uint8_t lasts(uint8_t pin, uint8_t as)
{
    TCNT1 = 0;
    while (level(pin) == as && TCNT1 < 500) { }
    return TCNT1 / 2;
}

static void hygrometer(uint8_t start_ms)
{
    uint8_t bytes[5] = { 0 };
    low(2);
    while (start_ms--) _delay_ms(1);
    let(2);
    uint8_t waited = lasts(2, 1), answer = lasts(2, 0), ready = lasts(2, 1);
    uint8_t gap_min = 255, gap_max = 0, zero_max = 0, one_min = 255;
    if (waited < 250)
        for (uint8_t i = 0; i < 40; i++) {
            uint8_t gap = lasts(2, 0), width = lasts(2, 1);
            if (gap < gap_min) gap_min = gap;
            if (gap > gap_max) gap_max = gap;
            bytes[i / 8] = bytes[i / 8] << 1 | (width > 48);
            if (width > 48) { if (width < one_min) one_min = width; }
            else if (width > zero_max) zero_max = width;
        }
    uint8_t values[] = { waited, answer, ready, gap_min, gap_max, zero_max, one_min };
    say("TIMES");
    for (uint8_t i = 0; i < sizeof values; i++) { put(' '); say_number(values[i]); }
    say("\nBYTES");
    for (uint8_t i = 0; i < 5; i++) { put(' '); say_number(bytes[i]); }
    put('\n');
}

static uint8_t reset(void)
{
    low(3);
    _delay_us(480);
    let(3);
    _delay_us(70);
    uint8_t absent = level(3);
    _delay_us(410);
    return !absent;
}

static uint8_t slot(uint8_t bit)
{
    low(3);
    _delay_us(2);
    if (bit) let(3);
    _delay_us(10);
    bit = level(3);
    _delay_us(50);
    let(3);
    _delay_us(3);
    return bit;
}

static uint8_t byte(uint8_t out)
{
    uint8_t in = 0;
    for (uint8_t i = 0; i < 8; i++, out >>= 1) in = in >> 1 | (slot(out & 1) ? 0x80 : 0);
    return in;
}

static void thermometer(uint8_t bits)
{
    uint8_t pad[9], crc = 0, ms = 0;
    uint8_t present = reset();
    byte(0xCC);
    byte(0x4E);
    byte(0x7D);
    byte(0x80);
    byte((bits - 9) << 5 | 0x1F);
    reset();
    byte(0xCC);
    byte(0x44);
    TCCR1B = _BV(CS12) | _BV(CS10); /* 64 us */
    TCNT1 = 0;
    while (!slot(1) && TCNT1 < 14000) { }
    ms = TCNT1 / 125; /* of 8 ms */
    TCCR1B = _BV(CS11);
    reset();
    byte(0xCC);
    byte(0xBE);
    for (uint8_t i = 0; i < 9; i++) crc = _crc_ibutton_update(crc, pad[i] = byte(0xFF));
    say_value("PRESENT", present);
    say_value("EIGHTS", ms);
    say_value("CRC", crc);
    say_value("CONFIG", pad[4]);
    say_value("RAW", (uint16_t)(pad[1] << 8 | pad[0]));
}

int main(void)
{
    serial_start();
    TCCR1B = _BV(CS11);
    _delay_ms(20);
    hygrometer(10); /* too short */
    for (;;) {
        hygrometer(18);
        thermometer(12);
        thermometer(9);
    }
}
