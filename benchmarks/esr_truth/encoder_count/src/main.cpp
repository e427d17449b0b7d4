// Counts the detents of a wheel, by interrupt; a press makes it 0.
#include <Arduino.h>

const int CLK = 2;
const int DT = 4;
const int SW = 7;

volatile int count = 0;

void turned() { count += digitalRead(DT) == HIGH ? 1 : -1; }

void setup() {
  Serial.begin(9600);
  pinMode(CLK, INPUT);
  pinMode(DT, INPUT);
  pinMode(SW, INPUT_PULLUP);
  attachInterrupt(digitalPinToInterrupt(CLK), turned, FALLING);
}

void loop() {
  static int told = 1;
  if (digitalRead(SW) == LOW) count = 0;
  if (count != told) {
    told = count;
    Serial.println(told);
  }
}
