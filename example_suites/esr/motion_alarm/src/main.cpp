// An alarm: once armed, a movement sounds the siren for as long as it lasts.
#include <Arduino.h>

constexpr uint8_t kEye = 7;
constexpr uint8_t kSiren = 5;
constexpr uint8_t kArmedLamp = 13;
constexpr uint8_t kArmKey = 10;

bool armed = false;

void setup() {
  pinMode(kEye, INPUT);
  pinMode(kSiren, OUTPUT);
  pinMode(kArmedLamp, OUTPUT);
  pinMode(kArmKey, INPUT_PULLUP);
}

void loop() {
  if (!digitalRead(kArmKey)) armed = true;
  digitalWrite(kArmedLamp, armed);
  if (armed && digitalRead(kEye)) {
    tone(kSiren, 880);
  } else {
    noTone(kSiren);
  }
  delay(5);
}
