// Lamps whose pins are arguments of a template; a key swaps which one is lit.
#include <Arduino.h>

template <uint8_t PIN>
struct Lamp {
  void begin() { pinMode(PIN, OUTPUT); }
  void set(bool lit) { digitalWrite(PIN, lit ? HIGH : LOW); }
};

Lamp<9> red;
Lamp<6> green;
constexpr uint8_t SWAP = 11;

void setup() {
  red.begin();
  green.begin();
  pinMode(SWAP, INPUT_PULLUP);
}

void loop() {
  bool isDown = digitalRead(SWAP) == LOW;
  red.set(!isDown);
  green.set(isDown);
  delay(5);
}
