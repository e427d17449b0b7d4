// Where a submission starts: it builds, and all lamps stay dark.
#include <Arduino.h>

void setup() {}

void loop() {}
