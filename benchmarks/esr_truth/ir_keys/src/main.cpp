// Says the number of each key of a remote control; Power switches a lamp.
#include <Arduino.h>

#define IR_PIN 11
#define POWER_LED 3

bool receive(uint32_t &code) {
  if (pulseIn(IR_PIN, HIGH, 15000) < 4000) return false;
  code = 0;
  for (byte i = 0; i < 32; i++) {
    unsigned long space = pulseIn(IR_PIN, HIGH, 3000);
    if (space == 0) return false;
    code = code >> 1 | (space > 1000 ? 0x80000000UL : 0);
  }
  return true;
}

void setup() {
  pinMode(IR_PIN, INPUT);
  pinMode(POWER_LED, OUTPUT);
  Serial.begin(9600);
}

void loop() {
  uint32_t code;
  if (!receive(code)) return;
  byte command = code >> 16;
  if (byte(~command) != code >> 24) return;
  Serial.println(command);
  if (command == 162) digitalWrite(POWER_LED, !digitalRead(POWER_LED));
}
