// A clock with a character display, both on I2C; a key switches the light.
#include <Arduino.h>
#include <Wire.h>

constexpr uint8_t RTC = 0x68, LCD = 0x27;
constexpr uint8_t LIGHT_KEY = 4;

uint8_t backlight = 8;

void expander(uint8_t bits) {
  Wire.beginTransmission(LCD);
  Wire.write(bits | backlight);
  Wire.endTransmission();
}

void nibble(uint8_t bits) {
  expander(bits | 4);
  expander(bits);
}

void send(uint8_t byte, uint8_t isText) {
  nibble((byte & 0xF0) | isText);
  nibble(byte << 4 | isText);
}

void setup() {
  pinMode(LIGHT_KEY, INPUT_PULLUP);
  Wire.begin();
  delay(20);
  for (uint8_t i = 0; i < 3; i++) {
    nibble(0x30);
    delay(5);
  }
  nibble(0x20);
  const uint8_t setUp[] = {0x28, 0x0C, 0x06, 0x01};
  for (uint8_t byte : setUp) send(byte, 0);
  delay(3);
}

void loop() {
  static bool was;
  bool is = !digitalRead(LIGHT_KEY);
  if (is && !was) {
    backlight ^= 8;
    expander(0);
  }
  was = is;
  Wire.beginTransmission(RTC);
  Wire.write(0);
  Wire.endTransmission();
  Wire.requestFrom(RTC, (uint8_t)3);
  uint8_t second = Wire.read(), minute = Wire.read(), hour = Wire.read();
  char text[9];
  snprintf(text, sizeof text, "%02x:%02x:%02x", hour, minute, second);
  send(0x80, 0);
  for (char *it = text; *it; it++) send(*it, 1);
  delay(20);
}
