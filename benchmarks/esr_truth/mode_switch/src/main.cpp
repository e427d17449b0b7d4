// A switch says which of two lamps blinks: by day fast, by night slowly.
#include <Arduino.h>

const int modePin = 7;
const int dayPin = 5;
const int nightPin = 6;

void setup() {
  pinMode(modePin, INPUT);
  pinMode(dayPin, OUTPUT);
  pinMode(nightPin, OUTPUT);
}

void loop() {
  bool isDay = digitalRead(modePin);
  digitalWrite(dayPin, isDay && millis() % 60 < 30);
  digitalWrite(nightPin, !isDay && millis() % 200 < 20);
}
