/* Toggles a pin as fast as it can. */
#include <avr/io.h>

int main(void)
{
    DDRB = _BV(0);
    for (;;) PINB = _BV(0);
}
