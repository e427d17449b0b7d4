/* Firmwares for bench_circuits.py, by SKETCH. */
#include <Arduino.h>
#include <SPI.h>
#include <Wire.h>

#define BLINK 1
#define SERVO 2
#define ECHO 3
#define DIGITS 4
#define PIXELS 5
#define I2C 6
#define BYTES 7
#define FRAMES 8

#if SKETCH == SERVO
static unsigned int pulse_counts = 3000;

ISR(TIMER1_COMPA_vect)
{
    PINB = _BV(1);
    OCR1A += PORTB & _BV(1) ? pulse_counts : 40000 - pulse_counts;
}
#endif

static void write_data(void)
{
    Wire.beginTransmission(0x3C);
    Wire.write(0x40);
    for (byte i = 0; i < 30; i++) Wire.write(i);
    Wire.endTransmission();
}

static void show_pixels(void)
{
    noInterrupts();
    for (byte i = 0; i < 48; i++) {
        for (byte bits = i * 5, bit = 0; bit < 8; bit++, bits <<= 1) {
            PORTB |= _BV(0);
            if (bits & 0x80) __builtin_avr_nops(6);
            PORTB &= ~_BV(0);
        }
    }
    interrupts();
}

void setup()
{
    for (byte pin = 2; pin < 14; pin++) pinMode(pin, pin == 6 ? INPUT : OUTPUT);
#if SKETCH == SERVO
    TCCR1A = 0;
    TCCR1B = _BV(CS11);
    TIMSK1 = _BV(OCIE1A);
#elif SKETCH == I2C || SKETCH == FRAMES
    Wire.begin();
    Wire.setClock(400000);
#elif SKETCH == BYTES
    SPI.begin();
    SPI.beginTransaction(SPISettings(8000000, MSBFIRST, SPI_MODE0));
    digitalWrite(10, LOW);
#endif
}

void loop()
{
#if SKETCH == BLINK
    digitalWrite(13, !digitalRead(13));
    delay(500);
#elif SKETCH == SERVO
    for (byte degrees = 0; degrees < 180; degrees++) {
        pulse_counts = 1000 + degrees * 22;
        delay(15);
    }
#elif SKETCH == ECHO
    digitalWrite(7, HIGH);
    delayMicroseconds(10);
    digitalWrite(7, LOW);
    pulseIn(6, HIGH, 6500); /* an echo of 100 cm is over by then, and so is none */
    delay(60);
#elif SKETCH == DIGITS
    static const byte shapes[] = {0x3F, 0x06, 0x5B, 0x4F};
    for (byte digit = 0; digit < 4; digit++) {
        for (byte bit = 0; bit < 4; bit++) digitalWrite(2 + bit, shapes[digit] >> bit & 1);
        for (byte bit = 4; bit < 7; bit++) digitalWrite(3 + bit, shapes[digit] >> bit & 1);
        digitalWrite(10 + digit, LOW);
        delayMicroseconds(1000);
        digitalWrite(10 + digit, HIGH);
    }
#elif SKETCH == PIXELS
    show_pixels();
    delay(33);
#elif SKETCH == I2C
    write_data();
#elif SKETCH == FRAMES
    for (byte part = 0; part < 34; part++) write_data(); /* a display of 1 kB */
    delay(50);
#elif SKETCH == BYTES
    SPDR = 0x55;
    while (!(SPSR & _BV(SPIF))) {}
#endif
}
