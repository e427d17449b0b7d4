#include <stdint.h>

#ifdef __XTENSA__
#define UART0_FIFO (*(volatile uint32_t *)0x3FF40000)
#define SET_STACK "movi a1, _stack_top\n call0 main\n"
#else
#define UART0_FIFO (*(volatile uint32_t *)0x60000000)
#define SET_STACK "la sp, _stack_top\n call main\n"
#endif

static int count = 3;

__attribute__((noreturn)) int main(void)
{
    for (const char *text = "ready\n"; *text; text++) {
        UART0_FIFO = (uint8_t)*text;
    }
    for (;;) {
        count += 100 / count;
    }
}

__attribute__((naked, noreturn)) void _start(void)
{
    __asm__ volatile(SET_STACK);
    __builtin_unreachable();
}
