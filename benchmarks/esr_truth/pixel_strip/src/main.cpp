// Pixels of the WS2812 kind, driven through the core's tables of ports.
#include <Arduino.h>

#define STRIP_PIN 6
#define HUE_KNOB A0

void send(volatile uint8_t *port, uint8_t high, uint8_t low, uint8_t byte) {
  uint8_t bits = 8;
  asm volatile(
      "1: st %a[port], %[high] \n"
      "nop \n nop \n"
      "sbrs %[byte], 7 \n"
      "st %a[port], %[low] \n"
      "nop \n nop \n nop \n nop \n nop \n nop \n nop \n"
      "st %a[port], %[low] \n"
      "lsl %[byte] \n"
      "dec %[bits] \n"
      "brne 1b \n"
      : [byte] "+r"(byte), [bits] "+r"(bits)
      : [port] "e"(port), [high] "r"(high), [low] "r"(low));
}

void setup() { pinMode(STRIP_PIN, OUTPUT); }

void loop() {
  volatile uint8_t *port = portOutputRegister(digitalPinToPort(STRIP_PIN));
  uint8_t mask = digitalPinToBitMask(STRIP_PIN);
  uint8_t lit = analogRead(HUE_KNOB) * 9L / 1024;
  uint8_t high = *port | mask, low = *port & ~mask;
  noInterrupts();
  for (uint8_t i = 0; i < 8; i++) {
    send(port, high, low, i < lit ? 0 : 20);
    send(port, high, low, i < lit ? 80 : 0);
    send(port, high, low, i);
  }
  interrupts();
  delay(10);
}
