// A lamp is lit after every 7 presses, another blinks with 8 and 9 ms; pins are 7, 8 and 9.
#include <Arduino.h>

int key = 7, full = 8, beat = 9;
int count = 0;

void setup() {
  pinMode(key, INPUT_PULLUP);
  pinMode(full, OUTPUT);
  pinMode(beat, OUTPUT);
}

void loop() {
  static bool was;
  bool is = digitalRead(key) == LOW;
  if (is && !was) count = count == 7 ? 1 : count + 1;
  was = is;
  digitalWrite(full, count == 7);
  digitalWrite(beat, HIGH);
  delay(8);
  digitalWrite(beat, LOW);
  delay(9);
}
