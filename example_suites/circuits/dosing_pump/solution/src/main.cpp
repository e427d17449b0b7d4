// Doses by the pulses of a flow sensor, which an interrupt counts.
#include <Arduino.h>
#include <avr/sleep.h>

static const uint8_t SENSOR = 2, BUTTON = 4, GATE = 9;
static const uint32_t LOWEST_ML = 100, HIGHEST_ML = 5000;
static const uint32_t RUN_ON_MS = 175;  // what runs on lasts as long, at the flow before it
static const uint32_t EMPTY_MS = 520, QUIET_MS = 400, LEAK_AFTER_MS = 2000;

static volatile uint32_t pulses, last_pulse_us, pulse_gap_us;

static void on_pulse() {
  uint32_t now_us = micros();
  pulse_gap_us = now_us - last_pulse_us;
  last_pulse_us = now_us;
  pulses++;
}

struct Seen {
  uint32_t pulses, since_us, gap_us;
};

static Seen seen() {
  noInterrupts();
  Seen now = {pulses, micros() - last_pulse_us, pulse_gap_us};
  interrupts();
  return now;
}

static uint32_t ml_of(uint32_t count) { return count * 20 / 9; }

// In ml per minute; a pulse that is long overdue says that it is less.
static uint32_t flow_ml_min(const Seen &now) {
  uint32_t gap_us = now.since_us > now.gap_us ? now.since_us : now.gap_us;
  if (now.pulses < 2 || gap_us == 0 || gap_us > 400000) return 0;
  return 60000000UL / gap_us * 20 / 9;
}

enum State : uint8_t { IDLE, PUMPING, RUNNING_ON };
static State state = IDLE;
static bool was_empty, is_leaking;
static uint32_t wanted_ml, began_at, began_ms, off_ms;
static uint32_t leak_pulses, leak_seen;

static void say(const __FlashStringHelper *what, uint32_t value) {
  Serial.print(what);
  Serial.println(value);
}

static void stop_pump() {
  digitalWrite(GATE, LOW);
  off_ms = millis();
  state = RUNNING_ON;
}

static void dose() {
  Seen now = seen();
  uint32_t dosed_ml = ml_of(now.pulses - began_at);
  bool has_flown = now.pulses != began_at;
  uint32_t silent_ms = has_flown ? now.since_us / 1000 : millis() - began_ms;
  if (state == PUMPING) {
    uint32_t run_on_ml = flow_ml_min(now) * RUN_ON_MS / 60000;
    if (silent_ms >= EMPTY_MS) {
      was_empty = true;
      stop_pump();
    } else if (dosed_ml + run_on_ml >= wanted_ml) {
      stop_pump();
    }
  } else if (millis() - off_ms >= QUIET_MS && silent_ms >= QUIET_MS) {
    say(was_empty ? F("EMPTY ") : F("DONE "), dosed_ml);
    state = IDLE;
    off_ms = millis();
    leak_seen = now.pulses;
    leak_pulses = 0;
  }
}

static void watch_for_leaks() {
  if (millis() - off_ms < LEAK_AFTER_MS) {
    leak_seen = seen().pulses;
    return;
  }
  Seen now = seen();
  leak_pulses += now.pulses - leak_seen;
  leak_seen = now.pulses;
  if (now.since_us > 1000000) {
    is_leaking = false;
    leak_pulses = 0;
  } else if (leak_pulses >= 5 && !is_leaking) {
    is_leaking = true;
    Serial.println(F("LEAK"));
  }
}

static void obey(const char *line) {
  if (strcmp(line, "TOTAL") == 0) {
    say(F("TOTAL "), ml_of(seen().pulses));
    return;
  }
  if (strncmp(line, "DOSE ", 5) != 0) {
    Serial.println(F("ERR"));
    return;
  }
  if (state != IDLE) {
    Serial.println(F("BUSY"));
    return;
  }
  char *end;
  uint32_t asked_ml = strtoul(line + 5, &end, 10);
  bool is_number = isdigit(line[5]) && *end == '\0';
  if (!is_number || asked_ml < LOWEST_ML || asked_ml > HIGHEST_ML || is_leaking) {
    Serial.println(F("ERR"));
    return;
  }
  wanted_ml = asked_ml;
  was_empty = false;
  began_at = seen().pulses;
  began_ms = millis();
  state = PUMPING;
  digitalWrite(GATE, HIGH);
  say(F("OK "), asked_ml);
}

static void listen() {
  static char line[24];
  static uint8_t length;
  while (Serial.available()) {
    char c = Serial.read();
    if (c == '\n') {
      line[length < sizeof line ? length : 0] = '\0';
      length = 0;
      obey(line);
    } else if (c != '\r' && length < sizeof line) {
      line[length++] = c;
    }
  }
}

static void show() {
  static uint32_t next_ms;
  if (digitalRead(BUTTON) == HIGH) {
    next_ms = millis();
  } else if ((int32_t)(millis() - next_ms) >= 0) {
    next_ms += 100;
    say(F("FLOW "), flow_ml_min(seen()));
  }
}

void setup() {
  pinMode(GATE, OUTPUT);
  pinMode(BUTTON, INPUT_PULLUP);
  pinMode(SENSOR, INPUT);
  attachInterrupt(digitalPinToInterrupt(SENSOR), on_pulse, RISING);
  Serial.begin(9600);
  Serial.println(F("READY"));
}

void loop() {
  listen();
  if (state != IDLE) {
    dose();
  } else {
    watch_for_leaks();
  }
  show();
  set_sleep_mode(SLEEP_MODE_IDLE);
  sleep_mode();  // until the next interrupt: the clock of millis() has one each ms
}
