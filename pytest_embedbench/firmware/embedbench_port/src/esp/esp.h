/* What the ESP32 and the ESP32-C3 have in common when nothing but the ROM has run. */
#ifndef EMBEDBENCH_ESP_H
#define EMBEDBENCH_ESP_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* Given by the core's file. */
void esp_core_start(void);   /* vectors, interrupt routing and tick */
void esp_restart(void);

/* Given by the chip's file. */
void esp_main(void);         /* called by _start; never returns */
void esp_uart_interrupt(void);

/* An exception that nobody handles: say so as ESP-IDF does, and restart. */
void esp_panic(const char *cause, uint32_t pc, uint32_t sp);

#endif
