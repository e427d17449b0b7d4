// A traffic light: red 200 ms, green 300 ms, yellow 100 ms.
#include <Arduino.h>

struct Phase {
  uint8_t pin;
  unsigned int lasts_ms;
};

const Phase CYCLE[] = {{10, 200}, {12, 300}, {11, 100}};

void setup() {
  for (auto &phase : CYCLE) pinMode(phase.pin, OUTPUT);
}

void loop() {
  for (auto &phase : CYCLE) {
    digitalWrite(phase.pin, HIGH);
    delay(phase.lasts_ms);
    digitalWrite(phase.pin, LOW);
  }
}
