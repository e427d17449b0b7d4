/* STM32F4: USART2 on PA2 and PA3, the ST-Link's port on a Nucleo, and SysTick. */
#if defined(__arm__) && defined(STM32F4) && !defined(ARDUINO)

#include "../bare/bare.h"

#include "embedbench_port.h"

/* The clock after reset: HSI. An emulator may have another. */
#ifndef PORT_CPU_HZ
#define PORT_CPU_HZ 16000000U
#endif
#define BAUD_BPS 115200U

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define RCC_AHB1ENR REGISTER(0x40023830U)
#define RCC_APB1ENR REGISTER(0x40023840U)
#define GPIOA_MODER REGISTER(0x40020000U)
#define GPIOA_AFRL REGISTER(0x40020020U)
#define USART2_SR REGISTER(0x40004400U)
#define USART2_DR REGISTER(0x40004404U)
#define USART2_BRR REGISTER(0x40004408U)
#define USART2_CR1 REGISTER(0x4000440CU)
#define SYST_CSR REGISTER(0xE000E010U)
#define SYST_RVR REGISTER(0xE000E014U)
#define SYST_CVR REGISTER(0xE000E018U)
#define NVIC_ISER1 REGISTER(0xE000E104U)
#define SCB_CPACR REGISTER(0xE000ED88U)

#define GPIOAEN (1U << 0)
#define USART2EN (1U << 17)
#define PA2_PA3_MASK (0xFU << 4)
#define PA2_PA3_ALTERNATE (0xAU << 4)
#define PA2_PA3_AF_MASK (0xFFU << 8)
#define PA2_PA3_AF7 (0x77U << 8)
#define SR_RXNE (1U << 5)
#define SR_TXE (1U << 7)
#define CR1_RE (1U << 2)
#define CR1_TE (1U << 3)
#define CR1_RXNEIE (1U << 5)
#define CR1_UE (1U << 13)
#define CSR_RUN_FROM_CORE 7U
#define USART2_IN_ISER1 (1U << (38 - 32))
#define FPU_ON (0xFU << 20)

extern uint32_t embedbench_data_load[], embedbench_data_start[], embedbench_data_end[];
extern uint32_t embedbench_bss_start[], embedbench_bss_end[], embedbench_stack_top[];

void Reset_Handler(void);
void SysTick_Handler(void);
void USART2_IRQHandler(void);

static void uart_start(void)
{
    RCC_AHB1ENR |= GPIOAEN;
    RCC_APB1ENR |= USART2EN;
    GPIOA_AFRL = (GPIOA_AFRL & ~PA2_PA3_AF_MASK) | PA2_PA3_AF7;
    GPIOA_MODER = (GPIOA_MODER & ~PA2_PA3_MASK) | PA2_PA3_ALTERNATE;
    USART2_BRR = (PORT_CPU_HZ + BAUD_BPS / 2U) / BAUD_BPS;
    USART2_CR1 = CR1_UE | CR1_TE | CR1_RE | CR1_RXNEIE;
    NVIC_ISER1 = USART2_IN_ISER1;
}

static void tick_start(void)
{
    SYST_RVR = PORT_CPU_HZ / BARE_TICK_HZ - 1U;
    SYST_CVR = 0;
    SYST_CSR = CSR_RUN_FROM_CORE;
}

void Reset_Handler(void)
{
    const uint32_t *from = embedbench_data_load;

    SCB_CPACR |= FPU_ON;
    __asm volatile("dsb\n\tisb" ::: "memory");
    for (uint32_t *to = embedbench_data_start; to < embedbench_data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = embedbench_bss_start; to < embedbench_bss_end;) {
        *to++ = 0;
    }
    bare_start();
    uart_start();
    tick_start();
    firmware_main();
    for (;;) {
        chip_sleep();
    }
}

void SysTick_Handler(void)
{
    bare_tick();
}

void USART2_IRQHandler(void)
{
    while (USART2_SR & SR_RXNE) {
        bare_received((uint8_t)USART2_DR);
    }
}

/* Where a core goes that has lost its way; its name is what a debugger shows. */
static void Fault_Handler(void)
{
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 39])(void) = {
    [0] = (void (*)(void))embedbench_stack_top,
    [1] = Reset_Handler,
    [2] = Fault_Handler,
    [3] = Fault_Handler,
    [4] = Fault_Handler,
    [5] = Fault_Handler,
    [6] = Fault_Handler,
    [15] = SysTick_Handler,
    [16 + 38] = USART2_IRQHandler,
};

void chip_put(uint8_t byte)
{
    while (!(USART2_SR & SR_TXE)) {
    }
    USART2_DR = byte;
}

uint32_t chip_mask_interrupts(void)
{
    uint32_t mask;

    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(mask) :: "memory");
    return mask;
}

void chip_restore_interrupts(uint32_t mask)
{
    __asm volatile("msr primask, %0" :: "r"(mask) : "memory");
}

void chip_sleep(void)
{
    __asm volatile("dsb\n\twfi" ::: "memory");
}

#endif
