// A lamp that a knob dims, and a horn that sounds all the time: tone() takes timer 2.
#include <Arduino.h>

const int LEVEL = A0;
const int LAMP = 9;
const int HORN = 8;

void setup() {
  pinMode(LAMP, OUTPUT);
  tone(HORN, 440);
}

void loop() {
  analogWrite(LAMP, analogRead(LEVEL) / 4);
  delay(10);
}
