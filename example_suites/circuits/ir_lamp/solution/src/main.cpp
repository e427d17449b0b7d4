// A lamp of three colours that a remote control switches, dims and tints.
#include <Arduino.h>

const uint8_t RECEIVER = 2;
const uint8_t LIGHTS[3] = {9, 10, 11};
const uint8_t LEVELS = 8;

const uint8_t POWER = 162, PLUS = 2, MINUS = 152, KEY_0 = 104;
const uint8_t KEYS_1_TO_3[3] = {48, 24, 122};

// NEC: what follows a falling edge until the next one, in us.
const uint16_t LEADER_US = 13500, REPEAT_US = 11250, ONE_US = 2250, ZERO_US = 1125;
const unsigned long REPEAT_WITHIN_MS = 120;  // they follow every 108 ms

static volatile uint32_t frame;
static volatile bool has_frame = false, has_repeat = false;

static bool is_about(unsigned long us, uint16_t due_us) {
  return us > due_us - due_us / 8 && us < due_us + due_us / 8;
}

static void on_fall() {
  static unsigned long fell_us = 0;
  static uint32_t bits = 0;
  static uint8_t missing = 0;
  unsigned long us = micros() - fell_us;
  fell_us += us;
  if (is_about(us, LEADER_US)) {
    missing = 32;
    return;
  }
  if (missing == 0) {
    has_repeat = has_repeat || is_about(us, REPEAT_US);
    return;
  }
  bool is_one = is_about(us, ONE_US);
  if (!is_one && !is_about(us, ZERO_US)) {
    missing = 0;
    return;
  }
  bits = bits >> 1 | (is_one ? 0x80000000UL : 0);
  if (--missing == 0) {
    frame = bits;
    has_frame = true;
  }
}

static bool is_on = false;
static uint8_t level = 4;
static uint8_t colours = 7;  // a bit for each of red, green, blue

static void light() {
  for (uint8_t i = 0; i < 3; i++) {
    bool is_lit = is_on && (colours >> i & 1);
    analogWrite(LIGHTS[i], is_lit ? level * 32 - 1 : 0);
  }
}

static void obey(uint8_t key, bool is_repeat) {
  if (key == PLUS && is_on && level < LEVELS) level++;
  if (key == MINUS && is_on && level > 1) level--;
  if (!is_repeat) {
    if (key == POWER) is_on = !is_on;
    if (key == KEY_0) colours = 7;
    for (uint8_t i = 0; i < 3; i++)
      if (key == KEYS_1_TO_3[i]) colours = 1 << i;
  }
  light();
}

// The command of a whole frame for us, or -1.
static int command_in(uint32_t bits) {
  uint8_t address = bits, not_address = bits >> 8, key = bits >> 16, not_key = bits >> 24;
  bool is_sound = (address ^ not_address) == 0xFF && (key ^ not_key) == 0xFF;
  return is_sound && address == 0 ? key : -1;
}

void setup() {
  pinMode(RECEIVER, INPUT);
  for (uint8_t i = 0; i < 3; i++) pinMode(LIGHTS[i], OUTPUT);
  attachInterrupt(digitalPinToInterrupt(RECEIVER), on_fall, FALLING);
  light();
}

void loop() {
  static int held = -1;
  static unsigned long heard_ms = 0;
  noInterrupts();
  bool pressed = has_frame, repeated = has_repeat;
  uint32_t bits = frame;
  has_frame = has_repeat = false;
  interrupts();
  if (pressed) {
    held = command_in(bits);
    heard_ms = millis();
    if (held >= 0) obey(held, false);
  } else if (repeated && held >= 0 && millis() - heard_ms < REPEAT_WITHIN_MS) {
    heard_ms = millis();
    obey(held, true);
  }
}
