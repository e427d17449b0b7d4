#if !defined(ARDUINO) && !defined(ESP_PLATFORM) && !defined(__linux__) \
    && (defined(__arm__) || defined(__XTENSA__) || defined(__riscv))

#include "embedbench_port.h"

#include "bare.h"

#define RX_RING_SIZE 512U

volatile uint32_t embedbench_ticks;
volatile uint32_t embedbench_ticks_done;
volatile uint32_t embedbench_received;

/* Bytes that came in while nobody was reading; when it is full, they are lost. */
static volatile uint8_t ring[RX_RING_SIZE];
static volatile size_t ring_in;
static volatile size_t ring_out;

void bare_tick(void)
{
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

void port_uart_write(const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        chip_put(data[i]);
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

#endif
