/* One UART and one clock: all that a controller's firmware needs of its board.
 *
 * The port owns the program's entry point. It sets the board up, then calls
 * firmware_main(), which the application defines and which never returns.
 * Every wait in here lets the core sleep.
 */
#ifndef EMBEDBENCH_PORT_H
#define EMBEDBENCH_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The clock moves in steps of this on every board, as a 100 Hz RTOS tick does. */
#define PORT_TICK_MS 10U

/* The application. */
void firmware_main(void);

/* Milliseconds since the firmware started, a multiple of PORT_TICK_MS; wraps. */
uint32_t port_now_ms(void);

/* Fill `buffer` from the UART; return how many bytes it now holds.
 *
 * Returns when the buffer is full, or when `timeout_ms` have passed since the call
 * and since the last byte came in.
 */
size_t port_uart_read(uint8_t *buffer, size_t capacity, uint32_t timeout_ms);

/* Hand `length` bytes to the UART; returns when it has taken the last of them. */
void port_uart_write(const uint8_t *data, size_t length);

/* Let `duration_ms` pass. */
void port_delay_ms(uint32_t duration_ms);

/* For a program that tries others' code and begins again: remember all variables as
 * they are (false: there is no room), and put them back. Only the ports without an
 * operating system and with a linker script of ours have these. */
bool port_keep_memory(void) __attribute__((weak));
void port_restore_memory(void) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
