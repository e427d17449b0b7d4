// A lamp of three colours; a letter over Serial names one.
#include <Arduino.h>

static const uint8_t CHANNEL[3] = {9, 10, 11};

struct Mood {
  char letter;
  uint8_t level[3];
};

static const Mood MOODS[] = {
    {'s', {255, 64, 0}}, {'g', {0, 128, 0}}, {'n', {16, 0, 192}}, {'o', {0, 0, 0}}};

void setup() {
  Serial.begin(9600);
  for (uint8_t i = 0; i < 3; i++) pinMode(CHANNEL[i], OUTPUT);
  Serial.println("ready");
}

void loop() {
  int letter = Serial.read();
  for (const Mood &mood : MOODS)
    if (letter == mood.letter)
      for (uint8_t i = 0; i < 3; i++) analogWrite(CHANNEL[i], mood.level[i]);
}
