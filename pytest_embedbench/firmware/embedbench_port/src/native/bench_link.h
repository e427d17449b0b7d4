/* How the bench and a program on the host talk: one socket, strictly in turns.
 *
 * Every message is a bench_header_t, then `payload_bytes` of payload, in the byte
 * order of the machine. The numbers are known to engines/native/protocol.py too.
 */
#ifndef EMBEDBENCH_BENCH_LINK_H
#define EMBEDBENCH_BENCH_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_PROTOCOL_VERSION 3U

typedef struct {
    uint32_t payload_bytes;
    uint32_t kind;
    uint64_t value;
} bench_header_t;

enum {
    /* value: a nonce, which the answer repeats; answer: BENCH_HELLO_ANSWER. */
    BENCH_HELLO = 1,
    /* A socket and a file come along: a copy of this program takes the one for its
     * own talk with the bench, beginning with BENCH_HELLO, and the other for stdout
     * and stderr. Answer: BENCH_FORKED, value: its process id, or 0. */
    BENCH_FORK = 2,
    /* value: the process id of a copy. Answer: BENCH_REAPED, value: its wait status. */
    BENCH_REAP = 3,
    /* value: the bench's clock in us; payload: bench_start_t. No answer. */
    BENCH_START = 4,
    /* value: the bench's time in us up to which to run; payload: bytes that start to
     * arrive now. Answer: BENCH_PAUSED, or BENCH_FAULT. */
    BENCH_ADVANCE = 5,
    /* Several of those in one, as pieces of bench_said_t and bytes: time and bytes of
     * each stretch. Before them in the payload are lines that are expected, `value`
     * bytes of them. Answers as if each had been sent when the one before it had been
     * answered; the first in which anything else is said is answered with
     * BENCH_STOPPED, and those behind it are forgotten. */
    BENCH_AHEAD = 6,
    /* As BENCH_ADVANCE, but of a board whose UART is joined to another board's. Payload:
     * bench_said_t and a byte for each that is heard at its time, in their order. If a
     * byte is on its way out at the end, the answer has it behind all others, with the
     * time of its end and BENCH_GOING; it comes again when it has been said. */
    BENCH_EXCHANGE = 7
};

#define BENCH_GOING (1ULL << 63)

enum {
    BENCH_HELLO_ANSWER = 101, /* payload: bench_hello_t */
    BENCH_FORKED = 102,
    BENCH_REAPED = 103,
    /* The program waits beyond the time it was allowed. Value: its time in us;
     * payload: what it has said, as pieces of bench_said_t and bytes. */
    BENCH_PAUSED = 105,
    /* As BENCH_PAUSED, but what comes next is the program's end. */
    BENCH_SAID = 106,
    /* value: a signal; payload: bench_fault_t. The program ends. */
    BENCH_FAULT = 107,
    /* Follows BENCH_FAULT; payload: return addresses as uint64_t, innermost first. */
    BENCH_BACKTRACE = 108,
    /* firmware_main() came back. The program ends. */
    BENCH_RETURNED = 109,
    /* As BENCH_PAUSED, and there were stretches of BENCH_AHEAD behind this one. */
    BENCH_STOPPED = 110
};

typedef struct {
    uint32_t protocol_version;
    uint32_t process_id;
    uint64_t load_bias; /* address in memory minus address in the ELF file */
} bench_hello_t;

typedef struct {
    uint64_t byte_ns; /* what one byte takes on the UART */
} bench_start_t;

typedef struct {
    uint64_t at_us;
    uint32_t length;
} __attribute__((packed)) bench_said_t;

typedef struct {
    uint64_t program_counter;
    uint64_t address;   /* what the faulting access was for */
    int32_t cause;      /* si_code */
    int32_t sender_pid; /* who sent the signal, if somebody did, else 0 */
    int32_t last_error; /* errno when it happened */
    int32_t unused;     /* keeps the size a multiple of 8 */
} bench_fault_t;

/* Send one message; ends the program if nobody is left to read it. */
void bench_send(uint32_t kind, uint64_t value, const void *payload, size_t length);

/* Wait for one message; ends the program if nobody is left to send one.
 * The payload is valid until the next call. */
bench_header_t bench_receive(const uint8_t **payload);

/* What has been said and not yet sent. */
void bench_say(uint8_t byte, uint64_t at_us);
void bench_send_said(uint32_t kind);

/* Tell of a byte that is on its way out, right before what has been said is sent. */
void bench_say_going(uint8_t byte, uint64_t ends_us);

/* Keep a message with what has been said, to be sent before the next; not for long. */
void bench_keep_said(uint32_t kind);

/* Whether nothing but whole `lines` has been said since the last message. */
bool bench_said_only(const uint8_t *lines, size_t length);

/* The clock, in us of the bench's time. */
void port_native_start(uint64_t epoch_us, uint64_t byte_ns);
uint64_t port_native_now_us(void);

/* Report fatal signals to the bench before they end the program. */
void bench_report_faults(void);

/* From here on refuse what would look as if somebody else had ended this process. */
void bench_forbid_calls(void);

#endif
