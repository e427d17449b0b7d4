// Two knobs, two lamps: the first knob is how bright, the second how cold.
#include <Arduino.h>

const int BRIGHT_KNOB = A1, COLD_KNOB = A4;
const int AMBER = 3, WHITE = 10;

void setup() {
  pinMode(AMBER, OUTPUT);
  pinMode(WHITE, OUTPUT);
}

void loop() {
  long bright = analogRead(BRIGHT_KNOB), cold = analogRead(COLD_KNOB);
  analogWrite(WHITE, bright * cold / 4104);
  analogWrite(AMBER, bright * (1023 - cold) / 4104);
}
