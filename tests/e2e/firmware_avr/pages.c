/* MPU-6050 (address 69h) and SSD1306 (3Ch) on TWI at 400 kHz. */
#include "serial.h"
#include <util/delay.h>
#include <util/twi.h>

#define MPU 0x69
#define OLED 0x3C

static uint8_t step(uint8_t bits)
{
    TWCR = _BV(TWINT) | _BV(TWEN) | bits;
    while (!(TWCR & _BV(TWINT))) { }
    return TW_STATUS;
}

static uint8_t begin(uint8_t address)
{
    step(_BV(TWSTA));
    TWDR = address;
    return step(0);
}

static uint8_t send(uint8_t byte) { TWDR = byte; return step(0); }
static void end(void) { TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTO); _delay_us(10); }

static void set(uint8_t reg, uint8_t value)
{
    begin(MPU << 1);
    send(reg);
    send(value);
    end();
}

static void get(uint8_t reg, uint8_t *bytes, uint8_t n)
{
    begin(MPU << 1);
    send(reg);
    begin(MPU << 1 | 1);
    while (n--) {
        step(n ? _BV(TWEA) : 0);
        *bytes++ = TWDR;
    }
    end();
}

static void say_sensors(const char *name)
{
    uint8_t bytes[14];
    get(0x3B, bytes, 14);
    say(name);
    for (uint8_t i = 0; i < 14; i += 2) {
        put(' ');
        say_number((uint16_t)(bytes[i] << 8 | bytes[i + 1]));
    }
    put('\n');
}

static void show(const uint8_t *commands, uint8_t n)
{
    begin(OLED << 1);
    send(0x00);
    while (n--) send(*commands++);
    end();
}

static const uint8_t start[] = {
    0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0xD3, 0x00, 0x40, 0x8D, 0x14, 0x20, 0x00, 0xA1, 0xC8,
    0xDA, 0x12, 0x81, 0xCF, 0xD9, 0xF1, 0xDB, 0x40, 0xA4, 0xA6, 0x21, 0, 127, 0x22, 0, 7,
};
static const uint8_t box[] = { 0x21, 10, 12, 0x22, 3, 4, 0xAF };
static const uint8_t inverse[] = { 0xA7 };
static const uint8_t last[] = { 0xA6, 0x45 }; /* the line that is the first is 5 */
static const uint8_t off[] = { 0xAE };

int main(void)
{
    uint8_t who[2];
    serial_start();
    TWBR = 12; /* 16 MHz / (16 + 2 * 12) */
    say_value("NOBODY", begin(0x68 << 1));
    end();
    get(0x75, who, 1);
    get(0x6B, who + 1, 1);
    say_value("WHO", who[0]);
    say_value("POWER", who[1]);
    say_sensors("ASLEEP");
    set(0x6B, 0);

    show(start, sizeof start);
    for (uint8_t part = 0; part < 64; part++) {
        begin(OLED << 1);
        send(0x40);
        for (uint8_t i = 0; i < 16; i++) send(0);
        end();
    }
    show(box, sizeof box);
    begin(OLED << 1);
    send(0x40);
    for (uint8_t i = 0; i < 6; i++) send(0x81 | i << 1);
    end();
    say("BOX\n");
    _delay_ms(30);
    show(inverse, sizeof inverse);
    say("INVERSE\n");
    _delay_ms(30);
    show(last, sizeof last);
    _delay_ms(30);
    show(off, sizeof off);
    say("OFF\n");
    for (;;) {
        set(0x1B, 0);
        set(0x1C, 0);
        _delay_ms(5);
        say_sensors("FINE");
        set(0x1B, 3 << 3);
        set(0x1C, 3 << 3);
        _delay_ms(5);
        say_sensors("COARSE");
    }
}
