// Says how far it is on both sides of a boat.
#include <Arduino.h>

struct Sonar {
  int trig, echo;
};

Sonar sonars[] = {{2, 3}, {4, 5}};

long measure(const Sonar &sonar) {
  digitalWrite(sonar.trig, HIGH);
  delayMicroseconds(12);
  digitalWrite(sonar.trig, LOW);
  return pulseIn(sonar.echo, HIGH, 26000) * 10 / 588;
}

void setup() {
  Serial.begin(9600);
  pinMode(LED_BUILTIN, OUTPUT);
  for (const Sonar &sonar : sonars) {
    pinMode(sonar.trig, OUTPUT);
    pinMode(sonar.echo, INPUT);
  }
}

void loop() {
  long left = measure(sonars[0]), right = measure(sonars[1]);
  Serial.print(left);
  Serial.print(" ");
  Serial.println(right);
  digitalWrite(LED_BUILTIN, left < 30 || right < 20);
  delay(30);
}
