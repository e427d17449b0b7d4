/* What the ports without an operating system share: a tick, a ring of received bytes,
 * and a core that sleeps whenever there is nothing to do.
 *
 * A chip's file sets up one UART and a 100 Hz tick, and calls in from its interrupts.
 */
#ifndef EMBEDBENCH_BARE_H
#define EMBEDBENCH_BARE_H

#include <stdint.h>

#define BARE_TICK_HZ 100U

/* Both are written once per tick, in this order: where an emulator that runs in
 * lockstep with a bench stops. */
extern volatile uint32_t embedbench_ticks;
extern volatile uint32_t embedbench_ticks_done;

/* Written when a byte has been read from the UART. */
extern volatile uint32_t embedbench_received;

/* Called by the chip. */
void bare_tick(void);                /* from its tick interrupt */
void bare_received(uint8_t byte);    /* from its UART's interrupt */

/* Given by the chip. */
void chip_put(uint8_t byte);         /* returns when the UART has taken it */
uint32_t chip_mask_interrupts(void); /* returns the mask that was */
void chip_restore_interrupts(uint32_t mask);
void chip_sleep(void);               /* masked: until an interrupt is due; may serve it */

#endif
