/* Says BOOT with the cause of reset, and after 20 ms does what FAULT names. */
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <stdlib.h>
#include <util/delay.h>

#include "serial.h"

enum { JUMP_OUT, BAD_ADDRESS, BAD_OPCODE, DEEP_STACK, NULL_CALL, NO_HANDLER, WATCHDOG,
       SLEEP_FOREVER, SPIN, SILENCE, REBOOT_LOOP, ABORT, EXIT, RETURN, ABORT_WATCHED, CLI_LOOP };

__attribute__((noinline)) void hang(void)
{
    for (;;) __asm__ volatile("");
}

__attribute__((noinline)) uint16_t recurse(uint16_t n)
{
    volatile uint8_t weight[40];
    weight[n % 40] = n;
    return recurse(n + 1) + weight[(n + 1) % 40];
}

__attribute__((noinline)) void fail(void)
{
    void (*volatile target)(void) = 0;
    switch (FAULT) {
    case JUMP_OUT:
        target = (void (*)(void))((FLASHEND - 63) / 2);
        target();
        break;
    case BAD_ADDRESS:
        *(volatile uint8_t *)0xF000 = 1;
        break;
    case BAD_OPCODE:
        __asm__ volatile(".word 0x0001");
        break;
    case DEEP_STACK:
        recurse(0);
        break;
    case NULL_CALL:
        target();
        __asm__ volatile(""); /* or the call is a jump */
        break;
    case NO_HANDLER:
        TIMSK1 = _BV(TOIE1);
        TCCR1B = _BV(CS10);
        sei();
        hang();
        break;
    case WATCHDOG:
    case REBOOT_LOOP:
        wdt_enable(WDTO_15MS);
        hang();
        break;
    case SLEEP_FOREVER:
        cli();
        sleep_mode();
        break;
    case ABORT:
        abort();
        break;
    case EXIT:
        say("bye\n");
        exit(0);
        break;
    case ABORT_WATCHED:
        wdt_enable(WDTO_15MS);
        abort();
        break;
    case CLI_LOOP:
        cli();
        for (;;) { }
        break;
    case SPIN:
        hang();
        break;
    }
}

int main(void)
{
    uint8_t cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
    if (FAULT != SILENCE) {
        serial_start();
        say_value("BOOT", cause);
        if (FAULT != REBOOT_LOOP && cause & _BV(WDRF)) {
            PORTB = _BV(0);
            for (;;) {
                while (!(UCSR0A & _BV(RXC0))) { }
                char c = UDR0;
                put(c);
                if (c == '\n') say_value("PIN", PINB & 1);
            }
        }
    }
    _delay_ms(20);
    fail();
    if (FAULT == RETURN) return 0;
    for (;;) { }
}
