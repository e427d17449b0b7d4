// A pump that runs for 600 ms after each press; a lamp is lit while it may not be asked.
#include <Arduino.h>

enum Pins : uint8_t { START = 4, PUMP = A1, BUSY = 6 };

static unsigned long until_ms;

void setup() {
  pinMode(START, INPUT_PULLUP);
  pinMode(PUMP, OUTPUT);
  pinMode(BUSY, OUTPUT);
}

void loop() {
  unsigned long now_ms = millis();
  if (digitalRead(START) == LOW && now_ms >= until_ms) until_ms = now_ms + 800;
  digitalWrite(BUSY, now_ms < until_ms);
  digitalWrite(PUMP, now_ms + 200 < until_ms);
}
