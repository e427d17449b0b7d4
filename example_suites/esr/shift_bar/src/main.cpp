// A bar of eight lights behind a shift register shows where a knob stands.
#include <Arduino.h>

namespace pins {
const uint8_t data = 4;
const uint8_t clock = 2;
const uint8_t latch = 3;
const uint8_t level = A5;
}

void setup() {
  pinMode(pins::data, OUTPUT);
  pinMode(pins::clock, OUTPUT);
  pinMode(pins::latch, OUTPUT);
}

void loop() {
  uint8_t lit = analogRead(pins::level) * 9L / 1024;
  digitalWrite(pins::latch, LOW);
  shiftOut(pins::data, pins::clock, LSBFIRST, 0xFF << (8 - lit));
  digitalWrite(pins::latch, HIGH);
  delay(15);
}
