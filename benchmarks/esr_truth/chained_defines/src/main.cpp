// A horn and a lamp on pins that are counted from the key's.
#include <Arduino.h>

#define ASK_PIN 4
#define HORN_PIN (ASK_PIN + 1)
#define LAMP_PIN (HORN_PIN + 2)

void setup() {
  pinMode(ASK_PIN, INPUT_PULLUP);
  pinMode(LAMP_PIN, OUTPUT);
}

void loop() {
  if (digitalRead(ASK_PIN) == LOW) {
    tone(HORN_PIN, 1500, 100);
    digitalWrite(LAMP_PIN, HIGH);
    delay(300);
    digitalWrite(LAMP_PIN, LOW);
  }
}
