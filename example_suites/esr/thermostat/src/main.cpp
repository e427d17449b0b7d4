// A heater that goes on below 20 C and off above 22 C; a lamp while it is warm enough.
#include <Arduino.h>

const uint8_t HEATER = 9;
const uint8_t WARM = 8;

static float celsius() {
  float share = analogRead(0) / 1024.0f;
  float kelvin = 1.0f / (log(1.0f / (1.0f / share - 1.0f)) / 3950.0f + 1.0f / 298.15f);
  return kelvin - 273.15f;
}

void setup() {
  pinMode(HEATER, OUTPUT);
  pinMode(WARM, OUTPUT);
}

void loop() {
  float now = celsius();
  if (now < 20) digitalWrite(HEATER, HIGH);
  if (now > 22) digitalWrite(HEATER, LOW);
  digitalWrite(WARM, now > 21 ? HIGH : LOW);
  delay(20);
}
