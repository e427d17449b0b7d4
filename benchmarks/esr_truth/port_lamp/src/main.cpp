// Two lamps by port registers alone, one lit while the other is dark.
#include <Arduino.h>

#define LAMP_BIT 5
#define OTHER_BIT 2

void setup() { DDRB |= _BV(LAMP_BIT) | _BV(OTHER_BIT); }

void loop() {
  PORTB |= _BV(LAMP_BIT);
  PORTB &= ~_BV(OTHER_BIT);
  delay(150);
  PORTB &= ~_BV(LAMP_BIT);
  PORTB |= _BV(OTHER_BIT);
  delay(50);
}
