/* What people connect to an Uno, by SKETCH: the firmware's side of it alone. */
#include <Arduino.h>

#define BLINK 1
#define SERVO 2
#define ECHO 3
#define PIXELS 4
#define LCD 5

#if SKETCH == SERVO
static unsigned int pulse_counts = 3000;

ISR(TIMER1_COMPA_vect)
{
    PINB = _BV(1);
    OCR1A += PORTB & _BV(1) ? pulse_counts : 40000 - pulse_counts;
}
#endif

static void nibble(byte bits)
{
    for (byte i = 0; i < 4; i++) digitalWrite(5 - i, bits >> i & 1); /* D7 on pin 2 */
    digitalWrite(11, HIGH);
    delayMicroseconds(1);
    digitalWrite(11, LOW);
    delayMicroseconds(100);
}

static void show_text(const char *text)
{
    for (; *text; text++) {
        nibble(*text >> 4);
        nibble(*text & 15);
    }
}

static void send_pixels(void)
{
    noInterrupts();
    for (byte i = 0; i < 48; i++) {
        for (byte bit = 0; bit < 8; bit++) {
            PORTB |= _BV(0);
            if ((i * 5) >> bit & 1) __builtin_avr_nops(6);
            PORTB &= ~_BV(0);
        }
    }
    interrupts();
}

void setup()
{
    /* No others: simavr is slow where pin 2 or 3 is low, which is the LCD's case. */
#if SKETCH == LCD
    for (byte pin = 2; pin < 6; pin++) pinMode(pin, OUTPUT);
    pinMode(11, OUTPUT);
#else
    pinMode(13, OUTPUT);
    pinMode(9, OUTPUT);
    pinMode(8, OUTPUT);
    pinMode(6, OUTPUT);
#endif
#if SKETCH == SERVO
    TCCR1A = 0;
    TCCR1B = _BV(CS11);
    TIMSK1 = _BV(OCIE1A);
#endif
}

void loop()
{
#if SKETCH == BLINK
    digitalWrite(13, !digitalRead(13));
    delay(500);
#elif SKETCH == SERVO
    pulse_counts = pulse_counts >= 4800 ? 1088 : pulse_counts + 20;
    delay(15);
#elif SKETCH == ECHO
    digitalWrite(6, HIGH);
    delayMicroseconds(10);
    digitalWrite(6, LOW);
    pulseIn(7, HIGH, 8000);
    delay(60);
#elif SKETCH == PIXELS
    send_pixels();
    delay(32);
#else
    show_text("hello, world! 12");
    nibble(0);
    delay(200);
#endif
}
