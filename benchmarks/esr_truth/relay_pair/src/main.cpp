// Two relays by words over Serial; one of them is on while its input is low.
#include <Arduino.h>

const int FAN = 7;
const int VALVE = 8;

void setup() {
  Serial.begin(9600);
  pinMode(FAN, OUTPUT);
  digitalWrite(VALVE, HIGH);
  pinMode(VALVE, OUTPUT);
  Serial.println("ready");
}

void loop() {
  switch (Serial.read()) {
    case 'F': digitalWrite(FAN, HIGH); break;
    case 'f': digitalWrite(FAN, LOW); break;
    case 'V': digitalWrite(VALVE, LOW); break;
    case 'v': digitalWrite(VALVE, HIGH); break;
  }
}
