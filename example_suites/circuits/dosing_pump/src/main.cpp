#include <Arduino.h>

// See BRIEF.md for what this has to do.

void setup() {
  Serial.begin(9600);
  pinMode(9, OUTPUT);
  pinMode(4, INPUT_PULLUP);
  Serial.println(F("READY"));
}

void loop() {}
