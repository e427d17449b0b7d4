// The reference: asks every 65 ms, and times beeps by themselves.
#include <Arduino.h>

static const uint8_t TRIG = 7;
static const uint8_t ECHO = 6;
static const uint8_t BUZZER = 8;
static const uint8_t GREEN = 3;
static const uint8_t YELLOW = 4;
static const uint8_t RED = 5;
static const uint32_t LONGEST_ECHO_US = 30000;
static const uint32_t US_PER_CM = 58;
static const uint8_t STOP_CM = 30;
static const uint8_t NEAR_CM = 100;
static const uint32_t ASK_MS = 65;
static const uint16_t BEEP_MS = 50;

enum Zone { UNKNOWN, FAR, NEAR, STOP };

static Zone zone = UNKNOWN;
static uint16_t far_cm;
static uint32_t asked_ms, beep_began_ms;
static bool is_beeping;

static void ask()
{
    digitalWrite(TRIG, HIGH);
    delayMicroseconds(12);
    digitalWrite(TRIG, LOW);
    uint32_t echo_us = pulseIn(ECHO, HIGH, LONGEST_ECHO_US);
    far_cm = echo_us ? echo_us / US_PER_CM : 400;
}

static void show(Zone now)
{
    if (now == zone) {
        return;
    }
    zone = now;
    digitalWrite(GREEN, zone == FAR);
    digitalWrite(YELLOW, zone == NEAR);
    digitalWrite(RED, zone == STOP);
    is_beeping = false;
    beep_began_ms = millis() - 1000;
    if (zone == STOP) {
        tone(BUZZER, 2000);
    } else {
        noTone(BUZZER);
    }
}

static void beep()
{
    uint32_t since_ms = millis() - beep_began_ms;

    if (is_beeping && since_ms >= BEEP_MS) {
        noTone(BUZZER);
        is_beeping = false;
    }
    if (!is_beeping && since_ms >= 100 + 5u * (far_cm - STOP_CM)) {
        beep_began_ms = millis();
        tone(BUZZER, 1000);
        is_beeping = true;
    }
}

void setup()
{
    pinMode(TRIG, OUTPUT);
    pinMode(ECHO, INPUT);
    pinMode(BUZZER, OUTPUT);
    pinMode(GREEN, OUTPUT);
    pinMode(YELLOW, OUTPUT);
    pinMode(RED, OUTPUT);
}

void loop()
{
    if (zone == UNKNOWN || millis() - asked_ms >= ASK_MS) {
        asked_ms = millis();
        ask();
        show(far_cm < STOP_CM ? STOP : far_cm < NEAR_CM ? NEAR : FAR);
    }
    if (zone == NEAR) {
        beep();
    }
}
