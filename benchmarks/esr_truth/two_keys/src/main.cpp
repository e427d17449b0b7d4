// The left key lights a lamp, the right one makes another blink.
#include <Arduino.h>

#define LEFT 3
#define RIGHT 4
#define STEADY 9
#define PULSING 8

void setup() {
  pinMode(LEFT, INPUT_PULLUP);
  pinMode(RIGHT, INPUT_PULLUP);
  pinMode(STEADY, OUTPUT);
  pinMode(PULSING, OUTPUT);
}

void loop() {
  digitalWrite(STEADY, !digitalRead(LEFT));
  digitalWrite(PULSING, !digitalRead(RIGHT) && millis() / 50 % 2);
}
