// A door whose bolt opens by 90 degrees for the PIN 1580, and closes with #.
#include <Arduino.h>

const byte rows[] = {2, 3, 4, 5};
const byte cols[] = {A0, A1, A2};
#define BOLT 9

char keyDown() {
  for (byte r = 0; r < 4; r++) {
    pinMode(rows[r], OUTPUT);
    digitalWrite(rows[r], LOW);
    for (byte c = 0; c < 3; c++)
      if (!digitalRead(cols[c])) {
        pinMode(rows[r], INPUT);
        return "123456789*0#"[3 * r + c];
      }
    pinMode(rows[r], INPUT);
  }
  return 0;
}

void setup() {
  for (byte c : cols) pinMode(c, INPUT_PULLUP);
  pinMode(BOLT, OUTPUT);
}

void loop() {
  static char last;
  static byte matched;
  static unsigned width_us = 544;
  char key = keyDown();
  if (key && key != last) {
    matched = key == "1580"[matched] ? matched + 1 : 0;
    if (matched == 4) width_us = 1472;
    if (matched == 4 || key == '#') matched = 0;
    if (key == '#') width_us = 544;
  }
  last = key;
  digitalWrite(BOLT, HIGH);
  delayMicroseconds(width_us);
  digitalWrite(BOLT, LOW);
  delay(10);
}
