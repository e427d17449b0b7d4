// Two keys turn a motor behind a driver by 20 steps, there and back.
#include <Arduino.h>

struct Driver {
  const uint8_t step, dir, enable;
  void begin() const {
    pinMode(step, OUTPUT);
    pinMode(dir, OUTPUT);
    pinMode(enable, OUTPUT);
    digitalWrite(enable, HIGH);
  }
  void turn(int steps, uint8_t way) const {
    digitalWrite(enable, LOW);
    digitalWrite(dir, way);
    while (steps--) {
      digitalWrite(step, HIGH);
      delay(1);
      digitalWrite(step, LOW);
      delay(2);
    }
    digitalWrite(enable, HIGH);
  }
};

const Driver driver = {5, 6, 8};

void setup() {
  driver.begin();
  pinMode(A0, INPUT_PULLUP);
  pinMode(A1, INPUT_PULLUP);
}

void loop() {
  if (!digitalRead(A0)) driver.turn(20, HIGH);
  if (!digitalRead(A1)) driver.turn(20, LOW);
}
