// Says where a joystick is, in percent, and whether it is pressed.
#include <Arduino.h>

static const uint8_t kHorizontal = A0;
static const uint8_t kVertical = A1;
static const uint8_t kSelect = 2;

void setup() {
  Serial.begin(115200);
  pinMode(kSelect, INPUT_PULLUP);
}

void loop() {
  Serial.print("x=");
  Serial.print(map(analogRead(kHorizontal), 0, 1023, 100, -100));
  Serial.print(" y=");
  Serial.print(map(analogRead(kVertical), 0, 1023, -100, 100));
  Serial.println(digitalRead(kSelect) == LOW ? " pressed" : "");
  delay(30);
}
