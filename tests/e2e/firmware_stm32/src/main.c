#include <stdint.h>

#define USART1_DR (*(volatile uint32_t *)0x40011004)
#define USART1_CR1 (*(volatile uint32_t *)0x4001100C)
#define ENABLE_AND_SEND 0x2008

extern uint32_t stack_top;

int main(void)
{
    USART1_CR1 = ENABLE_AND_SEND;
    for (const char *text = "ready\n"; *text; text++) {
        USART1_DR = (uint8_t)*text;
    }
    for (;;) {
    }
}

void reset(void)
{
    main();
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = {
    &stack_top,
    (void *)reset,
};
