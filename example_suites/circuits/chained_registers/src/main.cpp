// Where a submission starts: it builds, and all LEDs stay dark.
#include <Arduino.h>

void setup() {}

void loop() {}
