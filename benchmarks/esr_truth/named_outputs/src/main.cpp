// Outputs by name over Serial: "pump 1" switches the pump on.
#include <Arduino.h>

struct Output {
  const char *name;
  byte pin;
  bool isInverted;
};

static const Output outputs[] = {
    {"pump", 8, false},
    {"fan", A2, false},
    {"heat", 11, false},
};

void setup() {
  for (const Output &it : outputs) pinMode(it.pin, OUTPUT);
  Serial.begin(9600);
  Serial.setTimeout(50);
  Serial.println("ready");
}

void loop() {
  if (!Serial.available()) return;
  String line = Serial.readStringUntil('\n');
  int space = line.indexOf(' ');
  for (const Output &it : outputs)
    if (line.substring(0, space) == it.name)
      digitalWrite(it.pin, (line[space + 1] == '1') != it.isInverted);
}
