/* Sends five pixels to D8, again and again; the first one gets greener each time. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay.h>

static void send(const uint8_t *bytes, uint8_t count)
{
    while (count--) {
        uint8_t byte = *bytes++;
        for (uint8_t i = 8; i; i--, byte <<= 1) {
            /* High for 0.31 us (SBI, CBI and three cycles), or for 0.81 us. */
            if (byte & 0x80) {
                PORTB |= 1;
                __builtin_avr_delay_cycles(11);
                PORTB &= ~1;
            } else {
                PORTB |= 1;
                __builtin_avr_delay_cycles(3);
                PORTB &= ~1;
                __builtin_avr_delay_cycles(7);
            }
        }
    }
}

int main(void)
{
    static uint8_t bytes[] = { 1, 2, 3, 255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7 };
    DDRB |= 1;
    for (;; bytes[0]++) {
        cli();
        send(bytes, sizeof bytes);
        sei();
        _delay_ms(10);
    }
}
