/* The program's end of the socket to the bench, and its entry point. */
#if !defined(ARDUINO) && !defined(ESP_PLATFORM) \
    && (defined(__linux__) || defined(__APPLE__)) && !defined(PORT_REAL_TIME)

#define _GNU_SOURCE

#include "bench_link.h"

#include "embedbench_port.h"
#include "growing.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <link.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#endif

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

#define FD_VARIABLE "EMBEDBENCH_FD"
#define KEPT_FOR_NS 10000000LL /* or the bench would take us for one that is stuck */

static int bench_fd = -1;
static growing_t incoming;
static size_t consumed;   /* how much of `incoming` the last message was */
static int sent_files[2]; /* for a copy: its socket, its console */
static growing_t said;    /* messages that are kept, then the one that is to come */
static size_t said_from;  /* where that one starts */
static size_t open_piece; /* where in `said` the piece being said starts, or 0 */
static int64_t sent_ns;   /* when anything was last sent, or asked for */

static int64_t host_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The bench is gone. Ends as any program does: coverage data gets written. */
static void hang_up(void)
{
    close(bench_fd);
    bench_fd = -1;
    exit(0);
}

static void write_all(const void *bytes, size_t length)
{
    const uint8_t *rest = bytes;

    while (length > 0) {
        ssize_t count = send(bench_fd, rest, length, MSG_NOSIGNAL);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            _exit(0); /* the bench is gone; we may be in a signal handler */
        }
        rest += count;
        length -= (size_t)count;
    }
}

void bench_send(uint32_t kind, uint64_t value, const void *payload, size_t length)
{
    bench_header_t header = {(uint32_t)length, kind, value};

    write_all(&header, sizeof header);
    if (length > 0) {
        write_all(payload, length);
    }
}

/* Take more of what the bench sends; files that come along replace `sent_files`. */
static size_t receive_some(uint8_t *bytes, size_t room)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof sent_files)];
    } ancillary;
    struct iovec data = {bytes, room};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &ancillary,
                             .msg_controllen = sizeof ancillary};
    ssize_t count;

    do {
        count = recvmsg(bench_fd, &message, 0);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
        hang_up();
    }
    if (message.msg_controllen >= CMSG_LEN(sizeof sent_files)) {
        memcpy(sent_files, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof sent_files);
    }
    return (size_t)count;
}

/* Have at least `needed` bytes in `incoming`. */
static void fill_incoming(size_t needed)
{
    growing_reserve(&incoming, needed);
    while (incoming.length < needed) {
        incoming.length += receive_some(incoming.bytes + incoming.length,
                                        incoming.capacity - incoming.length);
    }
}

bench_header_t bench_receive(const uint8_t **payload)
{
    bench_header_t header;

    /* In turns, but BENCH_START has no answer: the next message may be here too. */
    memmove(incoming.bytes, incoming.bytes + consumed, incoming.length - consumed);
    incoming.length -= consumed;
    fill_incoming(sizeof header);
    memcpy(&header, incoming.bytes, sizeof header);
    consumed = sizeof header + header.payload_bytes;
    fill_incoming(consumed);
    *payload = incoming.bytes + sizeof header;
    if (header.kind == BENCH_AHEAD) {
        sent_ns = host_now_ns();
    }
    return header;
}

void bench_say(uint8_t byte, uint64_t at_us)
{
    bench_said_t piece = {0, 0};

    if (open_piece == 0) {
        open_piece = said.length;
        growing_append(&said, &piece, sizeof piece);
    }
    growing_append(&said, &byte, 1);
    memcpy(&piece, said.bytes + open_piece, sizeof piece);
    piece.at_us = at_us;
    piece.length++;
    memcpy(said.bytes + open_piece, &piece, sizeof piece);
    if (byte == '\n') {
        open_piece = 0;
    }
}

void bench_say_going(uint8_t byte, uint64_t ends_us)
{
    open_piece = 0;
    bench_say(byte, ends_us | BENCH_GOING);
}

bool bench_said_only(const uint8_t *lines, size_t length)
{
    size_t at = said_from + sizeof(bench_header_t);

    while (at < said.length) {
        bench_said_t piece;
        const uint8_t *text = said.bytes + at + sizeof piece;
        const uint8_t *line = lines;

        memcpy(&piece, said.bytes + at, sizeof piece);
        for (;;) {
            size_t left = (size_t)(lines + length - line);
            const uint8_t *end = left > 0 ? memchr(line, '\n', left) : NULL;

            if (end == NULL) {
                return false;
            }
            end++;
            if ((size_t)(end - line) == piece.length
                && memcmp(line, text, piece.length) == 0) {
                break;
            }
            line = end;
        }
        at += sizeof piece + piece.length;
    }
    return true;
}

/* Begin a message behind those that are kept. */
static void begin_said(void)
{
    static const bench_header_t blank;

    said_from = said.length;
    open_piece = 0;
    growing_append(&said, &blank, sizeof blank);
}

static void end_said(uint32_t kind)
{
    size_t length = said.length - said_from - sizeof(bench_header_t);
    bench_header_t header = {(uint32_t)length, kind, port_native_now_us()};

    memcpy(said.bytes + said_from, &header, sizeof header);
}

static void send_kept(void)
{
    write_all(said.bytes, said.length);
    said.length = 0;
    begin_said();
}

void bench_send_said(uint32_t kind)
{
    end_said(kind);
    send_kept();
}

void bench_keep_said(uint32_t kind)
{
    int64_t now_ns = host_now_ns();

    end_said(kind);
    if (now_ns - sent_ns < KEPT_FOR_NS) {
        begin_said();
    } else {
        send_kept();
        sent_ns = now_ns;
    }
}

#ifdef __linux__
static int note_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uint64_t *)bias = info->dlpi_addr;
    return 1; /* the first is the program itself */
}
#endif

static void answer_hello(uint64_t nonce)
{
    bench_hello_t hello = {BENCH_PROTOCOL_VERSION, (uint32_t)getpid(), 0};

#ifdef __linux__
    dl_iterate_phdr(note_bias, &hello.load_bias);
#endif
    bench_send(BENCH_HELLO_ANSWER, nonce, &hello, sizeof hello);
}

static void die_with_parent(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) {
        _exit(0);
    }
}

static void become_copy(pid_t original)
{
    die_with_parent(original);
    close(bench_fd);
    bench_fd = sent_files[0];
    dup2(sent_files[1], STDOUT_FILENO);
    dup2(sent_files[1], STDERR_FILENO);
    close(sent_files[1]);
    incoming.length = 0;
    consumed = 0;
}

static void fork_copy(void)
{
    pid_t original = getpid();
    pid_t copy = fork();

    if (copy == 0) {
        become_copy(original);
        return;
    }
    close(sent_files[0]);
    close(sent_files[1]);
    bench_send(BENCH_FORKED, copy > 0 ? (uint64_t)copy : 0U, NULL, 0);
}

static void reap_copy(pid_t copy)
{
    int status = 0;

    /* One that is traced comes up when it stops, too. */
    while ((waitpid(copy, &status, 0) < 0 && errno == EINTR) || WIFSTOPPED(status)) {
    }
    bench_send(BENCH_REAPED, (uint64_t)status, NULL, 0);
}

/* The time before any firmware has run; a copy starts here too. */
static void serve_until_started(void)
{
    for (;;) {
        const uint8_t *payload;
        bench_header_t header = bench_receive(&payload);
        bench_start_t start;

        switch (header.kind) {
        case BENCH_HELLO:
            answer_hello(header.value);
            break;
        case BENCH_FORK:
            fork_copy();
            break;
        case BENCH_REAP:
            reap_copy((pid_t)header.value);
            break;
        case BENCH_START:
            memcpy(&start, payload, sizeof start);
            port_native_start(header.value, start.byte_ns);
            return;
        default:
            _exit(0);
        }
    }
}

static void send_last_words(void)
{
    if (bench_fd >= 0) {
        bench_send_said(BENCH_SAID);
    }
}

/* Sanitizers end the program in a way of their own. */
extern void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

static void arrange_last_words(void)
{
    atexit(send_last_words);
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(send_last_words);
    }
}

/* Start over with the same addresses, arguments and environment as in every other run:
 * firmware that reads what it never wrote then at least finds the same there. */
static void start_over_reproducibly(int fd)
{
#ifdef __linux__
    char *const arguments[] = {"firmware", NULL};
    char *const environment[] = {FD_VARIABLE "=3", NULL};
    int now = personality(0xffffffff);

    if (now < 0 || (now & ADDR_NO_RANDOMIZE) || fd < 3
        || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0) {
        return;
    }
    if (fd != 3) {
        dup2(fd, 3);
        close(fd);
    }
    execve("/proc/self/exe", arguments, environment);
    _exit(127);
#else
    (void)fd;
#endif
}

int main(void)
{
    const char *fd = getenv(FD_VARIABLE);

    if (fd == NULL) {
        fputs("This is firmware for the bench: run it with pytest --board=native.\n",
              stderr);
        return 2;
    }
    bench_fd = atoi(fd);
    start_over_reproducibly(bench_fd);
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGXFSZ, SIG_IGN); /* a write that is too much fails, no more */
    growing_reserve(&incoming, sizeof(bench_header_t));
    begin_said();
    bench_report_faults();
    serve_until_started();
    arrange_last_words();
    bench_forbid_calls();
    firmware_main();
    bench_send(BENCH_RETURNED, 0, NULL, 0);
    return 0;
}

#endif
