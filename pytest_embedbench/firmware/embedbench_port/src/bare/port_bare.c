#if !defined(ARDUINO) && !defined(ESP_PLATFORM) && !defined(__linux__) \
    && (defined(__arm__) || defined(__XTENSA__) || defined(__riscv))

#include "embedbench_port.h"

#include "bare.h"

#include <string.h>

#define RX_RING_SIZE 512U
#define STACK_BYTES 8192U
#define WATCHED __attribute__((section(".bss.embedbench_watched")))

WATCHED volatile uint32_t embedbench_ticks;
WATCHED volatile uint32_t embedbench_ticks_done;
WATCHED volatile uint32_t embedbench_stops[2];
WATCHED volatile uint32_t embedbench_stop_count;
WATCHED volatile uint32_t embedbench_awaited;
WATCHED volatile uint32_t embedbench_received;

/* Bytes that came in while nobody was reading; when it is full, they are lost. */
static volatile uint8_t ring[RX_RING_SIZE];
static volatile size_t ring_in;
static volatile size_t ring_out;

/* After a restart a bench stops at the first of these, and sees when that was. */
void bare_start(void)
{
    embedbench_stops[0] = 0;
    embedbench_stops[1] = 0;
    embedbench_stop_count = 0;
    embedbench_awaited = 0;
    embedbench_ticks = 0;
    embedbench_ticks_done = 0;
    embedbench_received = 0;
}

void bare_tick(void)
{
    if ((int32_t)(embedbench_ticks - embedbench_awaited) >= 0) {
        embedbench_stops[embedbench_stop_count++ % 2U] = embedbench_ticks;
    }
    embedbench_ticks++;
    embedbench_ticks_done = embedbench_ticks;
}

void bare_received(uint8_t byte)
{
    size_t next = (ring_in + 1U) % RX_RING_SIZE;

    if (next != ring_out) {
        ring[ring_in] = byte;
        ring_in = next;
    }
    embedbench_received++;
}

static size_t take_received(uint8_t *buffer, size_t capacity)
{
    size_t count = 0;

    while (count < capacity && ring_out != ring_in) {
        buffer[count++] = ring[ring_out];
        ring_out = (ring_out + 1U) % RX_RING_SIZE;
    }
    return count;
}

/* A part of a tick counts as a whole one, as it does with an RTOS. */
static uint32_t ticks_of(uint32_t duration_ms)
{
    return (duration_ms + PORT_TICK_MS - 1U) / PORT_TICK_MS;
}

/* Sleep unless something has come in, or `ticks` have passed since `since`;
 * looking and falling asleep must not be torn apart by an interrupt. */
static void sleep_unless_due(uint32_t since, uint32_t ticks)
{
    uint32_t mask = chip_mask_interrupts();

    if (ring_out == ring_in && embedbench_ticks - since < ticks) {
        chip_sleep();
    }
    chip_restore_interrupts(mask);
}

uint32_t port_now_ms(void)
{
    return embedbench_ticks * PORT_TICK_MS;
}

size_t port_uart_read(uint8_t *buffer, size_t capacity, uint32_t timeout_ms)
{
    uint32_t ticks = ticks_of(timeout_ms);
    uint32_t since = embedbench_ticks;
    size_t count = 0;

    for (;;) {
        size_t taken = take_received(buffer + count, capacity - count);

        count += taken;
        if (taken > 0) {
            since = embedbench_ticks;
        }
        if (count == capacity || embedbench_ticks - since >= ticks) {
            return count;
        }
        sleep_unless_due(since, ticks);
    }
}

/* Whatever is sent is heard in the next tick, however long the bench meant to wait. */
static void stop_in_next_tick(void)
{
    if ((int32_t)(embedbench_awaited - embedbench_ticks) > 0) {
        embedbench_awaited = embedbench_ticks;
    }
}

void port_uart_write(const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        stop_in_next_tick();
        chip_put(data[i]);
        stop_in_next_tick(); /* a tick may have come in between */
    }
}

void port_delay_ms(uint32_t duration_ms)
{
    uint32_t ticks = ticks_of(duration_ms);
    uint32_t since = embedbench_ticks;

    while (embedbench_ticks - since < ticks) {
        uint32_t mask = chip_mask_interrupts();

        if (embedbench_ticks - since < ticks) {
            chip_sleep();
        }
        chip_restore_interrupts(mask);
    }
}

static size_t memory_bytes(void)
{
    return (size_t)(chip_memory_end - chip_memory_start);
}

/* Below the stack. */
static uint8_t *kept_memory(void)
{
    return chip_stack_top - STACK_BYTES - memory_bytes();
}

bool port_keep_memory(void)
{
    if ((uintptr_t)kept_memory() < (uintptr_t)chip_memory_end) {
        return false;
    }
    memcpy(kept_memory(), chip_memory_start, memory_bytes());
    return true;
}

void port_restore_memory(void)
{
    uint32_t mask = chip_mask_interrupts();

    memcpy(chip_memory_start, kept_memory(), memory_bytes());
    chip_restore_interrupts(mask);
}

#endif
