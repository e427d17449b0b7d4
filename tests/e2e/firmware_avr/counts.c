/* Says what CODE leaves in a. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay.h>

#include "serial.h"

#define CYCLES(n) __builtin_avr_delay_cycles(n)

int main(void)
{
    uint16_t a = 0;
    serial_start();
    CODE;
    say_value("A", a);
    for (;;) { }
}
