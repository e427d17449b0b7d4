// Counts visitors, and lights the hall for 400 ms after each.
#include <Arduino.h>

uint8_t eyePin = 2;
uint8_t lightPin = A4;

void setup() {
  Serial.begin(19200);
  pinMode(eyePin, INPUT);
  pinMode(lightPin, OUTPUT);
}

void loop() {
  static int visitors;
  static bool was;
  static unsigned long seen_ms;
  bool is = digitalRead(eyePin);
  if (is && !was) {
    Serial.print("visitor ");
    Serial.println(++visitors);
    seen_ms = millis();
    digitalWrite(lightPin, HIGH);
  }
  was = is;
  if (millis() - seen_ms > 400) digitalWrite(lightPin, LOW);
}
