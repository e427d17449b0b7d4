/* Keeps a submission's controllers, one at a time; see program.py.
 *
 * In this program nothing of a submission ever runs. For each test a copy of it serves
 * over a socket of its own: a controller never meets what an earlier one left behind,
 * and how it ended is told by who is no part of it. A library of which something might
 * run when it is loaded is loaded by the copies. All numbers are in the byte order of
 * the machine.
 */
#define _GNU_SOURCE

#include "host_driver.h"
#include "host_limits.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define HOST_FD_VARIABLE "EMBEDBENCH_FD"
#define HOST_LIBRARY_VARIABLE "EMBEDBENCH_LIBRARY"
#define HOST_EARLY_VARIABLE "EMBEDBENCH_RUNS_EARLY"
#define HOST_BLANK '#' /* in a buffer before: what is written shows */
#define HOST_FILES 2 /* that one request brings, at most */
#define HOST_UNTIL_GONE UINT32_MAX
#define HOST_CLOSED 72 /* exit code: a submission has closed our file; diagnosis.py */

enum {
    HOST_HELLO = 1,
    HOST_OPEN,
    HOST_INIT,
    HOST_STEPS,
    HOST_PARSE,
    HOST_SERIALISE,
    HOST_END,
    HOST_REFUSED,
    HOST_UNLOADABLE
};

typedef struct {
    uint32_t payload_bytes;
    uint32_t kind;
    uint64_t token; /* of answers: what came behind the request */
} host_header_t;

typedef struct {
    int32_t wait_status;
    uint32_t steps_begun; /* in the last request */
    uint32_t most_memory_kib;
    uint32_t left_running; /* processes that it has started */
    uint32_t by_us;        /* it did not end by itself */
} host_ended_t;

typedef struct {
    int32_t actuator;
    int32_t on;
    uint32_t size;
} host_serialise_t;

/* A library of which nothing runs by being loaded is loaded once, for all copies. */
static const host_driver_t *host_kept;
static int host_channel;
static int host_asked; /* where requests come from: the channel, or a file of them */
static volatile uint32_t *host_steps_begun; /* shared with the copy */
static union {
    char bytes[HOST_MAX_PAYLOAD_BYTES];
    host_serialise_t serialise;
    uint32_t grace_ms;
} host_request;
static char host_output[HOST_MAX_PAYLOAD_BYTES];

static void host_receive_all(void *buffer, size_t length)
{
    char *next = buffer;

    while (length > 0) {
        ssize_t count = read(host_asked, next, length);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            _exit(count < 0 ? HOST_CLOSED : 0);
        }
        next += count;
        length -= (size_t)count;
    }
}

static void host_send_all(const void *buffer, size_t length)
{
    const char *next = buffer;

    while (length > 0) {
        ssize_t count = write(host_channel, next, length);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            _exit(0);
        }
        next += count;
        length -= (size_t)count;
    }
}

/* The token stays in the socket until there is an answer: what a submission sends
 * by itself has none, or an old one. */
static void host_answer(uint32_t kind, const void *payload, size_t length)
{
    host_header_t header = {(uint32_t)length, kind, 0};

    host_receive_all(&header.token, sizeof header.token);
    host_send_all(&header, sizeof header);
    host_send_all(payload, length);
}

void host_refuse(const char *reason)
{
    host_answer(HOST_REFUSED, reason, strlen(reason));
    _exit(0);
}

static void host_receive_payload(const host_header_t *header)
{
    if (header->payload_bytes > sizeof host_request.bytes) {
        abort();
    }
    host_receive_all(host_request.bytes, header->payload_bytes);
}

static host_header_t host_receive_request(void)
{
    host_header_t header;

    host_receive_all(&header, offsetof(host_header_t, token));
    host_receive_payload(&header);
    return header;
}

/* Such a request may bring open files; others are -1. */
static host_header_t host_receive_command(int files[HOST_FILES])
{
    host_header_t header;
    struct iovec place = {&header, offsetof(host_header_t, token)};
    union {
        char bytes[CMSG_SPACE(HOST_FILES * sizeof(int))];
        struct cmsghdr align;
    } extra;
    struct msghdr message = {.msg_iov = &place,
                             .msg_iovlen = 1,
                             .msg_control = &extra,
                             .msg_controllen = sizeof extra};
    struct cmsghdr *brought;
    ssize_t count;

    do {
        count = recvmsg(host_channel, &message, 0);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
        _exit(0);
    }
    host_receive_all((char *)&header + count, place.iov_len - (size_t)count);
    brought = CMSG_FIRSTHDR(&message);
    memset(files, -1, HOST_FILES * sizeof files[0]);
    if (brought != NULL && brought->cmsg_type == SCM_RIGHTS) {
        memcpy(files, CMSG_DATA(brought), brought->cmsg_len - CMSG_LEN(0));
    }
    host_receive_payload(&header);
    return header;
}

/* The line lies in memory of just its size: reading on behind it does not go unseen. */
static size_t host_parse(const host_driver_t *driver, size_t length)
{
    char *line = malloc(length + 1U);
    size_t answered;

    if (line == NULL) {
        abort();
    }
    memcpy(line, host_request.bytes, length);
    line[length] = '\0';
    answered = driver->parse(line, host_output);
    free(line);
    return answered;
}

/* As with the line: a byte too many does not go unseen. What comes back of a line that
 * is refused is what it has left in the buffer all the same. */
static size_t host_serialise(const host_driver_t *driver)
{
    host_serialise_t wanted = host_request.serialise;
    char *text = malloc(wanted.size);
    int32_t fits;
    size_t length = 0;

    if ((text == NULL && wanted.size > 0) ||
        wanted.size > sizeof host_output - sizeof fits) {
        abort();
    }
    memset(text, HOST_BLANK, wanted.size);
    fits = driver->serialise(wanted.actuator, wanted.on != 0, text, wanted.size);
    if (fits) {
        length = strnlen(text, wanted.size);
    } else {
        for (size_t i = 0; i < wanted.size; i++) {
            length = text[i] == HOST_BLANK ? length : i + 1U;
        }
    }
    memcpy(host_output, &fits, sizeof fits);
    memcpy(host_output + sizeof fits, text, length);
    free(text);
    return sizeof fits + length;
}

static size_t host_take(const host_driver_t *driver, const host_header_t *header)
{
    switch (header->kind) {
    case HOST_INIT:
        driver->init();
        return 0;
    case HOST_STEPS:
        return driver->take_steps(host_request.bytes, header->payload_bytes,
                                  host_output, host_steps_begun);
    case HOST_PARSE:
        return host_parse(driver, header->payload_bytes);
    case HOST_SERIALISE:
        return host_serialise(driver);
    default:
        _exit(0);
    }
}

static const host_driver_t *host_loaded(const char *library)
{
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    return loaded ? dlsym(loaded, "host_driver") : NULL;
}

static const host_driver_t *host_load(const char *library)
{
    const host_driver_t *driver = host_loaded(library);

    if (driver == NULL) {
        const char *why = dlerror();

        host_answer(HOST_UNLOADABLE, why, strlen(why));
        _exit(0);
    }
    return driver;
}

static void host_serve(const char *library)
{
    const host_driver_t *driver;

    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    host_limit_use();
    driver = host_kept != NULL ? host_kept : host_load(library);
    host_answer(HOST_OPEN, NULL, 0);
    for (;;) {
        host_header_t header = host_receive_request();
        size_t answered;

        *host_steps_begun = 0;
        host_begin_request();
        answered = host_take(driver, &header);
        host_check_limits();
        host_answer(header.kind, host_output, answered);
    }
}

/* Processes that a copy has left are handed to us, wherever they have gone. */
static uint32_t host_sweep(void)
{
    pid_t first = waitpid(-1, NULL, WNOHANG);
    uint32_t count = first > 0;
    long pid;
    FILE *children;
    char name[64];

    if (first < 0) { /* as good as always: there are none */
        return 0;
    }
    snprintf(name, sizeof name, "/proc/self/task/%ld/children", (long)getpid());
    while ((children = fopen(name, "r")) != NULL) {
        uint32_t found = 0;

        while (fscanf(children, "%ld", &pid) == 1) {
            kill((pid_t)pid, SIGKILL);
            found++;
        }
        fclose(children);
        if (found == 0) {
            break;
        }
        while (waitpid(-1, NULL, 0) > 0) {
            count++;
        }
    }
    return count;
}

/* Ends the copy, which has some time to be gone by itself, or as long as it takes. */
static host_ended_t host_end(pid_t copy, uint32_t grace_ms)
{
    const struct timespec moment = {0, 1000000};
    struct rusage use = {0};
    host_ended_t ended = {0};
    pid_t gone = 0;

    for (uint32_t waited_ms = 0; gone == 0; waited_ms++) {
        const int how = grace_ms == HOST_UNTIL_GONE ? 0 : WNOHANG;

        gone = wait4(copy, &ended.wait_status, how, &use);
        if (gone == 0 && waited_ms < grace_ms) {
            nanosleep(&moment, NULL);
        } else if (gone == 0) {
            ended.by_us = 1;
            kill(copy, SIGKILL);
            gone = wait4(copy, &ended.wait_status, 0, &use);
        }
    }
    kill(-copy, SIGKILL);
    ended.steps_begun = *host_steps_begun;
    ended.most_memory_kib = (uint32_t)use.ru_maxrss;
    ended.left_running = host_sweep();
    return ended;
}

static pid_t host_open(const int files[HOST_FILES], const char *library)
{
    pid_t copy = fork();

    if (copy == 0) {
        close(host_channel);
        host_channel = files[0];
        host_asked = files[1] >= 0 ? files[1] : files[0];
        host_serve(library);
    }
    for (int i = 0; i < HOST_FILES && files[i] >= 0; i++) {
        close(files[i]);
    }
    return copy;
}

static volatile uint32_t *host_shared_number(void)
{
    void *memory = mmap(NULL, sizeof(uint32_t), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return memory;
}

int main(void)
{
    const char *variable = getenv(HOST_FD_VARIABLE);
    const char *named = getenv(HOST_LIBRARY_VARIABLE);
    const bool runs_early = getenv(HOST_EARLY_VARIABLE) != NULL;
    char library[64];
    pid_t copy = -1;
    int files[HOST_FILES];

    if (variable == NULL || named == NULL) {
        return 1;
    }
    snprintf(library, sizeof library, "/proc/self/fd/%d", atoi(named));
    host_asked = host_channel = atoi(variable);
    unsetenv(HOST_FD_VARIABLE);
    unsetenv(HOST_LIBRARY_VARIABLE);
    unsetenv(HOST_EARLY_VARIABLE);
    host_steps_begun = host_shared_number();
    signal(SIGXFSZ, SIG_IGN); /* what is printed too much is not kept */
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0); /* what is in here is none of a copy's business */
#endif
    for (;;) {
        host_header_t header = host_receive_command(files);

        if (header.kind == HOST_HELLO) {
            host_answer(HOST_HELLO, host_request.bytes, header.payload_bytes);
        } else if (header.kind == HOST_OPEN && files[0] >= 0) {
            int32_t pid;

            if (!runs_early && host_kept == NULL) {
                host_kept = host_loaded(library);
            }
            pid = copy = host_open(files, library);

            host_answer(HOST_OPEN, &pid, sizeof pid);
        } else if (header.kind == HOST_END && copy > 0) {
            host_ended_t ended = host_end(copy, host_request.grace_ms);

            copy = -1;
            host_answer(HOST_END, &ended, sizeof ended);
        } else {
            return 1;
        }
    }
}
