// Three lamps flash for different times, each by a call with its pin in it.
#include <Arduino.h>

void flash(uint8_t pin, unsigned int lit_ms) {
  digitalWrite(pin, HIGH);
  delay(lit_ms);
  digitalWrite(pin, LOW);
}

void setup() {
  pinMode(13, OUTPUT);
  pinMode(A0, OUTPUT);
  pinMode(5, OUTPUT);
}

void loop() {
  flash(13, 60);
  flash(A0, 30);
  flash(5, 90);
  delay(20);
}
