#include <Arduino.h>

// See BRIEF.md for what this has to do.

void setup() {
  Serial.begin(115200);
  pinMode(9, OUTPUT);
  pinMode(7, OUTPUT);
  pinMode(2, INPUT_PULLUP);
  pinMode(3, INPUT_PULLUP);
}

void loop() {}
