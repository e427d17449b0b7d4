/* A press switches the light, and is told; a letter over the UART does the same. */
#include <Arduino.h>

#ifdef ESP32
const int LIGHT = 4, BUTTON = 5;
#else
const int LIGHT = 9, BUTTON = 2;
#endif
const unsigned long BOUNCES_MS = 20;

static bool lit;

static void toggle()
{
    lit = !lit;
    digitalWrite(LIGHT, lit);
    Serial.println(lit ? "light on" : "light off");
}

void setup()
{
    pinMode(LIGHT, OUTPUT);
    pinMode(BUTTON, INPUT_PULLUP);
    Serial.begin(115200);
    Serial.println("ready");
}

void loop()
{
    static bool was_down;
    static unsigned long changed_ms;
    bool down = digitalRead(BUTTON) == LOW;
    if (down != was_down && millis() - changed_ms > BOUNCES_MS) {
        was_down = down;
        changed_ms = millis();
        if (down) toggle();
    }
    if (Serial.read() == 't') toggle();
}
