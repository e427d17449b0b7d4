/* Steps a submission's controller for the host stage; see program.py.
 *
 * This program stands ready, and for each test a copy of it serves: a controller
 * never meets what an earlier one left behind. All numbers are in the byte order of
 * the machine. Compiled with the submission's own headers, so every name that is ours
 * starts with host; host_task.h is made from the task's task.toml.
 */
#define _GNU_SOURCE

#include "controller.h"
#include "protocol.h"

#include "host_task.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define HOST_FD_VARIABLE "EMBEDBENCH_FD"
#define HOST_CPU_TICK_US 20000
#define HOST_CPU_LIMIT_TICKS 50 /* 1 s for one request */
#define HOST_MEMORY_LIMIT_KIB (256L * 1024L)
#define HOST_MAX_PAYLOAD_BYTES (1024U * 1024U)
#define HOST_IDLE 0
#define HOST_UNKNOWN (-1)
#define HOST_BROKEN 71 /* exit code: the system gives us too little; see faults.py */
#define HOST_COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum {
    HOST_HELLO = 1,
    HOST_OPEN,
    HOST_INIT,
    HOST_STEPS,
    HOST_PARSE,
    HOST_SERIALISE,
    HOST_CLOSE,
    HOST_ENDED
};

typedef struct {
    uint32_t payload_bytes;
    uint32_t kind;
} host_header_t;

typedef struct {
    int32_t wait_status;
    uint32_t steps_begun; /* in the last request */
} host_ended_t;

typedef struct {
    int32_t kind; /* index in host_kinds */
    uint32_t now_ms;
    int32_t values[HOST_VALUE_COUNT];
} host_step_t;

typedef struct {
    uint8_t changed;
    int8_t state; /* index in host_states */
    uint8_t actuators[HOST_ACTUATOR_COUNT];
} host_stepped_t;

typedef struct {
    int32_t result; /* index in host_results */
    int32_t kind;   /* index in host_inputs */
    int32_t values[HOST_VALUE_COUNT];
} host_parsed_t;

typedef struct {
    int32_t actuator; /* index in host_serialisers */
    int32_t on;
    uint32_t size;
} host_serialise_t;

#define HOST_KIND(name) CONTROLLER_INPUT_##name,
#define HOST_STATE(name) CONTROLLER_STATE_##name,
#define HOST_INPUT(name) PROTOCOL_INPUT_##name,
#define HOST_RESULT(name) PROTOCOL_PARSE_##name,
#define HOST_SERIALISER(name) protocol_serialize_act_##name,

static const int host_kinds[] = {HOST_KIND(NONE) HOST_KINDS(HOST_KIND)};
static const int host_inputs[] = {HOST_INPUT(NONE) HOST_KINDS(HOST_INPUT)};
static const int host_results[] = {HOST_RESULT(IGNORED) HOST_KINDS(HOST_RESULT)};
#ifdef HOST_STATES
static const int host_states[] = {HOST_STATES(HOST_STATE)};
#endif
static bool (*const host_serialisers[])(bool, char *, size_t) = {
    HOST_SERIALISERS(HOST_SERIALISER)};

/* Sanitizers bring it. */
extern void __sanitizer_print_stack_trace(void) __attribute__((weak));

static int host_bench;
static volatile uint32_t *host_steps_begun; /* shared by the copies and the original */
static volatile sig_atomic_t host_cpu_ticks; /* of this request */
static controller_t host_controller;
static union {
    char bytes[HOST_MAX_PAYLOAD_BYTES];
    host_step_t steps[HOST_MAX_PAYLOAD_BYTES / sizeof(host_step_t)];
    host_serialise_t serialise;
} host_request;
static host_stepped_t host_stepped[HOST_COUNT(host_request.steps)];

static void host_receive_all(void *buffer, size_t length)
{
    char *next = buffer;

    while (length > 0) {
        ssize_t count = read(host_bench, next, length);

        if (count <= 0) {
            _exit(0);
        }
        next += count;
        length -= (size_t)count;
    }
}

static void host_send_all(const void *buffer, size_t length)
{
    const char *next = buffer;

    while (length > 0) {
        ssize_t count = write(host_bench, next, length);

        if (count <= 0) {
            _exit(0);
        }
        next += count;
        length -= (size_t)count;
    }
}

static void host_answer(uint32_t kind, const void *payload, size_t length)
{
    host_header_t header = {(uint32_t)length, kind};

    host_send_all(&header, sizeof header);
    host_send_all(payload, length);
}

static host_header_t host_receive_request(void)
{
    host_header_t header;

    host_receive_all(&header, sizeof header);
    if (header.payload_bytes > sizeof host_request.bytes) {
        abort();
    }
    host_receive_all(host_request.bytes, header.payload_bytes);
    return header;
}

static int host_index_of(const int *list, size_t count, int value)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == value) {
            return (int)i;
        }
    }
    return HOST_UNKNOWN;
}

static host_stepped_t host_take_step(const host_step_t *step)
{
    controller_input_t input = {0};
    controller_output_t output;
    host_stepped_t seen = {0};
    size_t next = 0;

    input.kind = (controller_input_kind_t)host_kinds[step->kind];
    input.now_ms = step->now_ms;
#define HOST_TAKE(name) input.name = step->values[next++];
    HOST_VALUES(HOST_TAKE)
    next = 0;
    output = controller_step(&host_controller, input);
#define HOST_GIVE(name) seen.actuators[next++] = output.name;
    HOST_ACTUATORS(HOST_GIVE)
    if (step->kind == HOST_IDLE) { /* the shell does not look at it otherwise */
        seen.changed = output.changed;
    }
#ifdef HOST_STATES
    seen.state = (int8_t)host_index_of(
        host_states, HOST_COUNT(host_states), (int)output.state);
#endif
    return seen;
}

static void host_take_steps(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *host_steps_begun = (uint32_t)i + 1U;
        host_stepped[i] = host_take_step(&host_request.steps[i]);
    }
    host_answer(HOST_STEPS, host_stepped, count * sizeof host_stepped[0]);
}

/* The line lies in memory of just its size: reading on behind it does not go unseen. */
static void host_parse(size_t length)
{
    char *line = malloc(length + 1U);
    protocol_input_t input;
    host_parsed_t parsed = {0};
    size_t next = 0;

    if (line == NULL) {
        abort();
    }
    memcpy(line, host_request.bytes, length);
    line[length] = '\0';
    memset(&input, 1, sizeof input); /* the shell's is not empty either */
    parsed.result = host_index_of(host_results, HOST_COUNT(host_results),
                                  (int)protocol_parse_line(line, &input));
    parsed.kind =
        host_index_of(host_inputs, HOST_COUNT(host_inputs), (int)input.kind);
#define HOST_SHOW(name) parsed.values[next++] = input.name;
    HOST_VALUES(HOST_SHOW)
    free(line);
    host_answer(HOST_PARSE, &parsed, sizeof parsed);
}

/* As with the line: a byte too many does not go unseen. */
static void host_serialise(void)
{
    host_serialise_t wanted = host_request.serialise;
    char *text = malloc(wanted.size);
    host_header_t header = {sizeof(int32_t), HOST_SERIALISE};
    int32_t fits;

    if (text == NULL && wanted.size > 0) {
        abort();
    }
    fits = host_serialisers[wanted.actuator](wanted.on != 0, text, wanted.size);
    if (fits) {
        header.payload_bytes += (uint32_t)strnlen(text, wanted.size);
    }
    host_send_all(&header, sizeof header);
    host_send_all(&fits, sizeof fits);
    if (fits) {
        host_send_all(text, header.payload_bytes - sizeof fits);
    }
    free(text);
}

/* Ends the copy by a signal that says why; see faults.py. */
static void host_end_by(int number)
{
    if (__sanitizer_print_stack_trace) {
        __sanitizer_print_stack_trace();
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Comes every CPU_TICK_US of CPU time. Memory cannot be limited by the kernel, of which
 * sanitizers claim terabytes. */
static void host_look_at_use(int number)
{
    struct rusage use;

    (void)number;
    if (++host_cpu_ticks > HOST_CPU_LIMIT_TICKS) {
        host_end_by(SIGXCPU);
    }
    if (getrusage(RUSAGE_SELF, &use) == 0 && use.ru_maxrss > HOST_MEMORY_LIMIT_KIB) {
        host_end_by(SIGUSR2);
    }
}

static void host_limit_use(void)
{
    struct sigaction action;
    struct itimerval every = {{0, HOST_CPU_TICK_US}, {0, HOST_CPU_TICK_US}};

    memset(&action, 0, sizeof action);
    action.sa_handler = host_look_at_use;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
}

static void host_serve(void)
{
    int32_t self = getpid();

#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    host_limit_use();
    host_answer(HOST_OPEN, &self, sizeof self);
    for (;;) {
        host_header_t header = host_receive_request();

        *host_steps_begun = 0;
        host_cpu_ticks = 0;
        switch (header.kind) {
        case HOST_INIT:
            controller_init(&host_controller);
            host_answer(HOST_INIT, NULL, 0);
            break;
        case HOST_STEPS:
            host_take_steps(header.payload_bytes / sizeof host_request.steps[0]);
            break;
        case HOST_PARSE:
            host_parse(header.payload_bytes);
            break;
        case HOST_SERIALISE:
            host_serialise();
            break;
        default:
            _exit(0);
        }
    }
}

static void *host_shared_memory(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        _exit(HOST_BROKEN);
    }
    return memory;
}

int main(void)
{
    const char *variable = getenv(HOST_FD_VARIABLE);

    if (variable == NULL) {
        return 1;
    }
    host_bench = atoi(variable);
    unsetenv(HOST_FD_VARIABLE);
    host_steps_begun = host_shared_memory(sizeof *host_steps_begun);
    signal(SIGXFSZ, SIG_IGN); /* what is printed too much is not kept */
    for (;;) {
        host_header_t header = host_receive_request();

        if (header.kind == HOST_HELLO) {
            host_answer(HOST_HELLO, host_request.bytes, header.payload_bytes);
        } else if (header.kind == HOST_OPEN) {
            host_ended_t ended = {0};
            pid_t copy = fork();

            if (copy == 0) {
                host_serve();
            }
            if (copy < 0 || waitpid(copy, &ended.wait_status, 0) < 0) {
                _exit(HOST_BROKEN);
            }
            ended.steps_begun = *host_steps_begun;
            host_answer(HOST_ENDED, &ended, sizeof ended);
        } else {
            return 1;
        }
    }
}
