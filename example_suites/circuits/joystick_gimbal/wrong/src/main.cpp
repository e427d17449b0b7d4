// The mistake: the limits of pan are taken for tilt too, so the camera hits its frame.
#include <Arduino.h>

const uint8_t PAN = 9, TILT = 10;  // the two outputs of timer 1
const uint8_t BUTTON = 2;
const int MIDDLE = 512, DEAD = 25;  // counts of the ADC
const float FASTEST_DEG = 3.6;      // a period, of which there are 50 in a second
const float PAN_LIMITS_DEG[2] = {0, 180};

static float pan_deg = 90, tilt_deg = 90;
// Ticks of 0.5 us: 544 us are 0 degrees, 2400 us are 180.
static uint16_t pulse(float deg) { return lround((544 + deg * 1856 / 180) * 2); }

static float moved(float deg, int reading, const float limits_deg[2]) {
  int off = reading - MIDDLE;
  if (abs(off) <= DEAD) return deg;
  float share = (off > 0 ? off - DEAD : off + DEAD) / float(511 - DEAD);
  deg += constrain(share, -1, 1) * FASTEST_DEG;
  return constrain(deg, limits_deg[0], limits_deg[1]);
}

static volatile uint16_t pan_ticks, tilt_ticks;
static volatile bool has_begun = false;  // a period of the pulses

ISR(TIMER1_OVF_vect) {
  OCR1A = pan_ticks - 1;
  OCR1B = tilt_ticks - 1;
  has_begun = true;
}

static void point() {
  noInterrupts();
  pan_ticks = pulse(pan_deg);
  tilt_ticks = pulse(tilt_deg);
  interrupts();
}

void setup() {
  pinMode(BUTTON, INPUT_PULLUP);
  pinMode(PAN, OUTPUT);
  pinMode(TILT, OUTPUT);
  // Fast PWM up to ICR1, 2 MHz: a period of 20 ms.
  ICR1 = 39999;
  point();
  OCR1A = pan_ticks - 1;
  OCR1B = tilt_ticks - 1;
  TCNT1 = 0;
  TIMSK1 = _BV(TOIE1);
  TCCR1A = _BV(COM1A1) | _BV(COM1B1) | _BV(WGM11);
  TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);
}

void loop() {
  if (!has_begun) return;
  has_begun = false;
  if (digitalRead(BUTTON) == LOW) {
    pan_deg = tilt_deg = 90;
  } else {
    pan_deg = moved(pan_deg, analogRead(A0), PAN_LIMITS_DEG);
    tilt_deg = moved(tilt_deg, analogRead(A1), PAN_LIMITS_DEG);
  }
  point();
}
