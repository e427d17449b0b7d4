// Says how cold a fridge is, by 1-Wire; a lamp is lit above 8 C.
#include <Arduino.h>

const uint8_t PROBE = A2;
const uint8_t TOO_WARM = 9;

void low(unsigned us) {
  digitalWrite(PROBE, LOW);
  pinMode(PROBE, OUTPUT);
  delayMicroseconds(us);
  pinMode(PROBE, INPUT);
}

bool reset() {
  low(500);
  delayMicroseconds(70);
  bool present = !digitalRead(PROBE);
  delayMicroseconds(430);
  return present;
}

void write(uint8_t byte) {
  for (uint8_t i = 0; i < 8; i++) {
    bool bit = byte >> i & 1;
    low(bit ? 5 : 65);
    delayMicroseconds(bit ? 70 : 10);
  }
}

uint8_t read() {
  uint8_t byte = 0;
  for (uint8_t i = 0; i < 8; i++) {
    low(2);
    delayMicroseconds(4);
    byte |= digitalRead(PROBE) << i;
    delayMicroseconds(60);
  }
  return byte;
}

void setup() {
  Serial.begin(9600);
  pinMode(TOO_WARM, OUTPUT);
}

void loop() {
  if (!reset()) {
    delay(50);
    return;
  }
  write(0xCC);
  write(0x44);
  delay(760);
  reset();
  write(0xCC);
  write(0xBE);
  int raw = read();
  raw |= read() << 8;
  Serial.println(raw / 16.0, 1);
  digitalWrite(TOO_WARM, raw > 8 * 16);
}
