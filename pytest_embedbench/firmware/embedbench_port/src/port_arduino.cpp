// Any Arduino core: Serial, millis(), and whatever sleep the core has.
#if defined(ARDUINO)

#include "embedbench_port.h"

#include <Arduino.h>

#if defined(__AVR__)
#include <avr/sleep.h>
#endif

#ifndef BAUD
#define BAUD 115200UL
#endif
#define RX_BUFFER_SIZE 512

// Wait for an interrupt, a millisecond at most.
static void doze()
{
#if defined(__AVR__)
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_mode();
#else
    delay(1);
#endif
}

uint32_t port_now_ms(void)
{
    return millis() / PORT_TICK_MS * PORT_TICK_MS;
}

size_t port_uart_read(uint8_t *buffer, size_t capacity, uint32_t timeout_ms)
{
    uint32_t since = millis();
    size_t count = 0;

    while (count < capacity) {
        int byte = Serial.read();

        if (byte >= 0) {
            buffer[count++] = (uint8_t)byte;
            since = millis();
        } else if (millis() - since >= timeout_ms) {
            break;
        } else {
            doze();
        }
    }
    return count;
}

void port_uart_write(const uint8_t *data, size_t length)
{
    Serial.write(data, length);
}

void port_delay_ms(uint32_t duration_ms)
{
    uint32_t start = millis();

    while (millis() - start < duration_ms) {
        doze();
    }
}

void setup()
{
#if defined(ESP32) || defined(ESP8266)
    Serial.setRxBufferSize(RX_BUFFER_SIZE);
#endif
    Serial.begin(BAUD);
    firmware_main();
}

void loop()
{
}

#endif
