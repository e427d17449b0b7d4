/* Shows 12:34 on TM1637, CLK at D2 and DIO at D3, both pulled up by the module. */
#include "serial.h"
#include <util/delay.h>

#define CLK 2
#define DIO 3

static void high(uint8_t pin) { DDRD &= ~_BV(pin); _delay_us(50); }
static void low(uint8_t pin) { DDRD |= _BV(pin); _delay_us(50); }
static uint8_t silent;

static void write(uint8_t byte)
{
    for (uint8_t i = 0; i < 8; i++, byte >>= 1) {
        low(CLK);
        if (byte & 1) high(DIO); else low(DIO);
        high(CLK);
    }
    low(CLK);
    high(DIO);
    silent += PIND >> DIO & 1;
    high(CLK);
    low(CLK);
}

static void begin(void) { low(DIO); }
static void end(void) { low(DIO); high(CLK); high(DIO); }

int main(void)
{
    static const uint8_t digits[] = { 0x06, 0x5B | 0x80, 0x4F, 0x66 };
    serial_start();
    begin();
    write(0x40);
    end();
    begin();
    write(0xC0);
    for (uint8_t i = 0; i < 4; i++) write(digits[i]);
    end();
    begin();
    write(0x8A);
    end();
    say_value("SILENT", silent);
    for (;;) { }
}
