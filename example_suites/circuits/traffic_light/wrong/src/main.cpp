// Wrong: every falling edge is a press, so contacts that bounce as they open are one more.
#include <Arduino.h>

enum Lamp { CAR_RED = 1, CAR_YELLOW = 2, CAR_GREEN = 4, WALK_RED = 8, WALK_GREEN = 16 };

struct Phase {
    uint8_t lamps;
    uint16_t lasts_ms;
};

static const uint8_t PINS[] = {10, 9, 8, 12, 11};
static const uint8_t WAIT = 7;
static const uint8_t BUTTON = 2;
static const Phase PHASES[] = {
    {CAR_GREEN | WALK_RED, 1000},
    {CAR_YELLOW | WALK_RED, 500},
    {CAR_RED | WALK_RED, 300},
    {CAR_RED | WALK_GREEN, 1500},
    {CAR_RED | WALK_RED, 500},
    {CAR_RED | CAR_YELLOW | WALK_RED, 300},
};
static const uint8_t CARS_GO = 0;
static const uint8_t WALK = 3;

static volatile bool requested;
static volatile uint8_t phase;
static uint32_t phase_began_ms;

static void on_button()
{
    if (phase != WALK) {
        requested = true;
        digitalWrite(WAIT, HIGH);
    }
}

static void show()
{
    for (uint8_t i = 0; i < sizeof PINS; i++) {
        if (!(PHASES[phase].lamps >> i & 1)) {
            digitalWrite(PINS[i], LOW);
        }
    }
    for (uint8_t i = 0; i < sizeof PINS; i++) {
        if (PHASES[phase].lamps >> i & 1) {
            digitalWrite(PINS[i], HIGH);
        }
    }
}

void setup()
{
    for (uint8_t i = 0; i < sizeof PINS; i++) {
        pinMode(PINS[i], OUTPUT);
    }
    pinMode(WAIT, OUTPUT);
    pinMode(BUTTON, INPUT_PULLUP);
    show();
    phase_began_ms = millis();
    attachInterrupt(digitalPinToInterrupt(BUTTON), on_button, FALLING);
}

void loop()
{
    delay(1); // nobody sees it
    if (millis() - phase_began_ms < PHASES[phase].lasts_ms) {
        return;
    }
    if (phase == CARS_GO && !requested) {
        return;
    }
    phase_began_ms = millis();
    noInterrupts();
    phase = (phase + 1) % (sizeof PHASES / sizeof PHASES[0]);
    if (phase == WALK) {
        requested = false;
        digitalWrite(WAIT, LOW);
    }
    show();
    interrupts();
}
