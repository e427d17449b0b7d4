#include <Arduino.h>

void setup() {}

void loop() {}
