/* One call of a submission's functions from a row of numbers, for any machine.
 *
 * Both drivers include it, behind the task's own headers and host_task.h, which is made
 * from task.toml. Every name that is ours starts with host, and is given one that no
 * submission can know before this is compiled: hence no guard. See interface.py.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HOST_IDLE 0
#define HOST_UNKNOWN (-1)
#define HOST_COUNT(list) (sizeof(list) / sizeof((list)[0]))

typedef struct {
    int32_t kind; /* as in HOST_KINDS, from 1 on */
    uint32_t now_ms;
    int32_t values[HOST_VALUE_COUNT];
} host_step_t;

typedef struct {
    uint8_t changed;
    int8_t state; /* as in HOST_STATES, HOST_UNKNOWN for none of them */
    uint8_t actuators[HOST_ACTUATOR_COUNT];
} host_stepped_t;

typedef struct {
    int32_t result; /* index in host_results */
    int32_t kind;   /* index in host_inputs */
    int32_t values[HOST_VALUE_COUNT];
} host_parsed_t;

#define HOST_INPUT(name) PROTOCOL_INPUT_##name,
#define HOST_RESULT(name) PROTOCOL_PARSE_##name,
#define HOST_SERIALISER(name) protocol_serialize_act_##name,

static const int host_inputs[] = {HOST_INPUT(NONE) HOST_KINDS(HOST_INPUT)};
static const int host_results[] = {HOST_RESULT(IGNORED) HOST_KINDS(HOST_RESULT)};
static bool (*const host_serialisers[])(bool, char *, size_t) = {
    HOST_SERIALISERS(HOST_SERIALISER)};

static controller_t host_controller;

static int host_index_of(const int *list, size_t count, int value)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == value) {
            return (int)i;
        }
    }
    return HOST_UNKNOWN;
}

static void host_name_kind(controller_input_t *input, int32_t kind)
{
    int32_t next = 0;

#define HOST_KIND(name)                                                                \
    if (kind == next++) {                                                              \
        input->kind = CONTROLLER_INPUT_##name;                                         \
    }
    HOST_KIND(NONE)
    HOST_KINDS(HOST_KIND)
}

#ifdef HOST_STATES
/* A state may be anything that == compares: a number, an address, a text. */
static bool host_same_text(const char *one, const char *other)
{
    if (one == NULL || other == NULL) {
        return false;
    }
    while (*one != '\0' && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

#define HOST_IS_TEXT(it) _Generic((it), char *: true, const char *: true, default: false)
#define HOST_TEXT(it) ((const char *)(uintptr_t)(it))
#define HOST_SAME(one, other)                                                          \
    ((one) == (other) || (HOST_IS_TEXT(one) && HOST_IS_TEXT(other) &&                  \
                          host_same_text(HOST_TEXT(one), HOST_TEXT(other))))

static int8_t host_state_of(const controller_output_t *output)
{
    int8_t next = 0;

#define HOST_STATE(name)                                                               \
    if (HOST_SAME(output->state, CONTROLLER_STATE_##name)) {                           \
        return next;                                                                   \
    }                                                                                  \
    next++;
    HOST_STATES(HOST_STATE)
    return HOST_UNKNOWN;
}
#endif

static host_stepped_t host_take_step(const host_step_t *step)
{
    controller_input_t input = {0};
    controller_output_t output;
    host_stepped_t seen = {0};
    size_t next = 0;

    host_name_kind(&input, step->kind);
    input.now_ms = step->now_ms;
#define HOST_TAKE(name) input.name = step->values[next++];
    HOST_VALUES(HOST_TAKE)
    next = 0;
    output = controller_step(&host_controller, input);
#define HOST_GIVE(name) seen.actuators[next++] = output.name ? 1 : 0;
    HOST_ACTUATORS(HOST_GIVE)
    if (step->kind == HOST_IDLE) { /* the shell does not look at it otherwise */
        seen.changed = output.changed ? 1 : 0;
    }
#ifdef HOST_STATES
    seen.state = host_state_of(&output);
#endif
    return seen;
}

static host_parsed_t host_read_line(const char *line)
{
    protocol_input_t input;
    host_parsed_t parsed = {0};
    size_t next = 0;

    memset(&input, 1, sizeof input); /* the shell's is not empty either */
    parsed.result = host_index_of(host_results, HOST_COUNT(host_results),
                                  (int)protocol_parse_line(line, &input));
    parsed.kind =
        host_index_of(host_inputs, HOST_COUNT(host_inputs), (int)input.kind);
#define HOST_SHOW(name) parsed.values[next++] = input.name;
    HOST_VALUES(HOST_SHOW)
    return parsed;
}
