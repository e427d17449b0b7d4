// The score of a match on four digits, home : guest; a key for each side.
#include <Arduino.h>

enum { CLK_PIN = 8, DIO_PIN = 9 };
const uint8_t keys[2] = {A0, A1};
const uint8_t shapes[] = {0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F};

uint8_t score[2];

void line(uint8_t pin, bool high) {
  pinMode(pin, high ? INPUT : OUTPUT);
  delayMicroseconds(3);
}

void send(uint8_t byte) {
  for (uint8_t i = 0; i < 9; i++) {
    line(CLK_PIN, false);
    line(DIO_PIN, i == 8 || (byte >> i & 1));
    line(CLK_PIN, true);
  }
  line(CLK_PIN, false);
  line(DIO_PIN, false);
}

void frame(const uint8_t *bytes, uint8_t count) {
  line(DIO_PIN, false);
  while (count--) send(*bytes++);
  line(CLK_PIN, true);
  line(DIO_PIN, true);
}

void show() {
  const uint8_t mode[] = {0x40}, light[] = {0x8B};
  const uint8_t text[] = {0xC0, shapes[score[0] / 10],
                          uint8_t(shapes[score[0] % 10] | 0x80), shapes[score[1] / 10],
                          shapes[score[1] % 10]};
  frame(mode, 1);
  frame(text, 5);
  frame(light, 1);
}

void setup() {
  digitalWrite(CLK_PIN, LOW);
  digitalWrite(DIO_PIN, LOW);
  for (uint8_t key : keys) pinMode(key, INPUT_PULLUP);
  show();
}

void loop() {
  static bool was[2];
  for (uint8_t side = 0; side < 2; side++) {
    bool is = digitalRead(keys[side]) == LOW;
    if (is && !was[side]) score[side] += 1;
    was[side] = is;
  }
  show();
  delay(10);
}
