// Two keys make a lamp brighter and darker, in five steps.
#include <Arduino.h>

constexpr byte UP_KEY{2}, DOWN_KEY{7}, LAMP{5};

byte step = 0;

bool pressed(byte key) {
  if (digitalRead(key)) return false;
  delay(20);
  while (!digitalRead(key)) {
  }
  delay(20);
  return true;
}

void setup() {
  pinMode(UP_KEY, INPUT_PULLUP);
  pinMode(DOWN_KEY, INPUT_PULLUP);
  pinMode(LAMP, OUTPUT);
}

void loop() {
  if (pressed(UP_KEY) && step < 5) step++;
  if (pressed(DOWN_KEY) && step > 0) step--;
  analogWrite(LAMP, step * 51);
}
