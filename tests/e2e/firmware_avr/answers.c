/* Answers each line with "ok", and does what WHAT says at the fifth. */
#include <avr/wdt.h>
#include <util/delay.h>

#include "serial.h"

enum { NOTHING, SAYS_MORE, SAYS_HALF, ENDS_OTHERWISE, TALKS_ON, IS_DEAF, CRASHES, RESTARTS };

static void do_what(uint8_t number)
{
    if (WHAT == SAYS_HALF && number == 7) say("k\n");
    if (number != 5) return;
    if (WHAT == SAYS_MORE) say("what\n");
    if (WHAT == SAYS_HALF) say("o");
    if (WHAT == ENDS_OTHERWISE) say("ok\r\n");
    if (WHAT == TALKS_ON) for (uint8_t i = 0; i < 250; i++) say("ok\n");
    if (WHAT == IS_DEAF) _delay_ms(250);
    if (WHAT == CRASHES) __asm__ volatile(".word 0x0001");
    if (WHAT == RESTARTS) { wdt_enable(WDTO_15MS); for (;;) { } }
}

int main(void)
{
    uint8_t number = 0;

    wdt_disable();
    serial_start();
    for (;;) {
        while (!(UCSR0A & _BV(RXC0))) { }
        if (UDR0 != '\n') continue;
        say("ok\n");
        do_what(++number);
    }
}
