// The mistake: minutes are set as plain numbers, and the chip counts in BCD.
#include <Arduino.h>
#include <Wire.h>

const uint8_t CLOCK = 0x68, OLED = 0x3C;
const uint8_t BUTTON = 2;
const unsigned long LOOK_MS = 50, STEADY_MS = 20;

// Signs of 3 x 5 dots, the top row first, in each the left dot highest.
const uint8_t ROWS = 5;
const uint8_t SIGNS[11][ROWS] = {
    {7, 5, 5, 5, 7}, {2, 6, 2, 2, 7}, {7, 1, 7, 4, 7}, {7, 1, 7, 1, 7},
    {5, 5, 7, 1, 1}, {7, 4, 7, 1, 7}, {7, 4, 7, 5, 7}, {7, 1, 1, 1, 1},
    {7, 5, 7, 5, 7}, {7, 5, 7, 1, 7}, {0, 1, 0, 1, 0}};
const uint8_t COLON = 10, NOTHING = 255;

// Each dot is 8 x 8 pixels: a page high.
const uint8_t PLACES = 5, FIRST_PAGE = 1;
const uint8_t LEFT[PLACES] = {4, 32, 60, 72, 100};
const uint8_t DOTS[PLACES] = {3, 3, 1, 3, 3};

const uint8_t SET_UP[] = {
    0xAE,              // off
    0xA8, 0x3F,        // 64 rows
    0x20, 0x00,        // addresses go on to the next page
    0xA1, 0xC8,        // upright
    0xDA, 0x12,        // COM pins of 128 x 64
    0x8D, 0x14,        // charge pump
    0xA4, 0xA6,        // what is in the memory, as it is
};

static void command(uint8_t byte) {
  Wire.beginTransmission(OLED);
  Wire.write(0x00);
  Wire.write(byte);
  Wire.endTransmission();
}

// Pages and columns are given with both their ends.
static void open_window(uint8_t left, uint8_t right, uint8_t top, uint8_t bottom) {
  const uint8_t bytes[] = {0x21, left, right, 0x22, top, bottom};
  for (uint8_t i = 0; i < sizeof bytes; i++) command(bytes[i]);
}

static void fill(uint8_t byte, uint8_t count) {
  Wire.beginTransmission(OLED);
  Wire.write(0x40);
  for (uint8_t i = 0; i < count; i++) Wire.write(byte);
  Wire.endTransmission();
}

static void draw(uint8_t place, uint8_t sign) {
  uint8_t dots = DOTS[place];
  uint8_t left = LEFT[place];
  open_window(left, left + 8 * dots - 1, FIRST_PAGE, FIRST_PAGE + ROWS - 1);
  for (uint8_t row = 0; row < ROWS; row++)
    for (uint8_t dot = 0; dot < dots; dot++) {
      bool is_lit = sign != NOTHING && SIGNS[sign][row] >> (dots - 1 - dot) & 1;
      fill(is_lit ? 0xFF : 0x00, 8);
    }
}

static uint8_t from_bcd(uint8_t bcd) { return bcd / 16 * 10 + bcd % 16; }

struct Time {
  uint8_t second, minute, hour;
};

static Time look() {
  Wire.beginTransmission(CLOCK);
  Wire.write(0x00);
  Wire.endTransmission();
  Wire.requestFrom(CLOCK, (uint8_t)3);
  uint8_t second = Wire.read(), minute = Wire.read(), hour = Wire.read();
  return {from_bcd(second & 0x7F), from_bcd(minute), from_bcd(hour & 0x3F)};
}

static void set_minute(uint8_t minute) {
  Wire.beginTransmission(CLOCK);
  Wire.write(0x00);
  Wire.write(0x00);
  Wire.write(minute);
  Wire.endTransmission();
}

static bool is_pressed_anew() {
  static bool is_down = false;
  static unsigned long changed_ms = 0;
  bool is_low = digitalRead(BUTTON) == LOW;
  if (is_low == is_down || millis() - changed_ms < STEADY_MS) return false;
  is_down = is_low;
  changed_ms = millis();
  return is_down;
}

void setup() {
  pinMode(BUTTON, INPUT_PULLUP);
  Wire.begin();
  for (uint8_t i = 0; i < sizeof SET_UP; i++) command(SET_UP[i]);
  open_window(0, 127, 0, 7);
  for (uint8_t i = 0; i < 64; i++) fill(0, 16);
  command(0xAF);
}

void loop() {
  delay(1);  // nobody sees it
  static uint8_t shown[PLACES] = {NOTHING, NOTHING, NOTHING, NOTHING, NOTHING};
  static unsigned long looked_ms = -LOOK_MS;
  if (is_pressed_anew()) {
    set_minute((look().minute + 1) % 60);
    looked_ms = millis() - LOOK_MS;
  }
  if (millis() - looked_ms < LOOK_MS) return;
  looked_ms = millis();
  Time now = look();
  const uint8_t signs[PLACES] = {
      uint8_t(now.hour / 10), uint8_t(now.hour % 10),
      now.second % 2 ? NOTHING : COLON,
      uint8_t(now.minute / 10), uint8_t(now.minute % 10)};
  for (uint8_t i = 0; i < PLACES; i++) {
    if (signs[i] != shown[i]) draw(i, signs[i]);
    shown[i] = signs[i];
  }
}
