// A face on 8 x 8 lights that frowns while a key is down; words are sent bit by bit.
#include <Arduino.h>

const int DIN_PIN = 7, CS_PIN = 6, CLK_PIN = 5;
const int MOOD_KEY = 2;

const byte SMILE[8] = {0x3C, 0x42, 0xA5, 0x81, 0xA5, 0x99, 0x42, 0x3D};
const byte FROWN[8] = {0x3C, 0x42, 0xA5, 0x81, 0x99, 0xA5, 0x42, 0x3D};

void word16(byte address, byte value) {
  digitalWrite(CS_PIN, LOW);
  shiftOut(DIN_PIN, CLK_PIN, MSBFIRST, address);
  shiftOut(DIN_PIN, CLK_PIN, MSBFIRST, value);
  digitalWrite(CS_PIN, HIGH);
}

void setup() {
  pinMode(DIN_PIN, OUTPUT);
  pinMode(CS_PIN, OUTPUT);
  pinMode(CLK_PIN, OUTPUT);
  pinMode(MOOD_KEY, INPUT_PULLUP);
  word16(0x0F, 0);
  word16(0x0B, 7);
  word16(0x09, 0);
  word16(0x0A, 4);
  word16(0x0C, 1);
}

void loop() {
  const byte *face = digitalRead(MOOD_KEY) ? SMILE : FROWN;
  for (byte row = 0; row < 8; row++) word16(row + 1, face[row]);
  delay(10);
}
