/* Says the cause of its start, from MCUSR and from r2; then restarts itself as WAY says,
 * once. It never switches the watchdog off. */
#include <avr/wdt.h>
#include <util/delay.h>

#include "serial.h"

enum { BY_WATCHDOG, BY_JUMP, NEVER };

__attribute__((naked, used, section(".init0"))) void keep_cause(void)
{
    __asm__ volatile("out %0, r2" : : "I"(_SFR_IO_ADDR(GPIOR0)));
}

static uint8_t runs __attribute__((section(".noinit")));

int main(void)
{
    serial_start();
    say_value("MCUSR", MCUSR);
    say_value("R2", GPIOR0);
    if (!(GPIOR1 & 1)) runs = GPIOR0 == 8 || MCUSR & 8;
    _delay_ms(20);
    if (WAY == BY_WATCHDOG && !runs) {
        wdt_enable(WDTO_15MS);
        for (;;) { }
    }
    if (WAY == BY_JUMP && !(GPIOR1 & 1)) {
        GPIOR1 = 1; /* registers outlive a jump to 0, and no reset */
        __asm__ volatile("jmp 0");
    }
    for (;;) {
        say("up\n");
        _delay_ms(50);
    }
}
