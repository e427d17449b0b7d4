/* Finds all DS18B20 on D2, lets them measure, and says what each has, twice. */
#include "serial.h"
#include <avr/interrupt.h>
#include <util/delay.h>

static void pull(void) { DDRD |= _BV(2); }
static void let_go(void) { DDRD &= ~_BV(2); }
static uint8_t line(void) { return PIND >> 2 & 1; }

static uint8_t reset(void)
{
    pull();
    _delay_us(480);
    let_go();
    _delay_us(70);
    uint8_t is_there = !line();
    _delay_us(410);
    return is_there;
}

static void write_bit(uint8_t bit)
{
    pull();
    if (bit) _delay_us(6); else _delay_us(60);
    let_go();
    if (bit) _delay_us(64); else _delay_us(10);
}

static uint8_t read_bit(void)
{
    pull();
    _delay_us(6);
    let_go();
    _delay_us(9);
    uint8_t bit = line();
    _delay_us(55);
    return bit;
}

static void write(uint8_t byte)
{
    for (uint8_t i = 0; i < 8; i++) write_bit(byte >> i & 1);
}

static uint8_t read(void)
{
    uint8_t byte = 0;
    for (uint8_t i = 0; i < 8; i++) byte |= read_bit() << i;
    return byte;
}

/* The next address after that in `id`; `fork` is the last bit that had a choice. */
static int8_t search(uint8_t *id, int8_t fork)
{
    int8_t last = -1;
    if (!reset()) return -2;
    write(0xF0);
    for (int8_t i = 0; i < 64; i++) {
        uint8_t one = read_bit(), other = read_bit(), bit = one;
        if (one && other) return -2;
        if (!one && !other) {
            bit = i < fork ? id[i / 8] >> i % 8 & 1 : i == fork;
            if (!bit) last = i;
        }
        id[i / 8] = (id[i / 8] & ~_BV(i % 8)) | bit << i % 8;
        write_bit(bit);
    }
    return last;
}

static void say_temperature(const uint8_t *id)
{
    reset();
    write(0x55);
    for (uint8_t i = 0; i < 8; i++) write(id[i]);
    write(0xBE);
    uint8_t low = read(), high = read();
    say_value("SIXTEENTHS", (uint16_t)(low | high << 8));
}

int main(void)
{
    uint8_t ids[4][8] = { { 0 } }, count = 0;
    int8_t fork = -1;
    serial_start();
    do {
        if (count)
            for (uint8_t i = 0; i < 8; i++) ids[count][i] = ids[count - 1][i];
        fork = search(ids[count], fork);
        if (fork < -1) break;
        count++;
    } while (fork >= 0 && count < 4);
    say_value("FOUND", count);
    for (uint8_t turn = 0; turn < 2; turn++) {
        for (uint8_t i = 0; i < count; i++) say_temperature(ids[i]);
        reset();
        write(0xCC);
        write(0x44);
        uint16_t ms = 0;
        for (; !read_bit(); ms++) _delay_us(930);
        say_value("MEASURED_MS", ms);
    }
    for (;;) { }
}
