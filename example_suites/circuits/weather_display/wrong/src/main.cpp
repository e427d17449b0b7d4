// Wrong: the sensor tells a sign and a size, and here they are taken for a complement of two.
#include <Arduino.h>
#include <Wire.h>

static const uint8_t SENSOR = 2;
static const uint8_t DISPLAY_ADDRESS = 0x27;
static const uint8_t RS = 1;
static const uint8_t ENABLE = 4;
static const uint8_t BACKLIGHT = 8;
static const uint32_t FIRST_ASKED_MS = 1100;
static const uint32_t ASK_MS = 2050;
static const uint16_t LONGEST_US = 200;

struct Reading {
    bool is_valid;
    int16_t tenths_c;
    uint16_t tenths_pct;
};

// ------------------------------------------------------------------------- display
static void put(uint8_t value)
{
    Wire.beginTransmission(DISPLAY_ADDRESS);
    Wire.write(value | BACKLIGHT | ENABLE);
    Wire.write((value | BACKLIGHT) & ~ENABLE);
    Wire.endTransmission();
}

static void send(uint8_t value, uint8_t rs)
{
    put((value & 0xF0) | rs);
    put((value << 4 & 0xF0) | rs);
}

static void begin_display()
{
    Wire.begin();
    delay(50);
    for (uint8_t i = 0; i < 3; i++) {
        put(0x30);
        delay(5);
    }
    put(0x20);
    send(0x28, 0); // 4 bits, two rows
    send(0x0C, 0); // on, without a cursor
    send(0x06, 0);
    send(0x01, 0);
    delay(2);
}

static void show(uint8_t row, const char *text)
{
    send(0x80 | row * 0x40, 0);
    for (uint8_t i = 0; i < 16; i++) {
        send(*text ? *text++ : ' ', RS);
    }
}

// -------------------------------------------------------------------------- sensor
static bool wait_for(uint8_t level, uint32_t &lasts_us)
{
    uint32_t begin_us = micros();

    while (digitalRead(SENSOR) != level) {
        if (micros() - begin_us > LONGEST_US) {
            return false;
        }
    }
    lasts_us = micros() - begin_us;
    return true;
}

static Reading read_sensor()
{
    Reading reading = {false, 0, 0};
    uint8_t data[5] = {0};
    uint32_t low_us, high_us;

    pinMode(SENSOR, OUTPUT);
    digitalWrite(SENSOR, LOW);
    delay(2);
    pinMode(SENSOR, INPUT);
    if (!wait_for(HIGH, high_us) || !wait_for(LOW, high_us) || !wait_for(HIGH, low_us) ||
        !wait_for(LOW, high_us)) {
        return reading;
    }
    for (uint8_t i = 0; i < 40; i++) {
        if (!wait_for(HIGH, low_us) || !wait_for(LOW, high_us)) {
            return reading;
        }
        data[i / 8] = data[i / 8] << 1 | (high_us > 48);
    }
    if ((uint8_t)(data[0] + data[1] + data[2] + data[3]) != data[4]) {
        return reading;
    }
    reading.is_valid = true;
    reading.tenths_pct = data[0] << 8 | data[1];
    reading.tenths_c = (int16_t)(data[2] << 8 | data[3]);
    return reading;
}

static void show_reading(const Reading &reading)
{
    char row[17];

    if (!reading.is_valid) {
        show(0, "SENSOR ERROR");
        show(1, "");
        return;
    }
    const char *sign = reading.tenths_c < 0 ? "-" : "";
    uint16_t tenths = abs(reading.tenths_c);
    snprintf(row, sizeof row, "T: %s%u.%u C", sign, tenths / 10, tenths % 10);
    show(0, row);
    tenths = reading.tenths_pct;
    snprintf(row, sizeof row, "H: %u.%u %%", tenths / 10, tenths % 10);
    show(1, row);
}

static uint32_t asked_ms;

void setup()
{
    begin_display();
    asked_ms = FIRST_ASKED_MS - ASK_MS;
}

void loop()
{
    if (millis() - asked_ms < ASK_MS) {
        delay(1);
        return;
    }
    asked_ms += ASK_MS;
    show_reading(read_sensor());
}
