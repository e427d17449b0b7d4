/* What people do with parts, each by a letter that comes over the UART at first. */
#include <Arduino.h>
#include <SPI.h>
#include <Wire.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#ifdef __AVR_ATmega2560__
#define DATA 51
#define CLOCK 52
#define PIXEL_PORT PORTB
#define PIXEL_BIT 7 /* D13 */
#else
#define DATA 11
#define CLOCK 13
#define PIXEL_PORT PORTB
#define PIXEL_BIT 0 /* D8 */
#endif
#define LATCH 10

static char mode;
static volatile unsigned int count;

static void counted(void) { count++; }
ISR(PCINT2_vect) {}

static void say(const char *name, long value)
{
    Serial.print(name);
    Serial.print(' ');
    Serial.println(value);
}

/* 800 kHz at 16 MHz: a bit is 20 clocks, high for 6 or 12 of them (WS2812B). */
static void pixel_byte(byte value)
{
    for (byte bit = 8; bit; bit--) {
        if (value & 0x80) {
            PIXEL_PORT |= _BV(PIXEL_BIT);
            __builtin_avr_nops(10);
            PIXEL_PORT &= ~_BV(PIXEL_BIT);
            __builtin_avr_nops(2);
        } else {
            PIXEL_PORT |= _BV(PIXEL_BIT);
            __builtin_avr_nops(4);
            PIXEL_PORT &= ~_BV(PIXEL_BIT);
            __builtin_avr_nops(8);
        }
        value <<= 1;
    }
}

static long dht_reading(byte pin)
{
    byte data[5] = {0};
    pinMode(pin, OUTPUT);
    digitalWrite(pin, LOW);
    delay(2);
    pinMode(pin, INPUT_PULLUP);
    if (!pulseIn(pin, HIGH, 1000)) return -1; /* 80 us: it is there */
    for (byte i = 0; i < 40; i++) {
        unsigned long high_us = pulseIn(pin, HIGH, 1000);
        if (!high_us) return -2;
        data[i / 8] = data[i / 8] << 1 | (high_us > 48);
    }
    if ((byte)(data[0] + data[1] + data[2] + data[3]) != data[4]) return -3;
    return (data[0] << 8 | data[1]) * 10000L + (data[2] << 8 | data[3]);
}

/* I2C by software, on any two pins that are pulled up. */
static byte soft_sda, soft_scl;
static void line(byte pin, bool high) { pinMode(pin, high ? INPUT : OUTPUT); }
static void soft_start(void)
{
    line(soft_sda, true), line(soft_scl, true);
    line(soft_sda, false), line(soft_scl, false);
}
static void soft_stop(void)
{
    line(soft_sda, false), line(soft_scl, true), line(soft_sda, true);
}
static bool soft_write(byte value)
{
    for (byte bit = 0; bit < 8; bit++, value <<= 1) {
        line(soft_sda, value & 0x80);
        line(soft_scl, true), line(soft_scl, false);
    }
    line(soft_sda, true), line(soft_scl, true);
    bool acknowledged = digitalRead(soft_sda) == LOW;
    line(soft_scl, false);
    return acknowledged;
}
static byte soft_read(void)
{
    byte value = 0;
    for (byte bit = 0; bit < 8; bit++) {
        line(soft_scl, true);
        value = value << 1 | (digitalRead(soft_sda) == HIGH);
        line(soft_scl, false);
    }
    line(soft_scl, true), line(soft_scl, false); /* no more of it */
    return value;
}

static void sleep_until_pin_change(void)
{
    PCMSK2 = _BV(PCINT18); /* D2 */
    PCIFR = _BV(PCIF2);
    PCICR = _BV(PCIE2);
    set_sleep_mode(SLEEP_MODE_PWR_DOWN);
    sleep_enable();
    sleep_cpu();
    sleep_disable();
}

void setup()
{
    Serial.begin(115200);
    Serial.println("ready");
    while (!Serial.available()) {}
    mode = Serial.read();
    switch (mode) {
    case 'b': /* a button switches a light */
        pinMode(2, INPUT_PULLUP);
        pinMode(13, OUTPUT);
        break;
    case 'i': /* and one counts by interrupt */
        pinMode(2, INPUT_PULLUP);
        attachInterrupt(digitalPinToInterrupt(2), counted, FALLING);
        break;
    case 'w': /* brightness */
        analogWrite(9, 64);
        delay(100);
        analogWrite(9, 192);
        delay(100);
        digitalWrite(9, HIGH);
        delay(100);
        pinMode(9, INPUT);
        break;
    case 'j': /* a jumper from 9 to 2 */
        pinMode(2, INPUT);
        analogWrite(9, 64);
        say("high_us", pulseIn(2, HIGH, 10000));
        say("low_us", pulseIn(2, LOW, 10000));
        attachInterrupt(digitalPinToInterrupt(2), counted, RISING);
        count = 0;
        delay(100);
        say("rises", count);
        digitalWrite(9, LOW);
        say("level", digitalRead(2));
        digitalWrite(9, HIGH);
        say("level", digitalRead(2));
        break;
    case 's': /* pulses of a servo */
        pinMode(9, OUTPUT);
        for (byte i = 0; i < 20; i++) {
            digitalWrite(9, HIGH);
            delayMicroseconds(1472);
            digitalWrite(9, LOW);
            delay(18);
        }
        break;
    case 'u': /* HC-SR04 */
        pinMode(7, OUTPUT);
        digitalWrite(7, HIGH);
        delayMicroseconds(10);
        digitalWrite(7, LOW);
        say("echo_us", pulseIn(6, HIGH, 30000));
        break;
    case 'd':
        delay(10);
        say("dht", dht_reading(4));
        break;
    case 'r': /* 74HC595 by shiftOut */
    case 'R': /* and by SPI */
    case 'Q': /* and by turns */
        pinMode(LATCH, OUTPUT);
        if (mode != 'r') {
            SPI.begin();
            SPI.transfer(0xA5);
            digitalWrite(LATCH, HIGH), digitalWrite(LATCH, LOW);
        }
        if (mode == 'Q') SPI.end();
        if (mode != 'R') {
            pinMode(DATA, OUTPUT), pinMode(CLOCK, OUTPUT);
            shiftOut(DATA, CLOCK, MSBFIRST, 0x2C);
            digitalWrite(LATCH, HIGH), digitalWrite(LATCH, LOW);
        }
        Serial.println("shifted");
        break;
    case 'm': /* MAX7219: four rows of 8 x 8 */
        SPI.begin();
        pinMode(LATCH, OUTPUT);
        for (byte row = 0; row < 11; row++) {
            static const byte registers[] = {0x0C, 0x0F, 0x09, 0x0B, 0x0A};
            static const byte values[] = {1, 0, 0, 7, 8};
            digitalWrite(LATCH, LOW);
            SPI.transfer(row < 5 ? registers[row] : row - 4);
            SPI.transfer(row < 5 ? values[row] : 1 << (row - 5));
            digitalWrite(LATCH, HIGH);
        }
        Serial.println("sent");
        break;
    case 'o': /* DS1307 by Wire */
    case 'O': /* and by software */
        soft_sda = 8, soft_scl = 7;
        if (mode == 'o') {
            Wire.begin();
            Wire.beginTransmission(0x68);
            Wire.write(0x08);
            Wire.write(0x5A);
            say("error", Wire.endTransmission());
            Wire.beginTransmission(0x68);
            Wire.write(0x08);
            Wire.endTransmission(false);
            Wire.requestFrom(0x68, 1);
            say("ram", Wire.read());
            Wire.beginTransmission(0x31);
            say("error", Wire.endTransmission());
        } else {
            bool acknowledged = (soft_start(), soft_write(0xD0));
            soft_write(0x08), soft_write(0x5A), soft_stop();
            say("error", acknowledged ? 0 : 2);
            soft_start(), soft_write(0xD0), soft_write(0x08);
            soft_start(), soft_write(0xD1);
            say("ram", soft_read());
            soft_stop(), soft_start();
            say("error", soft_write(0x62) ? 0 : 2);
            soft_stop();
        }
        break;
    case '7': /* "2" on A to G, whole ports at once, cathodes at ground */
        DDRD |= 0xFC, DDRB |= 1;
        PORTD = PORTD & 3 | 0x5B << 2, PORTB = 0x5B >> 6 & 1;
        break;
    case 'p':
        pinMode(PIXEL_BIT == 7 ? 13 : 8, OUTPUT);
        delay(1);
        noInterrupts();
        for (byte i = 0; i < 4; i++) {
            pixel_byte(10 + i), pixel_byte(0x80), pixel_byte(255 - i);
        }
        interrupts();
        Serial.println("shown");
        break;
    case 'k': /* keypad: rows 9 to 6, columns 5 to 2 */
        for (byte pin = 2; pin < 6; pin++) pinMode(pin, INPUT_PULLUP);
        break;
    case 'z':
        pinMode(2, INPUT_PULLUP);
        pinMode(13, OUTPUT);
        break;
    case 'x': /* a restart by watchdog */
        pinMode(13, OUTPUT);
        digitalWrite(13, HIGH);
        wdt_enable(WDTO_15MS);
        for (;;) {}
    case 'c': /* a crash */
        delay(20);
        asm volatile(".word 0xFFFF");
        break;
    case 'f': /* fights with a button to ground */
        pinMode(2, OUTPUT);
        digitalWrite(2, HIGH);
        break;
    }
}

void loop()
{
    static const char keys[] = "123A456B789C*0#D";
    switch (mode) {
    case 'b':
        digitalWrite(13, digitalRead(2) == LOW);
        break;
    case 'i':
        say("count", count);
        delay(50);
        break;
    case 'a':
        say("adc", analogRead(A0));
        delay(10);
        break;
    case 'k':
        for (byte row = 0; row < 4; row++) {
            pinMode(9 - row, OUTPUT);
            digitalWrite(9 - row, LOW);
            for (byte column = 0; column < 4; column++) {
                if (digitalRead(5 - column) == LOW) {
                    Serial.println(keys[4 * row + column]);
                    while (digitalRead(5 - column) == LOW) {}
                    delay(20);
                }
            }
            pinMode(9 - row, INPUT);
        }
        break;
    case 'z':
        Serial.println("asleep");
        Serial.flush();
        sleep_until_pin_change();
        digitalWrite(13, !digitalRead(13));
        delay(20);
        break;
    case 't': /* talks without a pause, and blinks */
        pinMode(13, OUTPUT);
        digitalWrite(13, millis() >> 4 & 1);
        Serial.println(millis());
        break;
    }
}
