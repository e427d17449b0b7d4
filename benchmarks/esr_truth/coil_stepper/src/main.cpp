// A bipolar motor, coil by coil; a switch says which way.
#include <Arduino.h>

const uint8_t coils[4] = {8, 9, 10, 11};  // A-, A+, B+, B-
const uint8_t waySwitch = 3;
const uint8_t sequence[4] = {0b0110, 0b1010, 0b1001, 0b0101};

int phase = 0;

void setup() {
  for (uint8_t coil : coils) pinMode(coil, OUTPUT);
  pinMode(waySwitch, INPUT);
}

void loop() {
  phase = (phase + (digitalRead(waySwitch) ? 1 : 3)) % 4;
  for (uint8_t i = 0; i < 4; i++) digitalWrite(coils[i], sequence[phase] >> i & 1);
  delay(5);
}
