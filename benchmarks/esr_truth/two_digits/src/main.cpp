// Percent of a knob on two digits that take turns.
#include <Arduino.h>

const uint8_t SEGMENT[7] = {4, 5, 6, 7, 8, 9, 10};
const uint8_t DIGIT[2] = {A0, A1};
const uint8_t SHAPE[] = {0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F};
#define LEVEL A5

void setup() {
  for (uint8_t pin : SEGMENT) pinMode(pin, OUTPUT);
  for (uint8_t pin : DIGIT) {
    pinMode(pin, OUTPUT);
    digitalWrite(pin, HIGH);
  }
}

void loop() {
  int percent = min(99, int(analogRead(LEVEL) * 100L / 1024));
  for (uint8_t place = 0; place < 2; place++) {
    uint8_t shape = SHAPE[place ? percent % 10 : percent / 10];
    for (uint8_t i = 0; i < 7; i++) digitalWrite(SEGMENT[i], shape >> i & 1);
    digitalWrite(DIGIT[place], LOW);
    delay(4);
    digitalWrite(DIGIT[place], HIGH);
  }
}
