/* What the ports without an operating system share: a tick, a ring of received bytes,
 * and a core that sleeps whenever there is nothing to do.
 *
 * A chip's file sets up one UART and a 100 Hz tick, and calls in from its interrupts.
 */
#ifndef EMBEDBENCH_BARE_H
#define EMBEDBENCH_BARE_H

#include <stdint.h>

#define BARE_TICK_HZ 100U

/* Both are written once per tick, in this order. */
extern volatile uint32_t embedbench_ticks;
extern volatile uint32_t embedbench_ticks_done;

/* Where an emulator that runs in lockstep with a bench stops: one of these is written,
 * in turn, before the tick that follows on number `embedbench_awaited` is counted, or on
 * the one in which something was sent, if that is earlier. */
extern volatile uint32_t embedbench_stops[2];
extern volatile uint32_t embedbench_stop_count;
extern volatile uint32_t embedbench_awaited;

/* Written when a byte has been read from the UART. */
extern volatile uint32_t embedbench_received;

/* Called by the chip. */
void bare_start(void);               /* before anything of this port */
void bare_tick(void);                /* from its tick interrupt */
void bare_received(uint8_t byte);    /* from its UART's interrupt */

/* Given by the chip. */
void chip_put(uint8_t byte);         /* returns when the UART has taken it */
uint32_t chip_mask_interrupts(void); /* returns the mask that was */
void chip_restore_interrupts(uint32_t mask);
void chip_sleep(void);               /* masked: until an interrupt is due; may serve it */

/* All variables lie in here, but for those above; and the end of what is free. */
extern uint8_t chip_memory_start[], chip_memory_end[], chip_stack_top[];

#endif
