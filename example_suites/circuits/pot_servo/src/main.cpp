// Where a submission starts: it builds, and the servo stays where it is.
#include <Arduino.h>

void setup() {}

void loop() {}
