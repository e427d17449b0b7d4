// Where a submission starts: it builds, and looks at nothing.
#include <Arduino.h>

void setup() {}

void loop() {}
