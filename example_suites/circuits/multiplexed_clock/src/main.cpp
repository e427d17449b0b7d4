// Where a submission starts: it builds, and shows nothing.
#include <Arduino.h>

void setup() {}

void loop() {}
