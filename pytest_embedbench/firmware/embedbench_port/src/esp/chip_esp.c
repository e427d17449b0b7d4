/* ESP32 and ESP32-C3, loaded by the ROM in the bootloader's place: UART0 as the ROM has
 * left it, at 115200 baud. */
#if (defined(__XTENSA__) || defined(__riscv)) && !defined(ESP_PLATFORM) && !defined(ARDUINO)

#include "esp.h"

#include "../bare/bare.h"

#include "embedbench_port.h"

#include <stddef.h>

#ifdef __XTENSA__
#define UART0 0x3FF40000U
/* Writes over the other bus can be lost (ESP32 errata, CPU-3.3). */
#define UART0_FIFO_OUT REGISTER(0x60000000U)
#define RTC 0x3FF48000U
#define RTC_WDT_CONFIG REGISTER(RTC + 0x8CU)
#define RTC_WDT_UNLOCK REGISTER(RTC + 0xA4U)
#define TIMER_GROUP_0 0x3FF5F000U
#else
#define UART0 0x60000000U
#define UART0_FIFO_OUT REGISTER(UART0)
#define RTC 0x60008000U
#define RTC_WDT_CONFIG REGISTER(RTC + 0x90U)
#define RTC_WDT_UNLOCK REGISTER(RTC + 0xA8U)
#define SUPER_WDT_CONFIG REGISTER(RTC + 0xACU)
#define SUPER_WDT_UNLOCK REGISTER(RTC + 0xB0U)
#define SUPER_WDT_KEY 0x8F1D312AU
#define SUPER_WDT_FEEDS_ITSELF (1U << 31)
#define TIMER_GROUP_0 0x6001F000U
#endif
#define TIMER_WDT_CONFIG REGISTER(TIMER_GROUP_0 + 0x48U)
#define TIMER_WDT_UNLOCK REGISTER(TIMER_GROUP_0 + 0x64U)
#define WDT_KEY 0x50D83AA1U
#define RTC_OPTIONS REGISTER(RTC)
#define RTC_RESTART (1U << 31)

#define UART0_FIFO_IN REGISTER(UART0)
#define UART0_INTERRUPTS_ON REGISTER(UART0 + 0x0CU)
#define UART0_INTERRUPTS_CLEAR REGISTER(UART0 + 0x10U)
#define UART0_STATUS REGISTER(UART0 + 0x1CU)
#define UART0_CONF1 REGISTER(UART0 + 0x24U)
#define FIFO_COUNT 0xFFU
#define FIFO_OUT_SHIFT 16U
#define FIFO_OUT_FULL 126U
#define FULL_THRESHOLD_MASK 0x7FU
#define INTERRUPT_FULL (1U << 0)

extern uint32_t _bss_start[], _bss_end[];

static void watchdogs_off(void)
{
    RTC_WDT_UNLOCK = WDT_KEY;
    RTC_WDT_CONFIG = 0;
    TIMER_WDT_UNLOCK = WDT_KEY;
    TIMER_WDT_CONFIG = 0;
#ifdef SUPER_WDT_CONFIG
    SUPER_WDT_UNLOCK = SUPER_WDT_KEY;
    SUPER_WDT_CONFIG |= SUPER_WDT_FEEDS_ITSELF;
#endif
}

void esp_main(void)
{
    for (volatile uint32_t *word = _bss_start; word < _bss_end;) {
        *word++ = 0;
    }
    bare_start();
    watchdogs_off();
    UART0_CONF1 = (UART0_CONF1 & ~FULL_THRESHOLD_MASK) | 1U;
    UART0_INTERRUPTS_CLEAR = ~0U;
    UART0_INTERRUPTS_ON = INTERRUPT_FULL;
    esp_core_start();
    firmware_main();
    for (;;) {
        chip_mask_interrupts();
        chip_sleep();
    }
}

void esp_uart_interrupt(void)
{
    while (UART0_STATUS & FIFO_COUNT) {
        bare_received((uint8_t)UART0_FIFO_IN);
    }
    UART0_INTERRUPTS_CLEAR = INTERRUPT_FULL;
}

void chip_put(uint8_t byte)
{
    while ((UART0_STATUS >> FIFO_OUT_SHIFT & FIFO_COUNT) >= FIFO_OUT_FULL) {
    }
    UART0_FIFO_OUT = byte;
}

static void put_text(const char *text)
{
    while (*text != '\0') {
        chip_put((uint8_t)*text++);
    }
}

static void put_number(uint32_t number)
{
    put_text("0x");
    for (int shift = 28; shift >= 0; shift -= 4) {
        chip_put((uint8_t)"0123456789abcdef"[number >> shift & 0xFU]);
    }
}

void esp_panic(const char *cause, uint32_t pc, uint32_t sp)
{
    put_text("\r\nGuru Meditation Error: Core  0 panic'ed (");
    put_text(cause);
    put_text("). Exception was unhandled.\r\n");
#ifdef __XTENSA__
    put_text("\r\nBacktrace: ");
    put_number(pc);
    chip_put(':');
    put_number(sp);
#else
    put_text("Core  0 register dump:\r\nMEPC    : ");
    put_number(pc);
    put_text("  SP      : ");
    put_number(sp);
#endif
    put_text("\r\n\r\nRebooting...\r\n");
    RTC_OPTIONS |= RTC_RESTART;
    for (;;) {
    }
}

#endif
