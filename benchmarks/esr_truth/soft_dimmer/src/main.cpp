// A dimmer for a pin without PWM: the program itself makes the pulses.
#include <Arduino.h>

static const uint8_t LEVEL_PIN = A4, LAMP_PIN = 4;

void setup() { pinMode(LAMP_PIN, OUTPUT); }

void loop() {
  unsigned on_us = analogRead(LEVEL_PIN) * 2;
  if (on_us > 20) digitalWrite(LAMP_PIN, HIGH);
  delayMicroseconds(on_us + 1);
  digitalWrite(LAMP_PIN, LOW);
  delayMicroseconds(2047 - on_us);
}
