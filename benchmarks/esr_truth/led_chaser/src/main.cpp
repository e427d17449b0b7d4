// A light that runs along six lamps, 40 ms each.
#include <Arduino.h>

void setup() {
  for (int pin = 2; pin <= 7; pin++) pinMode(pin, OUTPUT);
}

void loop() {
  for (int pin = 2; pin <= 7; pin++) {
    digitalWrite(pin, HIGH);
    delay(40);
    digitalWrite(pin, LOW);
  }
}
