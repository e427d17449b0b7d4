// The darker it is, the brighter the lamp; while the button is down it stays as it was.
#include <Arduino.h>

static constexpr int EYE = A3, LAMP = 6, HOLD = 12;

void setup() {
  pinMode(LAMP, OUTPUT);
  pinMode(HOLD, INPUT_PULLUP);
}

void loop() {
  if (digitalRead(HOLD) == HIGH) analogWrite(LAMP, analogRead(EYE) / 4);
  delay(5);
}
