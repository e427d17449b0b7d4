/* Does as WAY says with registers that have flags, and says what it reads there. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay.h>

#include "serial.h"

enum { PIN_FLAGS, ADC_FLAG, EEPROM, COMPARATOR, CLOCK, MEGA };

#if defined __AVR_ATmega2560__
#define PCIE 0
#define TOGGLED PINB
#elif defined __AVR_ATmega1284P__
#define PCIE 3
#define TOGGLED PIND
ISR(PCINT3_vect, ISR_ALIASOF(PCINT0_vect));
#else
#define PCIE 2
#define TOGGLED PIND
ISR(PCINT2_vect, ISR_ALIASOF(PCINT0_vect));
#endif

static volatile uint8_t came;

#ifdef __AVR_ATmega2560__
ISR(PCINT1_vect) { came += 1; }
ISR(PCINT2_vect) { came += 16; }
#endif
ISR(INT0_vect) { came += 1; }
ISR(PCINT0_vect) { came += 16; }
ISR(ADC_vect) { came++; }
ISR(EE_READY_vect)
{
    if (++came == 3) EECR &= ~_BV(EERIE);
}
#ifndef __AVR_ATmega2560__
ISR(ANALOG_COMP_vect) { came++; }
#endif

static uint8_t interrupts(void)
{
    came = 0;
    sei();
    _delay_us(100);
    cli();
    return came;
}

/* INT0 and the pin changes are on PD2 (Mega: INT0 on PD0, and the change of PB0). */
static void pin_flags(void)
{
    DDRD = DDRB = 0xFF;
    EICRA = 3;
#if PCIE == 0
    PCMSK0 = 1;
#elif PCIE == 3
    PCMSK3 = _BV(2);
#else
    PCMSK2 = _BV(2);
#endif
    PORTD = PORTB = 0xFF;
    say_value("both", (EIFR & 1) | (PCIFR >> PCIE & 1) << 1);
    EIFR = 0xFE;
    PCIFR = ~_BV(PCIE);
    say_value("others", (EIFR & 1) | (PCIFR >> PCIE & 1) << 1);
    EIFR = 1;
    PCIFR = _BV(PCIE);
    say_value("cleared", (EIFR & 1) | (PCIFR >> PCIE & 1) << 1);
    EIMSK = 1;
    PCICR = _BV(PCIE);
    say_value("none", interrupts());
    EIMSK = PCICR = 0;
    PORTD = PORTB = 0;
    PORTD = PORTB = 0xFF;
    EIMSK = 1;
    PCICR = _BV(PCIE);
    say_value("late", interrupts());
}

static void adc_flag(void)
{
    ADCSRA = _BV(ADEN) | _BV(ADSC) | 4;
    while (ADCSRA & _BV(ADSC)) { }
    say_value("up", ADCSRA >> ADIF & 1);
    ADCSRA = _BV(ADEN) | _BV(ADIE) | 4;
    say_value("late", interrupts());
    ADCSRA = _BV(ADEN) | _BV(ADSC) | 4;
    while (ADCSRA & _BV(ADSC)) { }
    ADCSRA |= 0;
    say_value("cleared", ADCSRA >> ADIF & 1);
    /* Free running: every 13 clocks of F_CPU/128. */
    ADCSRA = _BV(ADEN) | _BV(ADATE) | _BV(ADSC) | _BV(ADIE) | 7;
    came = 0;
    sei();
    while (came < 1) { }
    TCNT1 = 0;
    TCCR1B = _BV(CS11);
    while (came < 101) { }
    say_value("hundred", TCNT1);
}

static uint16_t stored(uint8_t mode, uint8_t byte)
{
    TCNT1 = 0;
    EEAR = 7;
    EEDR = byte;
    EECR = mode << EEPM0;
    EECR |= _BV(EEMPE);
    EECR |= _BV(EEPE);
    while (EECR & _BV(EEPE)) { }
    return TCNT1;
}

static uint8_t loaded(void)
{
    EECR |= _BV(EERE);
    return EEDR;
}

static void eeprom(void)
{
    TCCR1B = _BV(CS11);
    say_value("time", stored(0, 0x3C));
    say_value("byte", loaded());
    say_value("half", stored(2, 0xF0));
    say_value("and", loaded());
    stored(1, 0);
    say_value("erased", loaded());
    EEDR = 1;
    EECR = 0;
    EECR |= _BV(EEPE);
    say_value("unarmed", loaded());
    EECR |= _BV(EEMPE);
    _delay_us(1);
    EECR |= _BV(EEPE);
    say_value("late", loaded());
    EECR |= _BV(EERIE);
    say_value("again", interrupts());
}

static void comparator(void)
{
#ifdef PINS
    ACSR = _BV(ACIE);
#else
    ADCSRB = _BV(ACME);
    ACSR = _BV(ACBG) | _BV(ACIE);
#endif
    sei();
    say("GO\n");
    for (;;) {
        _delay_ms(5);
        say_value("ACO", (ACSR >> ACO & 1) + came * 10);
    }
}

#ifdef __AVR_ATmega2560__
/* Changes of outputs, then whatever comes from outside. */
static void mega(void)
{
    DDRJ = _BV(1);
    DDRK = _BV(7);
    PCICR = _BV(PCIE1) | _BV(PCIE2);
    PCMSK1 = _BV(1) | _BV(2); /* PJ0 and PJ1: PCINT9 and 10 */
    PCMSK2 = _BV(0) | _BV(7);
    PINJ = _BV(1);
    PINJ = _BV(1);
    PINK = _BV(7);
    say_value("outputs", (PCIFR >> 1 & 1) + interrupts());
    sei();
    for (;;) {
        _delay_ms(5);
        say_value("inputs", came);
    }
}
#endif

int main(void)
{
    serial_start();
    switch (WAY) {
    case PIN_FLAGS: pin_flags(); break;
    case ADC_FLAG: adc_flag(); break;
    case EEPROM: eeprom(); break;
    case COMPARATOR: comparator(); break;
#ifdef __AVR_ATmega2560__
    case MEGA: mega(); break;
#endif
    case CLOCK:
        CLKPR = 5;
        say_value("closed", CLKPR);
        CLKPR = _BV(CLKPCE);
        CLKPR = 1;
        say_value("open", CLKPR);
        break;
    }
    for (;;) { }
}
