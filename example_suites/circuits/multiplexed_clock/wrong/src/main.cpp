// Wrong: the segments of a digit are set while the digit before it is still on, so each
// number casts a shadow to its right.
#include <Arduino.h>

static const uint8_t FIRST_SEGMENT = 2;
static const uint8_t POINT = 13;
static const uint8_t FIRST_DIGIT = 9;
static const uint32_t DIGIT_MS = 2;
static const uint32_t SETTLED_MS = 15;
// A is the lowest bit.
static const uint8_t GLYPHS[] = {0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F};

struct Button {
    uint8_t pin;
    bool raw;
    bool pressed;
    uint32_t changed_ms;
};

static Button minutes_button = {A0, false, false, 0};
static Button seconds_button = {A1, false, false, 0};
static uint8_t minutes, seconds;
static uint32_t second_began_ms;
static uint8_t digit;

static bool is_press(Button &button, uint32_t now_ms)
{
    bool raw = digitalRead(button.pin) == LOW;

    if (raw != button.raw) {
        button.raw = raw;
        button.changed_ms = now_ms;
    }
    if (now_ms - button.changed_ms < SETTLED_MS || raw == button.pressed) {
        return false;
    }
    button.pressed = raw;
    return raw;
}

static void show_next_digit()
{
    uint8_t before = digit;

    digit = (digit + 1) % 4;
    uint8_t pair = digit < 2 ? minutes : seconds;
    uint8_t glyph = GLYPHS[digit % 2 ? pair % 10 : pair / 10];
    for (uint8_t i = 0; i < 7; i++) {
        digitalWrite(FIRST_SEGMENT + i, glyph >> i & 1);
    }
    digitalWrite(POINT, digit == 1);
    digitalWrite(FIRST_DIGIT + before, HIGH);
    digitalWrite(FIRST_DIGIT + digit, LOW);
}

static void count(uint32_t now_ms)
{
    if (now_ms - second_began_ms < 1000) {
        return;
    }
    second_began_ms += 1000;
    if (++seconds == 60) {
        seconds = 0;
        minutes = (minutes + 1) % 60;
    }
}

void setup()
{
    for (uint8_t i = 0; i < 4; i++) {
        digitalWrite(FIRST_DIGIT + i, HIGH);
        pinMode(FIRST_DIGIT + i, OUTPUT);
    }
    for (uint8_t i = 0; i < 7; i++) {
        pinMode(FIRST_SEGMENT + i, OUTPUT);
    }
    pinMode(POINT, OUTPUT);
    pinMode(minutes_button.pin, INPUT_PULLUP);
    pinMode(seconds_button.pin, INPUT_PULLUP);
    second_began_ms = millis();
}

void loop()
{
    uint32_t now_ms = millis();

    if (is_press(minutes_button, now_ms)) {
        minutes = (minutes + 1) % 60;
    }
    if (is_press(seconds_button, now_ms)) {
        seconds = (seconds + 10) % 60;
    }
    count(now_ms);
    show_next_digit();
    delay(DIGIT_MS);
}
