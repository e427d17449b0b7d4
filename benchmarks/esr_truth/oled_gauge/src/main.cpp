// A column of light on an OLED shows where a knob stands; a lamp when it is at its end.
#include <Arduino.h>
#include <Wire.h>

const uint8_t OLED = 0x3C;
const uint8_t LEVEL = A1;
const uint8_t FULL = 7;

void command(uint8_t byte) {
  Wire.beginTransmission(OLED);
  Wire.write(0x00);
  Wire.write(byte);
  Wire.endTransmission();
}

void window(uint8_t lastColumn) {
  const uint8_t bytes[] = {0x21, 0, lastColumn, 0x22, 0, 7};
  for (uint8_t byte : bytes) command(byte);
}

void setup() {
  pinMode(FULL, OUTPUT);
  Wire.begin();
  const uint8_t setUp[] = {0xAE, 0xA8, 0x3F, 0x20, 0x00, 0xA1, 0xC8, 0xDA, 0x12, 0x8D, 0x14};
  for (uint8_t byte : setUp) command(byte);
  window(127);
  for (uint8_t i = 0; i < 64; i++) {
    Wire.beginTransmission(OLED);
    Wire.write(0x40);
    for (uint8_t j = 0; j < 16; j++) Wire.write(0);
    Wire.endTransmission();
  }
  command(0xAF);
}

void loop() {
  int level = analogRead(LEVEL);
  digitalWrite(FULL, level > 1000);
  uint8_t pages = level / 128;  // the top 7 at most, from below
  window(0);
  Wire.beginTransmission(OLED);
  Wire.write(0x40);
  for (uint8_t page = 0; page < 8; page++) Wire.write(7 - page < pages ? 0xFF : 0);
  Wire.endTransmission();
  delay(20);
}
