// Says which key of a keypad was pressed, once; a lamp is lit while one is down.
#include <Arduino.h>

const byte ROWS[4] = {9, 8, 7, 6};
const byte COLS[4] = {5, 4, 3, A0};
const char KEYS[] = "123A456B789C*0#D";
#define DOWN_LED 13

char scan() {
  char found = 0;
  for (byte r = 0; r < 4; r++) {
    pinMode(ROWS[r], OUTPUT);
    digitalWrite(ROWS[r], LOW);
    for (byte c = 0; c < 4; c++)
      if (digitalRead(COLS[c]) == LOW) found = KEYS[4 * r + c];
    pinMode(ROWS[r], INPUT_PULLUP);
  }
  return found;
}

void setup() {
  Serial.begin(9600);
  for (byte c = 0; c < 4; c++) pinMode(COLS[c], INPUT_PULLUP);
  for (byte r = 0; r < 4; r++) pinMode(ROWS[r], INPUT_PULLUP);
  pinMode(DOWN_LED, OUTPUT);
}

void loop() {
  static char last;
  char key = scan();
  if (key && key != last) {
    Serial.print("key ");
    Serial.println(key);
  }
  last = key;
  digitalWrite(DOWN_LED, key ? HIGH : LOW);
  delay(10);
}
