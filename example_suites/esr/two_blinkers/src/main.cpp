// Two lamps, each with a beat of its own.
#include <Arduino.h>

#define SLOW_LED 7
#define QUICK_LED 12

void setup() {
  pinMode(SLOW_LED, OUTPUT);
  pinMode(QUICK_LED, OUTPUT);
}

void loop() {
  digitalWrite(SLOW_LED, millis() % 400 < 300);
  digitalWrite(QUICK_LED, millis() % 100 < 50);
}
