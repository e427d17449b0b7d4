// Says a weight in grams; a key makes it 0.
#include <Arduino.h>

class Cell {
 public:
  Cell(byte data, byte clock) : data(data), clock(clock) {}
  void begin() {
    pinMode(data, INPUT);
    pinMode(clock, OUTPUT);
  }
  bool ready() { return digitalRead(data) == LOW; }
  long read() {
    unsigned long bits = 0;
    noInterrupts();
    for (byte i = 0; i < 25; i++) {
      digitalWrite(clock, HIGH);
      digitalWrite(clock, LOW);
      if (i < 24) bits = bits << 1 | digitalRead(data);
    }
    interrupts();
    return long(bits << 8) / 256;
  }

 private:
  const byte data, clock;
};

Cell cell{5, 6};
const byte TARE = 3;
long empty = 0;

void setup() {
  Serial.begin(9600);
  cell.begin();
  pinMode(TARE, INPUT_PULLUP);
}

void loop() {
  if (!cell.ready()) return;
  long counts = cell.read();
  if (digitalRead(TARE) == LOW) empty = counts;
  Serial.print((counts - empty) * 1000 / 420);
  Serial.println(" g");
}
