// A lamp that a button switches on, and off again.
#include <Arduino.h>

const int buttonPin = 2;
const int lampPin = 8;

bool isLit = false;
bool wasDown = false;

void setup() {
  pinMode(buttonPin, INPUT_PULLUP);
  pinMode(lampPin, OUTPUT);
}

void loop() {
  bool isDown = digitalRead(buttonPin) == LOW;
  if (isDown && !wasDown) {
    isLit = !isLit;
    digitalWrite(lampPin, isLit ? HIGH : LOW);
  }
  wasDown = isDown;
  delay(10);
}
