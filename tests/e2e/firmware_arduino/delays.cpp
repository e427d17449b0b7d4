/* Sketches that wait with delay(), by SKETCH, and what else goes on meanwhile. */
#include <Arduino.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#define BLINK 1
#define UNEVEN 2
#define SHORT_WAITS 3
#define FAST_ISR 4
#define SERVO 5
#define MILLIS 6
#define ANALOG 7
#define PIN_CHANGE 8
#define WATCHDOG 9
#define SLEEPS 10
#define PWM 11
#define IN_MICROS 12
#define OWN_YIELD 13
#define DELAY_US 14
#define TONE 15
#define ECHO 16
#define MASKED 17
#define SPI_BYTES 18
#define TWI_BYTES 19
#define TWI_NESTED 20
#define TWI_POLLED 21
#define TWI_COUNTED 22
#define TWI_CLIMBS 23

static volatile unsigned int events;

static void every(unsigned int cycles)
{
    TCCR1A = 0;
    TCCR1B = _BV(WGM12) | _BV(CS10);
    OCR1A = cycles - 1;
    TIMSK1 = _BV(OCIE1A);
}

#if SKETCH == SERVO
ISR(TIMER1_COMPA_vect)
{
    PINB = _BV(1);
    OCR1A += PINB & _BV(1) ? 3001 : 36997;
}
#elif SKETCH == TWI_NESTED
ISR(TIMER1_COMPA_vect, ISR_NOBLOCK)
{
    PINB = _BV(0);
    for (byte i = 0; i < 60; i++) asm volatile("nop");
    PINB = _BV(0);
    events++;
}
#else
ISR(TIMER1_COMPA_vect) { PINB = _BV(0); events++; }
#endif
ISR(PCINT2_vect) { events++; }
ISR(WDT_vect) { PINB = _BV(2); }

static byte moved(byte value)
{
    SPDR = value;
    asm volatile("nop");
    while (!(SPSR & _BV(SPIF))) {}
    return SPDR;
}

static void move_bytes(void)
{
    byte read = 0;
    for (byte rate = 0; rate < 7; rate++) {
        SPCR = _BV(SPE) | _BV(MSTR) | (rate & 3);
        SPSR = rate >> 2;
        for (byte i = 0; i < 16; i++) {
            read ^= moved(i) + i;
            PINB = _BV(0);
            SPDR = i;
            while (!(SPSR & _BV(SPIF))) {}
            PINB = _BV(1);
        }
    }
    Serial.println(read);
}

static volatile byte state, sent;
static volatile unsigned int climbs;

/* As of Wire: the interrupt sends the next byte, and says when there is none. */
#if SKETCH == TWI_NESTED
ISR(TWI_vect, ISR_NOBLOCK)
#else
ISR(TWI_vect)
#endif
{
    PINB = _BV(1);
    climbs++;
    if (SKETCH == TWI_CLIMBS || ++sent < 12) {
        TWDR = sent;
        TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWIE);
    } else {
        TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTO);
        state = 0;
    }
}

static void send_polled(byte control, byte value)
{
    TWDR = value;
    TWCR = _BV(TWINT) | _BV(TWEN) | control;
    while (!(TWCR & _BV(TWINT))) {}
    PINB = _BV(2);
}

static void send_message(void)
{
    TWBR = SKETCH == TWI_CLIMBS ? 20 : 6 * (events % 32);
    if (SKETCH == TWI_POLLED) {
        send_polled(_BV(TWSTA), 0);
        for (byte i = 0; i < 12; i++) send_polled(0, i);
        TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTO);
    } else {
        sent = 0;
        state = 2;
        TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWIE) | _BV(TWSTA);
        unsigned int left = 20000;
        if (SKETCH == TWI_COUNTED) while (state == 2 && --left) {}
        else if (SKETCH == TWI_CLIMBS) while (climbs != 30000) {}
        else while (state == 2) {}
        PINB = _BV(2);
        if (SKETCH == TWI_COUNTED) Serial.println(left);
    }
    while (TWCR & _BV(TWSTO)) {}
    events++;
    Serial.println(TCNT1);
    while (Serial.available()) Serial.write(Serial.read());
}

#if SKETCH == OWN_YIELD
void yield(void) { if (++events % 64 == 0) PINB = _BV(3); }
#endif

void setup()
{
    Serial.begin(115200);
    pinMode(13, OUTPUT);
    DDRB |= 0x0F;
    switch (SKETCH) {
    case FAST_ISR: case SPI_BYTES: every(1601); break;
    case IN_MICROS: case TWI_NESTED: every(997); break;
    case TWI_BYTES: case TWI_POLLED: case TWI_COUNTED: every(2999); break;
    case SERVO: TCCR1A = 0; TCCR1B = _BV(CS11); TIMSK1 = _BV(OCIE1A); break;
    case PIN_CHANGE: pinMode(3, OUTPUT); PCICR = _BV(PCIE2); PCMSK2 = _BV(3); break;
    case WATCHDOG: cli(); wdt_reset(); WDTCSR = _BV(WDCE) | _BV(WDE);
        WDTCSR = _BV(WDIE); sei(); break;
    case PWM: analogWrite(5, 60); analogWrite(9, 120); analogWrite(11, 200); break;
    case TONE: tone(8, 1234); break;
    case MASKED: TIMSK1 = 0; break;
    }
}

void loop()
{
    digitalWrite(13, !digitalRead(13));
    switch (SKETCH) {
    case UNEVEN: delay(1); digitalWrite(13, LOW); delay(37); break;
    case SHORT_WAITS: Serial.println(micros()); delay(1); break;
    case MILLIS: delay(3); Serial.println(millis()); break;
    case ANALOG: Serial.println(analogRead(A0)); delay(2); break;
    case PIN_CHANGE: digitalWrite(3, !digitalRead(3)); delay(5); Serial.println(events); break;
    case SLEEPS: delay(4); set_sleep_mode(SLEEP_MODE_IDLE); sleep_mode(); break;
    case PWM: analogWrite(9, ++events); delay(7); break;
    case IN_MICROS: delay(2); Serial.println(events); break;
    case DELAY_US: delay(2); delayMicroseconds(777); break;
    case ECHO: while (Serial.available()) Serial.write(Serial.read()); delay(3); break;
    case MASKED: noInterrupts(); delayMicroseconds(900); interrupts(); delay(2); break;
    case SPI_BYTES: move_bytes(); break;
    case TWI_BYTES: case TWI_NESTED: case TWI_POLLED: case TWI_COUNTED: case TWI_CLIMBS:
        send_message(); break;
    default: delay(20); Serial.println(micros()); break;
    }
}
