// Counts presses by interrupt and shows them on three lamps, in binary.
#include <Arduino.h>

const byte EVENT = 3;
const byte LAMPS[3] = {10, 11, 12};

volatile byte count;
volatile unsigned long last_ms;

void pressed() {
  if (millis() - last_ms > 20) count++;
  last_ms = millis();
}

void setup() {
  pinMode(EVENT, INPUT_PULLUP);
  for (byte lamp : LAMPS) pinMode(lamp, OUTPUT);
  attachInterrupt(digitalPinToInterrupt(EVENT), pressed, FALLING);
}

void loop() {
  for (byte i = 0; i < 3; i++) digitalWrite(LAMPS[i], count >> i & 1);
  delay(300);
}
