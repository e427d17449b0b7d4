// A gear lever: one lamp for up, another for down, by macros.
#include <Arduino.h>

#define GEAR A3
#define UP_LAMP 10
#define DOWN_LAMP 12
#define ON(lamp) digitalWrite(lamp, 1)
#define OFF(lamp) digitalWrite(lamp, 0)
#define IS_UP() (digitalRead(GEAR) == 1)

void setup() {
  pinMode(GEAR, INPUT);
  pinMode(UP_LAMP, OUTPUT);
  pinMode(DOWN_LAMP, OUTPUT);
}

void loop() {
  if (IS_UP()) {
    ON(UP_LAMP);
    OFF(DOWN_LAMP);
  } else {
    OFF(UP_LAMP);
    ON(DOWN_LAMP);
  }
}
