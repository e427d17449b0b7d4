// The mistake: overload is judged by what is shown, so a tared scale takes too much.
#include <Arduino.h>

const uint8_t WEIGHT_DATA = 3, WEIGHT_CLOCK = 4;
const uint8_t DIGITS_CLOCK = 6, DIGITS_DATA = 7;
const uint8_t TARE = 2;

const long COUNTS_PER_KG = 420;
const long OVERLOAD_COUNTS = 40 * COUNTS_PER_KG;
const unsigned long STEADY_MS = 20;
const uint8_t HALF_BIT_US = 5;

const uint8_t SEGMENTS[10] = {0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F};
const uint8_t MINUS = 0x40, BLANK = 0x00;

// ------------------------------------------------------------------------ the load cell
static bool is_ready() { return digitalRead(WEIGHT_DATA) == LOW; }

// 24 bits, the highest first; a 25th clock asks for channel A with gain 128 again. SCK must
// not stay high for 60 us, or the chip falls asleep.
static long read_counts() {
  unsigned long bits = 0;
  noInterrupts();
  for (uint8_t i = 0; i < 25; i++) {
    digitalWrite(WEIGHT_CLOCK, HIGH);
    delayMicroseconds(1);
    digitalWrite(WEIGHT_CLOCK, LOW);
    if (i < 24) bits = bits << 1 | digitalRead(WEIGHT_DATA);
  }
  interrupts();
  return long(bits << 8) / 256;
}

// ----------------------------------------------------------------------------- the digits
static void set_line(uint8_t pin, bool is_high) {
  pinMode(pin, is_high ? INPUT : OUTPUT);  // the module pulls up
  delayMicroseconds(HALF_BIT_US);
}

static void begin_frame() { set_line(DIGITS_DATA, false); }

static void end_frame() {
  set_line(DIGITS_CLOCK, false);
  set_line(DIGITS_DATA, false);
  set_line(DIGITS_CLOCK, true);
  set_line(DIGITS_DATA, true);
}

static void send(uint8_t byte) {
  for (uint8_t i = 0; i < 8; i++) {
    set_line(DIGITS_CLOCK, false);
    set_line(DIGITS_DATA, byte >> i & 1);
    set_line(DIGITS_CLOCK, true);
  }
  set_line(DIGITS_CLOCK, false);
  set_line(DIGITS_DATA, true);  // the chip acknowledges
  set_line(DIGITS_CLOCK, true);
  set_line(DIGITS_CLOCK, false);
}

static void show(const uint8_t segments[4]) {
  begin_frame();
  send(0x40);  // data, one address after the other
  end_frame();
  begin_frame();
  send(0xC0);
  for (uint8_t i = 0; i < 4; i++) send(segments[i]);
  end_frame();
  begin_frame();
  send(0x8F);  // on, as bright as can be
  end_frame();
}

static void show_number(long number) {
  uint8_t segments[4] = {BLANK, BLANK, BLANK, BLANK};
  bool is_negative = number < 0;
  long rest = labs(number);
  int8_t place = 3;
  do {
    segments[place--] = SEGMENTS[rest % 10];
    rest /= 10;
  } while (rest && place >= 0);
  if (is_negative && place >= 0) segments[place] = MINUS;
  show(segments);
}

static void show_nothing() {
  const uint8_t segments[4] = {MINUS, MINUS, MINUS, MINUS};
  show(segments);
}

// ------------------------------------------------------------------------------ the scale
static bool is_pressed_anew() {
  static bool is_down = false;
  static unsigned long changed_ms = 0;
  bool is_low = digitalRead(TARE) == LOW;
  if (is_low == is_down || millis() - changed_ms < STEADY_MS) return false;
  is_down = is_low;
  changed_ms = millis();
  return is_down;
}

static long to_decagrams(long counts) {
  long hundredfold = counts * 100;
  long half = COUNTS_PER_KG / 2;
  return (hundredfold + (hundredfold < 0 ? -half : half)) / COUNTS_PER_KG;
}

void setup() {
  pinMode(TARE, INPUT_PULLUP);
  pinMode(WEIGHT_DATA, INPUT);
  pinMode(WEIGHT_CLOCK, OUTPUT);
  digitalWrite(DIGITS_CLOCK, LOW);
  digitalWrite(DIGITS_DATA, LOW);
  show_nothing();
}

void loop() {
  delay(1);  // nobody sees it
  static long empty_counts = 0;
  static bool has_to_tare = false;
  if (is_pressed_anew()) has_to_tare = true;
  if (!is_ready()) return;
  long counts = read_counts();
  if (counts - empty_counts > OVERLOAD_COUNTS) {
    has_to_tare = false;
    show_nothing();
    return;
  }
  if (has_to_tare) empty_counts = counts;
  has_to_tare = false;
  long net = to_decagrams(counts - empty_counts);
  if (net < -999) {
    show_nothing();
  } else {
    show_number(net);
  }
}
