/* The tank's controller, put into the shell. Fixed: not part of a submission. */
#include "controller.h"
#include "protocol.h"

#include "embedbench_port.h"
#include "embedbench_shell.h"

static controller_t controller;
static controller_output_t output;

static void step(controller_input_kind_t kind, int level, uint32_t now_ms)
{
    controller_input_t input = {0};

    input.kind = kind;
    input.level = level;
    input.now_ms = now_ms;
    output = controller_step(&controller, input);
}

static void start(void)
{
    controller_init(&controller);
}

static bool take_line(const char *line, uint32_t now_ms)
{
    protocol_input_t input;

    switch (protocol_parse_line(line, &input)) {
    case PROTOCOL_PARSE_LEVEL:
        step(CONTROLLER_INPUT_LEVEL, input.level, now_ms);
        return true;
    case PROTOCOL_PARSE_SENSOR_TIMEOUT:
        step(CONTROLLER_INPUT_SENSOR_TIMEOUT, 0, now_ms);
        return true;
    case PROTOCOL_PARSE_INVALID_LEVEL:
        step(CONTROLLER_INPUT_INVALID_LEVEL, 0, now_ms);
        return true;
    case PROTOCOL_PARSE_IGNORED:
        break;
    }
    return false;
}

static bool idle(uint32_t now_ms)
{
    step(CONTROLLER_INPUT_NONE, 0, now_ms);
    return output.changed;
}

static void reply(void)
{
    char line[PROTOCOL_MAX_LINE_LENGTH];

    shell_send_if(protocol_serialize_act_pump(output.pump_on, line, sizeof line), line);
    shell_send_if(protocol_serialize_debug(output.state_name, line, sizeof line), line);
}

void firmware_main(void)
{
    static const shell_task_t task = {
        .start = start,
        .safe_lines = "ACT PUMP OFF\nDBG STATE SAFE_OFF\n",
        .take_line = take_line,
        .idle = idle,
        .reply = reply,
    };

    shell_run(&task);
}
