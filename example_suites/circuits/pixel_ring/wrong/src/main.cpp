// The mistake: red goes out before green, as for a lamp of the RGB kind; WS2812 takes
// green first.
#include <Arduino.h>

const uint8_t PIXELS = 16;
const uint8_t BRIGHT = 40;
const uint8_t SLACK = 8;  // counts of the ADC beyond a boundary before it is passed
const unsigned long FLASH_MS = 250;

// The ring hangs on pin 6, which is bit 6 of port D.
const uint8_t RING_PIN = 6;
const uint8_t RING_PORT = _SFR_IO_ADDR(PORTD);
const uint8_t RING_BIT = 6;

// One byte of WS2812's protocol at 16 MHz: 20 clocks (1.25 us) for a bit, of which the
// line is high for 5 (0.31 us) if it is 0 and for 13 (0.81 us) if it is 1.
static void send(uint8_t byte) {
  uint8_t bits = 8;
  asm volatile(
      "1: sbi %[port], %[bit] \n"
      "nop \n nop \n"
      "sbrs %[byte], 7 \n"
      "cbi %[port], %[bit] \n"
      "nop \n nop \n nop \n nop \n nop \n nop \n nop \n"
      "cbi %[port], %[bit] \n"
      "lsl %[byte] \n"
      "nop \n"
      "dec %[bits] \n"
      "brne 1b \n"
      : [byte] "+r"(byte), [bits] "+r"(bits)
      : [port] "I"(RING_PORT), [bit] "I"(RING_BIT));
}

static void show(uint8_t lit, bool alarmed) {
  delayMicroseconds(300);  // what was sent before has been taken over
  noInterrupts();
  for (uint8_t i = 0; i < PIXELS; i++) {
    bool red = alarmed || i >= 12;
    uint8_t green = i < 8 ? BRIGHT : BRIGHT / 2;
    send(i < lit && (red || i >= 8) ? BRIGHT : 0);
    send(i < lit && !red ? green : 0);
    send(0);
  }
  interrupts();
}

// How many of 17 steps a reading has reached; near a boundary it stays where it was.
static uint8_t step(int reading, uint8_t before) {
  int at = (reading * 17L) / 1024;
  if (at == before) return before;
  int boundary = ((at > before ? at : at + 1) * 1024L + 16) / 17;
  bool is_past = at > before ? reading >= boundary + SLACK : reading < boundary - SLACK;
  if (is_past || abs(at - before) > 1 || at == 0 || at == 16) return at;
  return before;
}

void setup() { pinMode(RING_PIN, OUTPUT); }

void loop() {
  static uint8_t level = 0, shown = 255;
  static unsigned long full_since_ms = 0;
  uint8_t before = level;
  level = step(analogRead(A0), level);
  if (level == PIXELS && before != PIXELS) full_since_ms = millis();
  bool is_dark = level == PIXELS && (millis() - full_since_ms) / FLASH_MS % 2;
  uint8_t next = is_dark ? 0 : level;
  if (next != shown) show(next, level == PIXELS);
  shown = next;
}
