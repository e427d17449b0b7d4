// The reference: SPI shifts both bytes, the far register's first, and one edge shows them.
#include <Arduino.h>
#include <SPI.h>

static const uint8_t LATCH = 10;
static const uint8_t KNOB = A0;
static const uint8_t LEDS = 16;
static const uint32_t SLOWEST_MS = 500;
static const uint32_t FASTEST_MS = 50;

static uint8_t lit;
static uint32_t lit_since_ms;

static void show()
{
    uint16_t pattern = 1u << lit;

    SPI.transfer(pattern >> 8);
    SPI.transfer(pattern & 0xFF);
    digitalWrite(LATCH, HIGH);
    digitalWrite(LATCH, LOW);
}

static uint32_t stays_ms()
{
    return SLOWEST_MS - (SLOWEST_MS - FASTEST_MS) * analogRead(KNOB) / 1023;
}

void setup()
{
    pinMode(LATCH, OUTPUT);
    SPI.begin();
    SPI.beginTransaction(SPISettings(4000000, MSBFIRST, SPI_MODE0));
    show();
    lit_since_ms = millis();
}

void loop()
{
    delay(1); // nobody sees it
    if (millis() - lit_since_ms < stays_ms()) {
        return;
    }
    lit_since_ms = millis();
    lit = (lit + 1) % LEDS;
    show();
}
