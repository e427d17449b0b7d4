"""What the C that is made of a ``task.toml`` looks like."""

from __future__ import annotations

from string import Template

APP_C = Template("""\
/* The controller, put into the shell. Fixed: not part of a submission.
 * Made from task.toml by `embedbench generate`. */
#include "controller.h"
#include "protocol.h"

#include "embedbench_controller.h"

static bool app_read(const char *line, controller_input_t *input)
{
    protocol_input_t read;

    switch (protocol_parse_line(line, &read)) {
$cases
    case PROTOCOL_PARSE_IGNORED:
        break;
    }
    return false;
}

static void app_send(const controller_output_t *output)
{
    char line[PROTOCOL_MAX_LINE_LENGTH];

$sends
}

void firmware_main(void)
{
    app_run("$safe_lines");
}
""")

CONTROLLER_H = Template("""\
/* The controller: this and controller.c are where a submission starts.
 * Made from task.toml by `embedbench generate`. */
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

$constants

typedef enum {
    CONTROLLER_INPUT_NONE = 0, /* no line came in: time has passed, no more */
$kinds
} controller_input_kind_t;

typedef enum {
$states
} controller_state_t;

typedef struct {
    controller_input_kind_t kind;
$inputs
} controller_input_t;

typedef struct {
$actuators
    controller_state_t state;
$members
} controller_t;

typedef struct {
$actuators
    controller_state_t state;
    const char *state_name; /* "STATE <LABEL>" */
    bool changed;           /* actuators or state differ from before the step */
    bool timed_out;         /* this step found a reading too old */
} controller_output_t;

void controller_init(controller_t *controller);
controller_output_t controller_step(controller_t *controller, controller_input_t input);
const char *controller_state_name(controller_state_t state);

#ifdef __cplusplus
}
#endif

#endif
""")

CONTROLLER_C = Template("""\
/* Where a submission starts: safe, and of no use.
 * Made from task.toml by `embedbench generate`. */
#include "controller.h"

#include <stddef.h>

const char *controller_state_name(controller_state_t state)
{
    switch (state) {
$names
    case CONTROLLER_STATE_$safe:
        break;
    }
    return "STATE $safe";
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        *controller = (controller_t){
$members
            .state = CONTROLLER_STATE_$safe,
        };
    }
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    (void)controller;
    (void)input;
$outputs
    output.state = CONTROLLER_STATE_$safe;
    output.state_name = controller_state_name(output.state);
    return output;
}
""")

PROTOCOL_H = Template("""\
/* The lines of the wire protocol$role
 * Made from task.toml by `embedbench generate`. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROTOCOL_MAX_LINE_LENGTH 128
$ranges

typedef enum {
    PROTOCOL_INPUT_NONE = 0,
$kinds
} protocol_input_kind_t;

typedef struct {
    protocol_input_kind_t kind;
$members
} protocol_input_t;

typedef enum {
    PROTOCOL_PARSE_IGNORED = 0,
$results
} protocol_parse_result_t;

/* Read one line; `input` always gets a kind, and 0 or false where it has no value. */
protocol_parse_result_t protocol_parse_line(const char *line, protocol_input_t *input);

/* Write one line, newline included; false if it does not fit. */
$serialisers
bool protocol_serialize_debug(const char *text, char *buffer, size_t buffer_size);

#ifdef __cplusplus
}
#endif

#endif
""")

PROTOCOL_C = Template("""\
/* Made from task.toml by `embedbench generate`. */
#include "protocol.h"

#include "embedbench_frame.h"
$words
static protocol_input_kind_t read_frame(const frame_t *frame, protocol_input_t *input)
{
$sensors
    if (frame_is(frame, "FAULT", "SENSOR_TIMEOUT")) {
        return PROTOCOL_INPUT_SENSOR_TIMEOUT;
    }
    return PROTOCOL_INPUT_NONE;
}

protocol_parse_result_t protocol_parse_line(const char *line, protocol_input_t *input)
{
    static const protocol_input_t nothing = {0};
    frame_t frame;

    *input = nothing;
    frame_split(&frame, line);
    input->kind = read_frame(&frame, input);
    /* Kinds and results are numbered alike. */
    return (protocol_parse_result_t)input->kind;
}

$serialisers
bool protocol_serialize_debug(const char *text, char *buffer, size_t buffer_size)
{
    return frame_write(buffer, buffer_size, "DBG ", text);
}
""")

READ_WORD = Template("""\
static protocol_input_kind_t read_$name(const char *word, protocol_input_t *input)
{
$words
    return PROTOCOL_INPUT_$invalid;
}
""")

READ_NUMBER = Template("""\
    if (frame_begins(frame, "$verb", "$name")) {
$reading
                   ? PROTOCOL_INPUT_$kind
                   : PROTOCOL_INPUT_$invalid;
    }""")

SERIALISER = Template("""\
bool protocol_serialize_act_$name(bool $actuator, char *buffer, size_t buffer_size)
{
$write
}
""")
