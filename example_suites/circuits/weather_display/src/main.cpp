// Where a submission starts: it builds, and the display stays empty.
#include <Arduino.h>

void setup() {}

void loop() {}
