// Warns of gas by lamp, and by siren once the module's own threshold is passed.
#include <Arduino.h>

#define GAS_LEVEL A2
#define GAS_ALARM 8
#define SIREN 6
#define WARNING_LAMP 11

void setup() {
  pinMode(GAS_ALARM, INPUT);
  pinMode(WARNING_LAMP, OUTPUT);
}

void loop() {
  digitalWrite(WARNING_LAMP, analogRead(GAS_LEVEL) > 600);
  if (digitalRead(GAS_ALARM) == LOW)
    tone(SIREN, 2000);
  else
    noTone(SIREN);
  delay(10);
}
