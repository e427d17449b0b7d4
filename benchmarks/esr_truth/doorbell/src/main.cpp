// A doorbell with a tune of three notes, and a light while it plays.
#include <Arduino.h>

const uint8_t BELL = A3;
const uint8_t LIGHT = 4;
const unsigned int TUNE[] = {784, 659, 523};

void setup() {
  pinMode(BELL, INPUT_PULLUP);
  pinMode(LIGHT, OUTPUT);
}

void loop() {
  if (digitalRead(BELL) == LOW) {
    digitalWrite(LIGHT, HIGH);
    for (unsigned int note : TUNE) {
      tone(9, note);
      delay(120);
    }
    noTone(9);
    digitalWrite(LIGHT, LOW);
  }
}
