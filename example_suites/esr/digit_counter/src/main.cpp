// One digit that two buttons count up and down, round the corner at 9 and 0.
#include <Arduino.h>

const byte segmentPins[] = {2, 3, 4, 5, 6, 7, 8};
const byte upPin = A4;
const byte downPin = A5;
const byte shapes[10] = {0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F};

int count = 0;

void show() {
  for (byte i = 0; i < 7; i++) digitalWrite(segmentPins[i], bitRead(shapes[count], i));
}

bool clicked(byte pin, bool &was) {
  bool is = digitalRead(pin) == LOW;
  bool fresh = is && !was;
  was = is;
  return fresh;
}

void setup() {
  for (byte pin : segmentPins) pinMode(pin, OUTPUT);
  pinMode(upPin, INPUT_PULLUP);
  pinMode(downPin, INPUT_PULLUP);
  show();
}

void loop() {
  static bool up, down;
  if (clicked(upPin, up)) count = (count + 1) % 10;
  if (clicked(downPin, down)) count = (count + 9) % 10;
  show();
  delay(10);
}
