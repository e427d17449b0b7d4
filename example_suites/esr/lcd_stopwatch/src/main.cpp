// A stopwatch on a character display: a button starts it, stops it, and clears it.
#include <Arduino.h>

class Display {
 public:
  Display(uint8_t rs, uint8_t enable, uint8_t d4, uint8_t d5, uint8_t d6, uint8_t d7)
      : rs_(rs), enable_(enable), data_{d4, d5, d6, d7} {}

  void begin() {
    pinMode(rs_, OUTPUT);
    pinMode(enable_, OUTPUT);
    for (uint8_t pin : data_) pinMode(pin, OUTPUT);
    delay(20);
    for (uint8_t i = 0; i < 3; i++) {
      nibble(3);
      delay(5);
    }
    nibble(2);
    const uint8_t setUp[] = {0x28, 0x0C, 0x06, 0x01};
    for (uint8_t byte : setUp) command(byte);
    delay(3);
  }

  void print(uint8_t row, const char *text) {
    command(0x80 | row << 6);
    while (*text) send(*text++, HIGH);
  }

 private:
  void nibble(uint8_t value) {
    for (uint8_t i = 0; i < 4; i++) digitalWrite(data_[i], value >> i & 1);
    digitalWrite(enable_, HIGH);
    digitalWrite(enable_, LOW);
    delayMicroseconds(45);
  }
  void send(uint8_t value, uint8_t isText) {
    digitalWrite(rs_, isText);
    nibble(value >> 4);
    nibble(value & 15);
  }
  void command(uint8_t value) { send(value, LOW); }

  uint8_t rs_, enable_, data_[4];
};

Display lcd(12, 11, 5, 4, 3, 2);
const int goButton = 8;

enum { CLEAR, RUNNING, STOPPED } state;
unsigned long began, elapsed;

void setup() {
  pinMode(goButton, INPUT_PULLUP);
  lcd.begin();
  lcd.print(0, "Stopwatch");
}

void loop() {
  static bool was;
  bool is = !digitalRead(goButton);
  if (is && !was) {
    if (state == CLEAR) began = millis();
    if (state == STOPPED) elapsed = 0;
    state = state == CLEAR ? RUNNING : state == RUNNING ? STOPPED : CLEAR;
  }
  was = is;
  if (state == RUNNING) elapsed = millis() - began;
  char text[17];
  snprintf(text, sizeof text, "%lu.%lu s  ", elapsed / 1000, elapsed / 100 % 10);
  lcd.print(1, text);
  delay(10);
}
