// Says how far it is to the wall, in words, light and sound.
#include <Arduino.h>

#define TRIG_PIN 11
#define ECHO_PIN 12
const byte NEAR_LED = 4, FAR_LED = 5;
const byte HORN = 8;

int distance_cm() {
  digitalWrite(TRIG_PIN, HIGH);
  delayMicroseconds(10);
  digitalWrite(TRIG_PIN, LOW);
  return pulseIn(ECHO_PIN, HIGH, 30000) / 58.8 + 0.5;
}

void setup() {
  Serial.begin(115200);
  pinMode(TRIG_PIN, OUTPUT);
  pinMode(ECHO_PIN, INPUT);
  pinMode(NEAR_LED, OUTPUT);
  pinMode(FAR_LED, OUTPUT);
}

void loop() {
  int cm = distance_cm();
  Serial.print(cm);
  Serial.println(F(" cm"));
  digitalWrite(NEAR_LED, cm < 50);
  digitalWrite(FAR_LED, cm >= 100);
  if (cm < 20) tone(HORN, 1000); else noTone(HORN);
  delay(60);
}
