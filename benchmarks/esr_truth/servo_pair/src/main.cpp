// Two servos, two knobs, and pulses one after the other.
#include <Arduino.h>

const byte SERVO[] = {10, 12};
const byte KNOB[] = {A0, A1};

void setup() {
  for (byte pin : SERVO) pinMode(pin, OUTPUT);
}

void loop() {
  for (byte i = 0; i < 2; i++) {
    unsigned width_us = 544 + analogRead(KNOB[i]) * 1856L / 1023;
    digitalWrite(SERVO[i], HIGH);
    delayMicroseconds(width_us);
    digitalWrite(SERVO[i], LOW);
  }
  delay(15);
}
