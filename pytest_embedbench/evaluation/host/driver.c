/* Steps a submission's controller for the host stage; see program.py.
 *
 * This program stands ready, and for each test a copy of it serves: a controller
 * never meets what an earlier one left behind. All numbers are in the byte order of
 * the machine. Compiled with the submission's own headers; host_task.h is made from
 * the task's task.toml.
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

#define FD_VARIABLE "EMBEDBENCH_FD"
#define CPU_TICK_US 20000
#define CPU_LIMIT_TICKS 50 /* 1 s for one request */
#define MEMORY_LIMIT_KIB (256L * 1024L)
#define MAX_PAYLOAD_BYTES (1024U * 1024U)
#define IDLE 0
#define UNKNOWN (-1)
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { HELLO = 1, OPEN, INIT, STEPS, PARSE, SERIALISE, CLOSE, ENDED };

typedef struct {
    uint32_t kind;
    uint32_t payload_bytes;
} header_t;

typedef struct {
    int32_t wait_status;
    uint32_t steps_begun; /* in the last request */
} ended_t;

typedef struct {
    int32_t kind; /* index in KINDS */
    uint32_t now_ms;
    int32_t values[HOST_VALUE_COUNT];
} step_t;

typedef struct {
    uint8_t changed;
    int8_t state; /* index in STATES */
    uint8_t actuators[HOST_ACTUATOR_COUNT];
} stepped_t;

typedef struct {
    int32_t result; /* index in RESULTS */
    int32_t kind;   /* index in INPUTS */
    int32_t values[HOST_VALUE_COUNT];
} parsed_t;

typedef struct {
    int32_t actuator; /* index in SERIALISERS */
    int32_t on;
    uint32_t size;
} serialise_t;

#define KIND(name) CONTROLLER_INPUT_##name,
#define STATE(name) CONTROLLER_STATE_##name,
#define INPUT(name) PROTOCOL_INPUT_##name,
#define RESULT(name) PROTOCOL_PARSE_##name,
#define SERIALISER(name) protocol_serialize_act_##name,

static const int KINDS[] = {KIND(NONE) HOST_KINDS(KIND)};
static const int INPUTS[] = {INPUT(NONE) HOST_KINDS(INPUT)};
static const int RESULTS[] = {RESULT(IGNORED) HOST_KINDS(RESULT)};
#ifdef HOST_STATES
static const int STATES[] = {HOST_STATES(STATE)};
#endif
static bool (*const SERIALISERS[])(bool, char *, size_t) = {
    HOST_SERIALISERS(SERIALISER)};

/* Sanitizers bring it. */
extern void __sanitizer_print_stack_trace(void) __attribute__((weak));

static int bench;
static volatile uint32_t *steps_begun; /* shared by the copies and the original */
static volatile sig_atomic_t cpu_ticks; /* of this request */
static controller_t controller;
static union {
    char bytes[MAX_PAYLOAD_BYTES];
    step_t steps[MAX_PAYLOAD_BYTES / sizeof(step_t)];
    serialise_t serialise;
} request;
static stepped_t stepped[COUNT(request.steps)];

static void receive_all(void *buffer, size_t length)
{
    char *next = buffer;

    while (length > 0) {
        ssize_t count = read(bench, next, length);

        if (count <= 0) {
            _exit(0);
        }
        next += count;
        length -= (size_t)count;
    }
}

static void send_all(const void *buffer, size_t length)
{
    const char *next = buffer;

    while (length > 0) {
        ssize_t count = write(bench, next, length);

        if (count <= 0) {
            _exit(0);
        }
        next += count;
        length -= (size_t)count;
    }
}

static void answer(uint32_t kind, const void *payload, size_t length)
{
    header_t header = {kind, (uint32_t)length};

    send_all(&header, sizeof header);
    send_all(payload, length);
}

static header_t receive_request(void)
{
    header_t header;

    receive_all(&header, sizeof header);
    if (header.payload_bytes > sizeof request.bytes) {
        abort();
    }
    receive_all(request.bytes, header.payload_bytes);
    return header;
}

static int index_of(const int *list, size_t count, int value)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == value) {
            return (int)i;
        }
    }
    return UNKNOWN;
}

static stepped_t take_step(const step_t *step)
{
    controller_input_t input = {0};
    controller_output_t output;
    stepped_t seen = {0};
    size_t next = 0;

    input.kind = (controller_input_kind_t)KINDS[step->kind];
    input.now_ms = step->now_ms;
#define TAKE(name) input.name = step->values[next++];
    HOST_VALUES(TAKE)
    next = 0;
    output = controller_step(&controller, input);
#define GIVE(name) seen.actuators[next++] = output.name;
    HOST_ACTUATORS(GIVE)
    if (step->kind == IDLE) { /* the shell does not look at it otherwise */
        seen.changed = output.changed;
    }
#ifdef HOST_STATES
    seen.state = (int8_t)index_of(STATES, COUNT(STATES), (int)output.state);
#endif
    return seen;
}

static void take_steps(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *steps_begun = (uint32_t)i + 1U;
        stepped[i] = take_step(&request.steps[i]);
    }
    answer(STEPS, stepped, count * sizeof stepped[0]);
}

/* The line lies in memory of just its size: reading on behind it does not go unseen. */
static void parse(size_t length)
{
    char *line = malloc(length + 1U);
    protocol_input_t input;
    parsed_t parsed = {0};
    size_t next = 0;

    if (line == NULL) {
        abort();
    }
    memcpy(line, request.bytes, length);
    line[length] = '\0';
    memset(&input, 0, sizeof input);
    parsed.result = index_of(RESULTS, COUNT(RESULTS),
                             (int)protocol_parse_line(line, &input));
    parsed.kind = index_of(INPUTS, COUNT(INPUTS), (int)input.kind);
#define SHOW(name) parsed.values[next++] = input.name;
    HOST_VALUES(SHOW)
    free(line);
    answer(PARSE, &parsed, sizeof parsed);
}

/* As with the line: a byte too many does not go unseen. */
static void serialise(void)
{
    serialise_t wanted = request.serialise;
    char *text = malloc(wanted.size);
    header_t header = {SERIALISE, sizeof(int32_t)};
    int32_t fits;

    if (text == NULL && wanted.size > 0) {
        abort();
    }
    fits = SERIALISERS[wanted.actuator](wanted.on != 0, text, wanted.size);
    if (fits) {
        header.payload_bytes += (uint32_t)strnlen(text, wanted.size);
    }
    send_all(&header, sizeof header);
    send_all(&fits, sizeof fits);
    if (fits) {
        send_all(text, header.payload_bytes - sizeof fits);
    }
    free(text);
}

/* Ends the copy by a signal that says why; see faults.py. */
static void end_by(int number)
{
    if (__sanitizer_print_stack_trace) {
        __sanitizer_print_stack_trace();
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Comes every CPU_TICK_US of CPU time. Memory cannot be limited by the kernel, of which
 * sanitizers claim terabytes. */
static void look_at_use(int number)
{
    struct rusage use;

    (void)number;
    if (++cpu_ticks > CPU_LIMIT_TICKS) {
        end_by(SIGXCPU);
    }
    if (getrusage(RUSAGE_SELF, &use) == 0 && use.ru_maxrss > MEMORY_LIMIT_KIB) {
        end_by(SIGUSR2);
    }
}

static void limit_use(void)
{
    struct sigaction action;
    struct itimerval every = {{0, CPU_TICK_US}, {0, CPU_TICK_US}};

    memset(&action, 0, sizeof action);
    action.sa_handler = look_at_use;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
}

static void serve(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    limit_use();
    answer(OPEN, NULL, 0);
    for (;;) {
        header_t header = receive_request();

        *steps_begun = 0;
        cpu_ticks = 0;
        switch (header.kind) {
        case INIT:
            controller_init(&controller);
            answer(INIT, NULL, 0);
            break;
        case STEPS:
            take_steps(header.payload_bytes / sizeof request.steps[0]);
            break;
        case PARSE:
            parse(header.payload_bytes);
            break;
        case SERIALISE:
            serialise();
            break;
        default:
            _exit(0);
        }
    }
}

static void *shared_memory(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        abort();
    }
    return memory;
}

int main(void)
{
    const char *variable = getenv(FD_VARIABLE);

    if (variable == NULL) {
        return 1;
    }
    bench = atoi(variable);
    unsetenv(FD_VARIABLE);
    steps_begun = shared_memory(sizeof *steps_begun);
    signal(SIGXFSZ, SIG_IGN); /* what is printed too much is not kept */
    for (;;) {
        header_t header = receive_request();

        if (header.kind == HELLO) {
            answer(HELLO, request.bytes, header.payload_bytes);
        } else if (header.kind == OPEN) {
            ended_t ended = {0};
            pid_t copy = fork();

            if (copy == 0) {
                serve();
            }
            if (copy < 0 || waitpid(copy, &ended.wait_status, 0) < 0) {
                abort();
            }
            ended.steps_begun = *steps_begun;
            answer(ENDED, &ended, sizeof ended);
        } else {
            return 1;
        }
    }
}
