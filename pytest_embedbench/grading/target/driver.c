/* Steps a submission's controller on a board, in the place of its task's app.c: rows come
 * in over the UART, and what they come to goes out; see wire.py. Put behind controller.h,
 * protocol.h, what is made from task.toml, and stepping.h. All boards are little-endian.
 */
#include "embedbench_port.h"

#define HOST_WAIT_MS 1000U
#define HOST_MOST_ALIKE 64U /* so that who does not come back is known by then */
#define HOST_KEPT_ROWS 8U   /* a power of two */
#define HOST_BLANK 0xA5U
#define HOST_STALE '7' /* behind a line: who reads on there does not go unseen */

enum { HOST_INIT = 1, HOST_PARSE, HOST_SERIALISE, HOST_REPEAT, HOST_RESTART, HOST_END };

#define HOST_ROW 0x80U
#define HOST_ROW_TIME(row) ((row) >> 5 & 3U)
#define HOST_ROW_HAS_VALUES 0x10U
#define HOST_ROW_KIND 0x0FU
enum { HOST_VALUE_16_BITS = 254, HOST_VALUE_32_BITS };

static const uint8_t host_time_bytes[] = {0, 1, 2, 4};
static const uint8_t host_hello[] = {2, 'B', 'E', 'N', 'C', 'H'};
static uint8_t host_text[HOST_TEXT_BYTES];
static host_step_t host_rows[HOST_KEPT_ROWS]; /* now_ms: later than the one before */
static uint8_t host_newest;
static uint32_t host_now_ms;
static uint8_t host_count; /* of requests since the last HOST_END */

static uint8_t host_take(void)
{
    uint8_t byte;

    while (port_uart_read(&byte, 1, HOST_WAIT_MS) == 0) {
    }
    return byte;
}

static uint32_t host_take_number(uint8_t bytes)
{
    uint32_t number = 0;

    for (uint8_t i = 0; i < bytes; i++) {
        number |= (uint32_t)host_take() << (8U * i);
    }
    return number;
}

static int32_t host_take_value(void)
{
    uint8_t byte = host_take();

    if (byte == HOST_VALUE_16_BITS) {
        return (int16_t)(uint16_t)host_take_number(2);
    }
    return byte == HOST_VALUE_32_BITS ? (int32_t)host_take_number(4) : byte;
}

/* A bit for each truth, and a state above them. */
static uint32_t host_bits(const host_stepped_t *seen)
{
    uint32_t bits = 0;

#ifdef HOST_STATES
    bits = (uint32_t)(seen->state + 1);
#endif
    for (uint8_t i = 0; i < HOST_ACTUATOR_COUNT; i++) {
        bits = bits << 1 | (seen->actuators[i] != 0);
    }
    return bits << 1 | (seen->changed != 0);
}

static uint32_t host_stepped_bits(host_step_t *row)
{
    uint32_t later_ms = row->now_ms;
    host_stepped_t seen;

    host_now_ms += later_ms;
    row->now_ms = host_now_ms; /* for as long as it is taken: a copy takes longer */
    seen = host_take_step(row);
    row->now_ms = later_ms;
    return host_bits(&seen);
}

static host_step_t *host_next_row(void)
{
    host_newest = (host_newest + 1U) % HOST_KEPT_ROWS;
    return &host_rows[host_newest];
}

static void host_row(uint8_t head)
{
    uint8_t kind = head & HOST_ROW_KIND;
    host_step_t *row = host_next_row();
    uint32_t bits;

    row->kind = kind == HOST_ROW_KIND ? host_take() : kind;
    row->now_ms = host_take_number(host_time_bytes[HOST_ROW_TIME(head)]);
    for (uint8_t i = 0; i < HOST_VALUE_COUNT; i++) {
        row->values[i] = head & HOST_ROW_HAS_VALUES ? host_take_value() : 0;
    }
    bits = host_stepped_bits(row);
    port_uart_write((const uint8_t *)&bits, HOST_STEPPED_BYTES);
}

/* Keep the last few rows once more. */
static void host_keep_again(uint8_t rows)
{
    for (uint8_t i = 0; i < rows; i++) {
        host_step_t row = host_rows[(uint8_t)(host_newest + 1U - rows) % HOST_KEPT_ROWS];

        *host_next_row() = row;
    }
}

/* The last few rows again, in their order, and all that again and again. Those that come
 * to the same are told in one. */
static void host_repeat(void)
{
    uint8_t rows = host_take();
    uint8_t times = host_take();
    uint8_t first = (uint8_t)(host_newest + 1U - rows);
    uint8_t next = 0;
    uint8_t alike = 0;
    uint32_t bits = 0;

    for (uint16_t left = (uint16_t)rows * times; left > 0; left--) {
        uint32_t before = bits;

        bits = host_stepped_bits(&host_rows[(uint8_t)(first + next) % HOST_KEPT_ROWS]);
        next = (uint8_t)(next + 1U) < rows ? (uint8_t)(next + 1U) : 0;
        if (alike > 0 && (bits != before || alike == HOST_MOST_ALIKE)) {
            port_uart_write(&alike, 1);
            port_uart_write((const uint8_t *)&before, HOST_STEPPED_BYTES);
            alike = 0;
        }
        alike++;
    }
    port_uart_write(&alike, 1);
    port_uart_write((const uint8_t *)&bits, HOST_STEPPED_BYTES);
    /* So often that none is left of those before; from then on it is always the same. */
    for (uint8_t kept = 0; kept < HOST_KEPT_ROWS && times > 0; kept += rows, times--) {
        host_keep_again(rows);
    }
}

static void host_parse(void)
{
    uint8_t length = host_take();
    host_parsed_t parsed;

    memset(host_text, HOST_STALE, sizeof host_text);
    for (uint8_t i = 0; i < length; i++) {
        host_text[i] = host_take();
    }
    host_text[length] = '\0';
    parsed = host_read_line((const char *)host_text);
    port_uart_write((const uint8_t *)&parsed, sizeof parsed);
}

/* Answers whether it fits, whether bytes behind the buffer were written, and the text. */
static void host_serialise(void)
{
    uint8_t actuator = host_take();
    bool on = host_take() != 0;
    uint8_t size = host_take();
    uint8_t answer[3] = {0};

    memset(host_text, HOST_BLANK, sizeof host_text);
    answer[0] = host_serialisers[actuator](on, (char *)host_text, size);
    for (uint16_t i = size; i < sizeof host_text; i++) {
        answer[1] |= host_text[i] != HOST_BLANK;
    }
    if (answer[0]) {
        while (answer[2] < size && host_text[answer[2]] != '\0') {
            answer[2]++;
        }
    }
    port_uart_write(answer, sizeof answer);
    port_uart_write(host_text, answer[2]);
}

static void host_obey(uint8_t request)
{
    host_count++;
    if (request & HOST_ROW) {
        host_row(request);
    } else if (request == HOST_INIT) {
        controller_init(&host_controller);
        port_uart_write(&request, 1);
    } else if (request == HOST_PARSE) {
        host_parse();
    } else if (request == HOST_SERIALISE) {
        host_serialise();
    } else if (request == HOST_RESTART) {
        port_restore_memory();
        port_uart_write(&request, 1);
    } else if (request == HOST_REPEAT) {
        host_repeat();
    } else {
        port_uart_write(&host_count, 1);
        host_count = 0;
    }
}

void firmware_main(void)
{
    bool restarts = port_keep_memory != NULL && port_keep_memory();
    uint8_t how = restarts ? HOST_RESTART : HOST_END;

    port_uart_write(host_hello, sizeof host_hello);
    port_uart_write(&how, 1);
    for (;;) {
        host_obey(host_take());
    }
}
