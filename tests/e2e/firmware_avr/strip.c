/* Sends 9 pixels to WS2812 at D8, bits as wide as ZERO and ONE say, in clocks; and
   after 300 us of rest, two pixels more. */
#include <avr/io.h>
#include <util/delay.h>

static void send(uint8_t byte)
{
    for (uint8_t i = 0; i < 8; i++, byte <<= 1)
        __asm__ volatile(
            "out %[port], %[high]\n"
            ".rept %[zero] - 2\n nop\n .endr\n"
            "sbrs %[byte], 7\n"
            "out %[port], %[low]\n"
            ".rept %[one] - %[zero] - 1\n nop\n .endr\n"
            "out %[port], %[low]\n"
            ".rept 6\n nop\n .endr\n"
            :: [port] "I"(_SFR_IO_ADDR(PORTB)), [high] "r"(1), [low] "r"(0),
               [byte] "r"(byte), [zero] "i"(ZERO), [one] "i"(ONE));
}

int main(void)
{
    DDRB = 1;
    _delay_us(300);
    for (uint8_t i = 0; i < 9; i++) {
        send(i); /* green */
        send(255 - i); /* red */
        send(0x55 << (i & 1)); /* blue */
    }
    _delay_ms(5);
    for (uint8_t i = 0; i < 6; i++) send(200 + i);
    for (;;) { }
}
