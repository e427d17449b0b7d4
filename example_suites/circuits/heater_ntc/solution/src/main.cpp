// Keeps a body warm: wakes four times a second and at each press, else in power-down.
#include <Arduino.h>
#include <EEPROM.h>
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <math.h>

static const uint8_t GATE = 9, AWAKE = 7, UP = 2, DOWN = 3;
static const uint8_t LOWEST_C = 30, HIGHEST_C = 55, DEFAULT_C = 40;
static const float BELOW_C = 0.3, ABOVE_C = 0.3;

// Two copies in turn, each with a number that grows, so a torn one is never the only one.
struct Copy {
  uint8_t number;
  uint8_t setpoint_c;
  uint8_t check;
};

static uint8_t setpoint_c = DEFAULT_C;
static uint8_t number;
static bool is_broken;
static volatile bool time_is_up, button_moved;

ISR(WDT_vect) { time_is_up = true; }
ISR(PCINT2_vect) { button_moved = true; }

static uint8_t check_of(const Copy &copy) {
  return (uint8_t)(0xA5 ^ copy.number ^ (uint8_t)(copy.setpoint_c * 7));
}

static bool read_copy(uint8_t slot, Copy &copy) {
  EEPROM.get(slot * sizeof(Copy), copy);
  return copy.check == check_of(copy) && copy.setpoint_c >= LOWEST_C &&
         copy.setpoint_c <= HIGHEST_C;
}

static void load() {
  Copy first, second;
  bool has_first = read_copy(0, first), has_second = read_copy(1, second);
  if (has_first && has_second) {
    bool second_is_newer = (int8_t)(second.number - first.number) > 0;
    has_first = !second_is_newer;
  }
  if (has_first || has_second) {
    const Copy &last = has_first ? first : second;
    setpoint_c = last.setpoint_c;
    number = last.number;
  }
}

static void store() {
  number++;
  Copy copy = {number, setpoint_c, 0};
  copy.check = check_of(copy);
  // Even numbers go to one slot, odd ones to the other: never over the last good copy.
  EEPROM.put((number & 1) * sizeof(Copy), copy);
  while (EECR & _BV(EEPE)) {
  }
}

static void say(const char *what, uint8_t value) {
  Serial.print(what);
  Serial.println(value);
}

static float temperature_c() {
  float reading = analogRead(A0);
  if (reading < 1) reading = 1;
  if (reading > 1022) reading = 1022;
  float ratio = 1 / (1023 / reading - 1);
  return 1 / (log(ratio) / 3950 + 1 / 298.15) - 273.15;
}

static void regulate() {
  float now_c = temperature_c();
  bool was_broken = is_broken;
  is_broken = now_c < -20 || now_c > 100;
  if (is_broken) {
    digitalWrite(GATE, LOW);
    if (!was_broken) Serial.println(F("FAULT SENSOR"));
  } else if (now_c >= setpoint_c + ABOVE_C) {
    digitalWrite(GATE, LOW);
  } else if (now_c < setpoint_c - BELOW_C) {
    digitalWrite(GATE, HIGH);
  }
}

// Waits until a button has been the same for 5 ms; says whether it is down.
static bool settled(uint8_t pin) {
  uint8_t level = digitalRead(pin);
  for (uint8_t same_ms = 0; same_ms < 5; same_ms++) {
    delay(1);
    if (digitalRead(pin) != level) {
      level = digitalRead(pin);
      same_ms = 0;
    }
  }
  return level == LOW;
}

static void look_at(uint8_t pin, bool &was_down, int8_t change) {
  bool is_down = settled(pin);
  if (is_down && !was_down) {
    uint8_t wanted_c = constrain(setpoint_c + change, LOWEST_C, HIGHEST_C);
    if (wanted_c != setpoint_c) {
      setpoint_c = wanted_c;
      store();
    }
    say("SET ", setpoint_c);
  }
  was_down = is_down;
}

static void start_watchdog() {
  cli();
  wdt_reset();
  MCUSR &= ~_BV(WDRF);
  WDTCSR = _BV(WDCE) | _BV(WDE);
  WDTCSR = _BV(WDIE) | _BV(WDP2);  // an interrupt every 0.25 s, no reset
  sei();
}

static void doze() {
  Serial.flush();
  ADCSRA &= ~_BV(ADEN);
  set_sleep_mode(SLEEP_MODE_PWR_DOWN);
  cli();
  if (!time_is_up && !button_moved) {
    digitalWrite(AWAKE, LOW);
    sleep_enable();
    sei();
    sleep_cpu();
    sleep_disable();
    digitalWrite(AWAKE, HIGH);
  }
  sei();
  ADCSRA |= _BV(ADEN);
}

void setup() {
  pinMode(GATE, OUTPUT);
  pinMode(AWAKE, OUTPUT);
  digitalWrite(AWAKE, HIGH);
  pinMode(UP, INPUT_PULLUP);
  pinMode(DOWN, INPUT_PULLUP);
  Serial.begin(115200);
  load();
  say("BOOT ", setpoint_c);
  PCMSK2 = _BV(PCINT18) | _BV(PCINT19);
  PCICR = _BV(PCIE2);
  start_watchdog();
  regulate();
}

void loop() {
  static bool up_was_down, down_was_down;
  doze();
  if (button_moved) {
    button_moved = false;
    look_at(UP, up_was_down, 1);
    look_at(DOWN, down_was_down, -1);
  }
  if (time_is_up) {
    time_is_up = false;
    regulate();
  }
}
