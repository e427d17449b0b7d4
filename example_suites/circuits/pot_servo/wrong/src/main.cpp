// Wrong: the band is round the reading before, not round the one that was taken last, so a
// knob that creeps is never followed.
#include <Arduino.h>
#include <avr/sleep.h>

static const uint8_t SERVO = 9;
static const uint8_t KNOB = A0;
// Timer 1 counts half microseconds.
static const uint16_t PERIOD = 40000;
static const uint16_t SHORTEST = 2 * 544;
static const uint16_t LONGEST = 2 * 2400;
// 8 degrees in a period.
static const uint16_t STEP = (LONGEST - SHORTEST) / 180 * 8;
static const int16_t BAND = 15;
static const int16_t END = 6;
static const int16_t HIGHEST = 1023;

static int16_t taken;
static int16_t before;
static uint16_t width;
static volatile bool has_begun;

static uint16_t width_of(int16_t reading)
{
    return SHORTEST + (uint32_t)reading * (LONGEST - SHORTEST) / HIGHEST;
}

static void take(int16_t reading)
{
    if (reading <= END) {
        taken = 0;
    } else if (reading >= HIGHEST - END) {
        taken = HIGHEST;
    } else if (abs(reading - before) > BAND) {
        taken = reading;
    }
    before = reading;
}

static void step()
{
    uint16_t due = width_of(taken);

    if (due > width) {
        width += min(STEP, due - width);
    } else {
        width -= min(STEP, width - due);
    }
    OCR1A = width;
}

// A pulse begins.
ISR(TIMER1_OVF_vect)
{
    has_begun = true;
}

void setup()
{
    taken = analogRead(KNOB);
    take(taken);
    width = width_of(taken);
    TCCR1A = _BV(COM1A1) | _BV(WGM11);
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);
    ICR1 = PERIOD - 1;
    OCR1A = width;
    TIMSK1 = _BV(TOIE1);
    pinMode(SERVO, OUTPUT);
}

void loop()
{
    if (!has_begun) {
        sleep_mode(); // until the next interrupt
        return;
    }
    has_begun = false;
    take(analogRead(KNOB));
    step();
}
