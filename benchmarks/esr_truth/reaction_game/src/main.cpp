// How fast is somebody? A lamp goes on, and how long the press takes is said.
#include <Arduino.h>

const auto LAMP = 8;
const auto HIT = A2;

void setup() {
  Serial.begin(57600);
  pinMode(LAMP, OUTPUT);
  pinMode(HIT, INPUT_PULLUP);
}

void loop() {
  delay(200);
  digitalWrite(LAMP, HIGH);
  unsigned long began = millis();
  while (digitalRead(HIT) && millis() - began < 500) {
  }
  digitalWrite(LAMP, LOW);
  unsigned long took = millis() - began;
  if (took < 500)
    Serial.println(took);
  else
    Serial.println("too late");
  while (!digitalRead(HIT)) {
  }
}
