// Ten lights on pins in a row show where a knob stands.
#include <Arduino.h>

const int FIRST_LED = 3;
const int LED_COUNT = 10;
const int LEVEL_PIN = A0;

void setup() {
  for (int i = 0; i < LED_COUNT; i++) pinMode(FIRST_LED + i, OUTPUT);
}

void loop() {
  int lit = map(analogRead(LEVEL_PIN), 0, 1023, 0, LED_COUNT);
  for (int i = 0; i < LED_COUNT; i++) digitalWrite(FIRST_LED + i, i < lit);
  delay(10);
}
