// Says which number four switches make, whenever it changes.
#include <Arduino.h>

const uint8_t bits[4] = {4, 5, 6, 7};

void setup() {
  Serial.begin(9600);
  for (uint8_t pin : bits) pinMode(pin, INPUT_PULLUP);
}

void loop() {
  static int told = -1;
  int number = 0;
  for (int i = 0; i < 4; i++)
    if (digitalRead(bits[i]) == LOW) number |= 1 << i;
  if (number != told) Serial.println(number);
  told = number;
  delay(20);
}
