/* The board is a process of the host: time is a number, and only waiting moves it.
 *
 * Waiting beyond what the bench has allowed hands control back to the bench; see
 * bench_link.h. Bytes take their time on the wire in both directions.
 */
#if !defined(ARDUINO) && !defined(ESP_PLATFORM) \
    && (defined(__linux__) || defined(__APPLE__)) && !defined(PORT_REAL_TIME)

#include "embedbench_port.h"

#include "bench_link.h"
#include "growing.h"

#include <string.h>

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NEVER_NS UINT64_MAX
#define RX_RING_SIZE 512U

/* All in ns of the bench's clock. */
static uint64_t epoch_ns;   /* when the firmware started */
static uint64_t now_ns;
static uint64_t allowed_ns; /* up to where the bench lets us run */
static uint64_t byte_ns;

/* Bytes that came in while nobody was reading; when it is full, they are lost. */
static uint8_t ring[RX_RING_SIZE];
static size_t ring_start;
static size_t ring_count;

/* Bytes on their way in, back to back; the first started at `wire_ns`. */
static growing_t wire;
static size_t wire_taken;
static uint64_t wire_ns;

/* The rest of a BENCH_EXCHANGE: bytes of another board, each with its time. */
static const uint8_t *coming;
static size_t coming_bytes;

/* The byte that is on its way out, and its end; NEVER_NS if there is none to tell of. */
static uint8_t going_byte;
static uint64_t going_ns = NEVER_NS;
static bool is_joined;

/* The rest of a BENCH_AHEAD: what is expected, and the stretches to come. */
static const uint8_t *expected;
static size_t expected_bytes;
static const uint8_t *ahead;
static size_t ahead_bytes;
static uint64_t began_ns;  /* when this stretch did */
static uint64_t talked_ns; /* how much of it the firmware has talked */

static size_t on_wire(void)
{
    return wire.length - wire_taken;
}

static uint64_t next_coming_ns(void)
{
    bench_said_t piece;

    if (coming_bytes == 0) {
        return NEVER_NS;
    }
    memcpy(&piece, coming, sizeof piece);
    return piece.at_us * NS_PER_US;
}

static uint64_t next_arrival_ns(void)
{
    uint64_t sent_ns = on_wire() > 0 ? wire_ns + byte_ns : NEVER_NS;
    uint64_t coming_ns = next_coming_ns();

    return coming_ns < sent_ns ? coming_ns : sent_ns;
}

static uint8_t take_arrival(void)
{
    uint8_t byte;

    if (coming_bytes > 0 && next_coming_ns() == next_arrival_ns()) {
        byte = coming[sizeof(bench_said_t)];
        coming += sizeof(bench_said_t) + 1U;
        coming_bytes -= sizeof(bench_said_t) + 1U;
        return byte;
    }
    byte = wire.bytes[wire_taken++];
    wire_ns += byte_ns;
    if (on_wire() == 0) {
        wire.length = 0;
        wire_taken = 0;
    }
    return byte;
}

static void settle_arrivals(void)
{
    while (next_arrival_ns() <= now_ns) {
        uint8_t byte = take_arrival();

        if (ring_count < RX_RING_SIZE) {
            ring[(ring_start + ring_count++) % RX_RING_SIZE] = byte;
        }
    }
}

static void begin_stretch(uint64_t until_us, const uint8_t *bytes, size_t length)
{
    if (length > 0) {
        settle_arrivals();
        if (on_wire() == 0) {
            wire_ns = now_ns;
        }
        growing_append(&wire, bytes, length);
    }
    began_ns = now_ns;
    talked_ns = 0;
    allowed_ns = until_us * NS_PER_US;
}

static void begin_stretch_ahead(void)
{
    bench_said_t stretch;
    const uint8_t *bytes = ahead + sizeof stretch;

    memcpy(&stretch, ahead, sizeof stretch);
    ahead += sizeof stretch + stretch.length;
    ahead_bytes -= sizeof stretch + stretch.length;
    begin_stretch(stretch.at_us, bytes, stretch.length);
}

/* Take the bench's next message: more time, and perhaps more bytes. */
static void await_allowance(void)
{
    const uint8_t *payload;
    bench_header_t header = bench_receive(&payload);

    if (header.kind == BENCH_EXCHANGE) {
        is_joined = true;
        coming = payload;
        coming_bytes = header.payload_bytes;
        begin_stretch(header.value, NULL, 0);
        return;
    }
    if (header.kind != BENCH_AHEAD) {
        begin_stretch(header.value, payload, header.payload_bytes);
        return;
    }
    expected = payload;
    expected_bytes = header.value;
    ahead = payload + expected_bytes;
    ahead_bytes = header.payload_bytes - expected_bytes;
    begin_stretch_ahead();
}

/* Who talks half of the time may be on the way to what the bench calls a flood. */
static bool is_as_expected(void)
{
    return 2U * talked_ns <= now_ns - began_ns
        && bench_said_only(expected, expected_bytes);
}

static void pause_at_allowance(void)
{
    now_ns = allowed_ns;
    if (is_joined) {
        settle_arrivals(); /* they are in a message that will be forgotten */
        if (going_ns != NEVER_NS) {
            bench_say_going(going_byte, going_ns / NS_PER_US);
            going_ns = NEVER_NS;
        }
    }
    if (ahead_bytes == 0) {
        bench_send_said(BENCH_PAUSED);
        await_allowance();
    } else if (is_as_expected()) {
        bench_keep_said(BENCH_PAUSED);
        begin_stretch_ahead();
    } else {
        ahead_bytes = 0;
        bench_send_said(BENCH_STOPPED);
        await_allowance();
    }
}

static void pass(uint64_t duration_ns)
{
    uint64_t until_ns = now_ns + duration_ns;

    while (until_ns > allowed_ns) {
        pause_at_allowance();
    }
    now_ns = until_ns;
}

void port_native_start(uint64_t epoch_us, uint64_t uart_byte_ns)
{
    epoch_ns = epoch_us * NS_PER_US;
    now_ns = epoch_ns;
    byte_ns = uart_byte_ns;
    await_allowance();
}

uint64_t port_native_now_us(void)
{
    return now_ns / NS_PER_US;
}

uint32_t port_now_ms(void)
{
    uint64_t ticks = (now_ns - epoch_ns) / (PORT_TICK_MS * NS_PER_MS);

    return (uint32_t)(ticks * PORT_TICK_MS);
}

size_t port_uart_read(uint8_t *buffer, size_t capacity, uint32_t timeout_ms)
{
    uint64_t timeout_ns = timeout_ms * NS_PER_MS;
    uint64_t until_ns = now_ns + timeout_ns;
    size_t count = 0;

    settle_arrivals();
    while (ring_count > 0 && count < capacity) {
        buffer[count++] = ring[ring_start];
        ring_start = (ring_start + 1U) % RX_RING_SIZE;
        ring_count--;
    }
    while (count < capacity) {
        uint64_t event_ns = until_ns;

        if (next_arrival_ns() < until_ns) {
            event_ns = next_arrival_ns();
        }
        if (event_ns > allowed_ns) {
            pause_at_allowance();
        } else if (event_ns == until_ns) {
            now_ns = until_ns;
            break;
        } else {
            now_ns = event_ns;
            buffer[count++] = take_arrival();
            until_ns = now_ns + timeout_ns;
        }
    }
    return count;
}

void port_uart_write(const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        going_byte = data[i];
        going_ns = now_ns + byte_ns;
        pass(byte_ns);
        going_ns = NEVER_NS;
        talked_ns += byte_ns;
        bench_say(data[i], now_ns / NS_PER_US);
    }
}

void port_delay_ms(uint32_t duration_ms)
{
    pass(duration_ms * NS_PER_MS);
}

#endif
