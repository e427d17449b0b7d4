// A dial on a 28BYJ-48: it goes to the angle that the serial line asks for.
#include <Arduino.h>

const uint8_t COILS[4] = {8, 9, 10, 11};  // IN1 to IN4: blue, pink, yellow, orange
const uint8_t HOME_PIN = 2;
const unsigned long HALF_STEP_US = 1000;
const unsigned long HOLD_MS = 200;

// 64 half steps of the rotor, through gears of 63.68395 to 1.
const float HALF_STEPS_PER_TURN = 64 * 63.68395;

// Half steps against the clock: IN1, IN1 and IN2, IN2 and so on.
const uint8_t PHASES[8] = {1, 3, 2, 6, 4, 12, 8, 9};

enum State { UNKNOWN, SEEKING, READY, MOVING };

static State state = UNKNOWN;
static long position = 0;  // half steps with the clock, from home on
static long target = 0;
static int asked_deg = 0;
static uint8_t phase = 0;
static bool is_held = false;
static unsigned long stepped_us = 0, arrived_ms = 0;

static void drive(uint8_t pattern) {
  for (uint8_t i = 0; i < 4; i++) digitalWrite(COILS[i], pattern >> i & 1);
  is_held = pattern != 0;
}

static void step(int by) {
  phase = (phase - by) & 7;
  position += by;
  drive(PHASES[phase]);
}

static void obey(const char *line) {
  if (strcmp(line, "HOME") == 0) {
    state = SEEKING;
    return;
  }
  char *end;
  long deg = strncmp(line, "GO ", 3) ? -1 : strtol(line + 3, &end, 10);
  if (deg < 0 || deg > 360 || end == line + 3 || *end) {
    Serial.println(F("ERR COMMAND"));
  } else if (state == UNKNOWN || state == SEEKING) {
    Serial.println(F("ERR NOT HOME"));
  } else {
    asked_deg = deg;
    target = lround(deg * HALF_STEPS_PER_TURN / 360);
    state = MOVING;
  }
}

static void listen() {
  static char line[16];
  static uint8_t length = 0;
  while (Serial.available()) {
    char c = Serial.read();
    if (c == '\n') {
      line[min(length, (uint8_t)15)] = 0;
      obey(length > 15 ? "" : line);
      length = 0;
    } else if (c != '\r') {
      if (length < 15) line[length] = c;
      if (length < 16) length++;
    }
  }
}

static void arrive() {
  state = READY;
  arrived_ms = millis();
}

void setup() {
  Serial.begin(115200);
  pinMode(HOME_PIN, INPUT_PULLUP);
  for (uint8_t i = 0; i < 4; i++) pinMode(COILS[i], OUTPUT);
  Serial.println(F("READY"));
}

void loop() {
  listen();
  if (state == SEEKING && digitalRead(HOME_PIN) == LOW) {
    position = target = 0;
    arrive();
    Serial.println(F("HOME"));
  }
  if (state == MOVING && position == target) {
    arrive();
    Serial.print(F("AT "));
    Serial.println(asked_deg);
  }
  bool is_due = micros() - stepped_us >= HALF_STEP_US;
  if (is_due && (state == SEEKING || state == MOVING)) {
    stepped_us = micros();
    step(state == SEEKING || position > target ? -1 : 1);
  }
  if (is_held && state == READY && millis() - arrived_ms >= HOLD_MS) drive(0);
}
