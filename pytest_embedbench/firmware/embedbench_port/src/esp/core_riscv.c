/* ESP32-C3: one RISC-V core, the tick from the system timer. */
#if defined(__riscv) && !defined(ESP_PLATFORM) && !defined(ARDUINO)

#include "esp.h"

#include "../bare/bare.h"

#define TIMER 0x60023000U
#define TIMER_CONF REGISTER(TIMER)
#define TIMER_TARGET0_CONF REGISTER(TIMER + 0x34U)
#define TIMER_TARGET0_LOAD REGISTER(TIMER + 0x50U)
#define TIMER_INTERRUPTS_ON REGISTER(TIMER + 0x64U)
#define TIMER_INTERRUPTS_CLEAR REGISTER(TIMER + 0x6CU)
#define TIMER_HZ 16000000U
#define CONF_CLOCK_ON (1U << 31)
#define CONF_UNIT0_ON (1U << 30)
#define CONF_TARGET0_ON (1U << 24)
#define TARGET_REPEATS (1U << 30)
#define TARGET0 (1U << 0)

#define MATRIX 0x600C2000U
#define ROUTE(source) REGISTER(MATRIX + 4U * (source))
#define LINES_ON REGISTER(MATRIX + 0x104U)
#define LINE_PRIORITY(line) REGISTER(MATRIX + 0x114U + 4U * (line))
#define PRIORITY_THRESHOLD REGISTER(MATRIX + 0x194U)
#define UART0_SOURCE 21U
#define TARGET0_SOURCE 37U
#define TICK_LINE 1U
#define UART0_LINE 2U

#define CAUSE_IS_INTERRUPT (1U << 31)
#define CAUSE_MASK 0x1FU
#define MSTATUS_MIE 8U

/* Here the ROM jumps to; and here all exceptions and interrupts, by way of a table of 32
 * jumps. An interrupt between waking up and falling asleep again would be slept
 * through: it returns to behind the sleep. A frame holds what C may change. */
__asm(
    ".section .vectors, \"ax\"\n"
    ".option push\n"
    ".option norvc\n"
    ".balign 256\n"
    "embedbench_vectors:\n"
    ".rept 32\n"
    "    j esp_exception\n"
    ".endr\n"
    ".option pop\n"
    ".text\n"
    ".global _start\n"
    ".type _start, @function\n"
    "_start:\n"
    ".option push\n"
    ".option norelax\n"
    "    la sp, _stack_top\n"
    "    la tp, _tls_start\n"
    ".option pop\n"
    "    la t0, embedbench_vectors + 1\n" /* 1: by way of a table */
    "    csrw mtvec, t0\n"
    "    call esp_main\n"
    ".type esp_exception, @function\n"
    ".balign 4\n"
    "esp_exception:\n"
    "    addi sp, sp, -64\n"
    "    sw ra, 0(sp)\n"
    "    sw t0, 4(sp)\n"
    "    sw t1, 8(sp)\n"
    "    sw t2, 12(sp)\n"
    "    sw a0, 16(sp)\n"
    "    sw a1, 20(sp)\n"
    "    sw a2, 24(sp)\n"
    "    sw a3, 28(sp)\n"
    "    sw a4, 32(sp)\n"
    "    sw a5, 36(sp)\n"
    "    sw a6, 40(sp)\n"
    "    sw a7, 44(sp)\n"
    "    sw t3, 48(sp)\n"
    "    sw t4, 52(sp)\n"
    "    sw t5, 56(sp)\n"
    "    sw t6, 60(sp)\n"
    "    csrr a0, mcause\n"
    "    csrr a1, mepc\n"
    "    addi a2, sp, 64\n"
    "    call esp_take_exception\n"
    "    csrr t0, mepc\n"
    "    la t1, embedbench_sleep\n"
    "    bne t0, t1, 1f\n"
    "    addi t0, t0, 4\n"
    "    csrw mepc, t0\n"
    "1:\n"
    "    lw ra, 0(sp)\n"
    "    lw t0, 4(sp)\n"
    "    lw t1, 8(sp)\n"
    "    lw t2, 12(sp)\n"
    "    lw a0, 16(sp)\n"
    "    lw a1, 20(sp)\n"
    "    lw a2, 24(sp)\n"
    "    lw a3, 28(sp)\n"
    "    lw a4, 32(sp)\n"
    "    lw a5, 36(sp)\n"
    "    lw a6, 40(sp)\n"
    "    lw a7, 44(sp)\n"
    "    lw t3, 48(sp)\n"
    "    lw t4, 52(sp)\n"
    "    lw t5, 56(sp)\n"
    "    lw t6, 60(sp)\n"
    "    addi sp, sp, 64\n"
    "    mret\n"
    ".global chip_sleep\n"
    ".type chip_sleep, @function\n"
    "chip_sleep:\n"
    "    csrsi mstatus, 8\n"
    "embedbench_sleep:\n"
    "    wfi\n"
    "    ret\n");

static const char *cause_name(uint32_t cause)
{
    switch (cause) {
    case 0: return "Instruction address misaligned";
    case 1: return "Instruction access fault";
    case 2: return "Illegal instruction";
    case 3: return "Breakpoint";
    case 4: return "Load address misaligned";
    case 5: return "Load access fault";
    case 6: return "Store address misaligned";
    case 7: return "Store access fault";
    default: return "Unhandled exception";
    }
}

void esp_take_exception(uint32_t cause, uint32_t pc, uint32_t sp);
void esp_take_exception(uint32_t cause, uint32_t pc, uint32_t sp)
{
    if (!(cause & CAUSE_IS_INTERRUPT)) {
        esp_panic(cause_name(cause), pc, sp);
    }
    if ((cause & CAUSE_MASK) == TICK_LINE) {
        TIMER_INTERRUPTS_CLEAR = TARGET0;
        bare_tick();
    } else {
        esp_uart_interrupt();
    }
}

void esp_core_start(void)
{
    ROUTE(UART0_SOURCE) = UART0_LINE;
    ROUTE(TARGET0_SOURCE) = TICK_LINE;
    LINE_PRIORITY(UART0_LINE) = 1;
    LINE_PRIORITY(TICK_LINE) = 1;
    PRIORITY_THRESHOLD = 0;
    LINES_ON = (1U << UART0_LINE) | (1U << TICK_LINE);
    TIMER_TARGET0_CONF = TIMER_HZ / BARE_TICK_HZ;
    TIMER_TARGET0_CONF = TARGET_REPEATS | TIMER_HZ / BARE_TICK_HZ;
    TIMER_TARGET0_LOAD = 1;
    TIMER_INTERRUPTS_ON = TARGET0;
    TIMER_CONF |= CONF_CLOCK_ON | CONF_UNIT0_ON | CONF_TARGET0_ON;
    chip_restore_interrupts(MSTATUS_MIE);
}

uint32_t chip_mask_interrupts(void)
{
    uint32_t mask;

    __asm volatile("csrrci %0, mstatus, 8" : "=r"(mask) :: "memory");
    return mask & MSTATUS_MIE;
}

void chip_restore_interrupts(uint32_t mask)
{
    if (mask) {
        __asm volatile("csrsi mstatus, 8" ::: "memory");
    } else {
        __asm volatile("csrci mstatus, 8" ::: "memory");
    }
}

#endif
