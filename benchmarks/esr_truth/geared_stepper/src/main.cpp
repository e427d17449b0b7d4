// A geared motor that turns while a key is down, the coils on pins in a row.
#include <Arduino.h>

#define COIL_BASE 2
#define TURN_KEY 12

byte coil = 0;

void setup() {
  for (byte i = 0; i < 4; i++) pinMode(COIL_BASE + i, OUTPUT);
  pinMode(TURN_KEY, INPUT_PULLUP);
}

void loop() {
  if (digitalRead(TURN_KEY) == HIGH) return;
  coil = (coil + 1) % 4;
  for (byte i = 0; i < 4; i++)
    digitalWrite(COIL_BASE + i, i == coil || i == (coil + 1) % 4);
  delay(4);
}
