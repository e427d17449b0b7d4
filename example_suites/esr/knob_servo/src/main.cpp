// A servo that stands where a knob does; pulses are made by waiting.
#include <Arduino.h>

class Arm {
 public:
  explicit Arm(uint8_t pin) : pin_(pin) {}
  void begin() { pinMode(pin_, OUTPUT); }
  void goTo(int degrees) {
    unsigned int width_us = 544 + degrees * 1856L / 180;
    digitalWrite(pin_, HIGH);
    delayMicroseconds(width_us);
    digitalWrite(pin_, LOW);
  }

 private:
  uint8_t pin_;
};

Arm arm(3);

void setup() { arm.begin(); }

void loop() {
  int reading = analogRead(A2);
  arm.goTo(map(reading, 0, 1023, 0, 180));
  delay(18);
}
