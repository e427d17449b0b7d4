/* ESP32: one Xtensa core, the tick from CCOMPARE0, code without register windows. */
#if defined(__XTENSA__) && !defined(ESP_PLATFORM) && !defined(ARDUINO)

#include "esp.h"

#include "../bare/bare.h"

/* The crystal's, which the ROM leaves the core on. */
#define CPU_HZ 40000000U
#define TICK_CYCLES (CPU_HZ / BARE_TICK_HZ)

#define TIMER0_LINE 6U
#define UART0_LINE 12U
#define UART0_ROUTE REGISTER(0x3FF0018CU)
#define LEVEL1_INTERRUPT 4U

#define READ(name) ({ uint32_t value_; __asm volatile("rsr %0, " name : "=r"(value_)); value_; })
#define WRITE(name, value) __asm volatile("wsr %0, " name "\n\trsync" :: "r"(value) : "memory")

/* Here the ROM jumps to; and here all exceptions and level 1 interrupts. A frame holds
 * what C may change, from a0 up without a1: 16 words. */
__asm(
    ".section .vectors, \"ax\"\n"
    ".global embedbench_vectors\n"
    "embedbench_vectors:\n"
    ".org 0x300\n" /* in an exception's own code */
    "    wsr a0, excsave1\n"
    "    j esp_exception\n"
    ".org 0x340\n" /* in all other code */
    "    wsr a0, excsave1\n"
    "    j esp_exception\n"
    ".org 0x3c0\n" /* while an exception is being taken */
    "    wsr a0, excsave1\n"
    "    j esp_exception\n"
    ".org 0x400\n"
    ".text\n"
    ".align 4\n"
    ".global _start\n"
    ".type _start, @function\n"
    ".literal_position\n"
    "_start:\n"
    "    movi a1, _stack_top\n"
    "    movi a2, 0x20\n" /* user mode, all interrupts on, no windows */
    "    movi a3, 0\n"
    "    wsr a3, intenable\n"
    "    movi a3, embedbench_vectors\n"
    "    wsr a3, vecbase\n"
    "    wsr a2, ps\n"
    "    rsync\n"
    "    movi a0, 0\n"
    "    call0 esp_main\n"
    ".type esp_exception, @function\n"
    ".align 4\n"
    "esp_exception:\n"
    "    addi a1, a1, -64\n"
    "    s32i a2, a1, 8\n"
    "    s32i a3, a1, 12\n"
    "    s32i a4, a1, 16\n"
    "    s32i a5, a1, 20\n"
    "    s32i a6, a1, 24\n"
    "    s32i a7, a1, 28\n"
    "    s32i a8, a1, 32\n"
    "    s32i a9, a1, 36\n"
    "    s32i a10, a1, 40\n"
    "    s32i a11, a1, 44\n"
    "    rsr a2, excsave1\n"
    "    s32i a2, a1, 0\n"
    "    rsr a2, sar\n"
    "    s32i a2, a1, 4\n"
    "    rsr a2, exccause\n"
    "    rsr a3, epc1\n"
    "    addi a4, a1, 64\n"
    "    call0 esp_take_exception\n"
    "    l32i a2, a1, 4\n"
    "    wsr a2, sar\n"
    "    l32i a0, a1, 0\n"
    "    l32i a2, a1, 8\n"
    "    l32i a3, a1, 12\n"
    "    l32i a4, a1, 16\n"
    "    l32i a5, a1, 20\n"
    "    l32i a6, a1, 24\n"
    "    l32i a7, a1, 28\n"
    "    l32i a8, a1, 32\n"
    "    l32i a9, a1, 36\n"
    "    l32i a10, a1, 40\n"
    "    l32i a11, a1, 44\n"
    "    addi a1, a1, 64\n"
    "    rfe\n");

static const char *cause_name(uint32_t cause)
{
    switch (cause) {
    case 0: return "IllegalInstruction";
    case 2: return "InstructionFetchError";
    case 3: return "LoadStoreError";
    case 6: return "IntegerDivideByZero";
    case 9: return "LoadStoreAlignment";
    case 20: return "InstrFetchProhibited";
    case 28: return "LoadProhibited";
    case 29: return "StoreProhibited";
    default: return "Unhandled exception";
    }
}

void esp_take_exception(uint32_t cause, uint32_t pc, uint32_t sp);
void esp_take_exception(uint32_t cause, uint32_t pc, uint32_t sp)
{
    uint32_t pending;

    if (cause != LEVEL1_INTERRUPT) {
        esp_panic(cause_name(cause), pc, sp);
    }
    pending = READ("interrupt") & READ("intenable");
    if (pending & (1U << TIMER0_LINE)) {
        do { /* a tick that was due while interrupts were off still counts */
            WRITE("ccompare0", READ("ccompare0") + TICK_CYCLES);
            bare_tick();
        } while ((int32_t)(READ("ccompare0") - READ("ccount")) <= 0);
    }
    if (pending & (1U << UART0_LINE)) {
        esp_uart_interrupt();
    }
}

void esp_core_start(void)
{
    UART0_ROUTE = UART0_LINE;
    WRITE("ccompare0", READ("ccount") + TICK_CYCLES);
    WRITE("intenable", (1U << TIMER0_LINE) | (1U << UART0_LINE));
}

uint32_t chip_mask_interrupts(void)
{
    uint32_t mask;

    __asm volatile("rsil %0, 1" : "=r"(mask) :: "memory");
    return mask;
}

void chip_restore_interrupts(uint32_t mask)
{
    WRITE("ps", mask);
}

void chip_sleep(void)
{
    __asm volatile("waiti 0" ::: "memory");
}

#endif
