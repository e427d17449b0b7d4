/* A controller with the usual three functions, put into the shell.
 *
 * The types are a task's own, so this is compiled with the task: include it once, in
 * app.c, behind the task's controller.h and protocol.h.
 */
#ifndef EMBEDBENCH_CONTROLLER_H
#define EMBEDBENCH_CONTROLLER_H

#include "embedbench_port.h"
#include "embedbench_shell.h"

/* For app.c to define: turn a line into an input, but for its time; false: not a line
 * for us, no step and no reply. */
static bool app_read(const char *line, controller_input_t *input);

/* For app.c to define: send one line for each actuator. */
static void app_send(const controller_output_t *output);

static controller_t app_controller;
static controller_output_t app_output;

static void app_step(controller_input_t input, uint32_t now_ms)
{
    input.now_ms = now_ms;
    app_output = controller_step(&app_controller, input);
}

static void app_start(void)
{
    controller_init(&app_controller);
}

static bool app_take_line(const char *line, uint32_t now_ms)
{
    controller_input_t input = {0};

    if (!app_read(line, &input)) {
        return false;
    }
    app_step(input, now_ms);
    return true;
}

static bool app_idle(uint32_t now_ms)
{
    controller_input_t input = {0};

    input.kind = CONTROLLER_INPUT_NONE;
    app_step(input, now_ms);
    return app_output.changed;
}

static void app_reply(void)
{
    char line[PROTOCOL_MAX_LINE_LENGTH];

    app_send(&app_output);
    shell_send_if(protocol_serialize_debug(app_output.state_name, line, sizeof line), line);
}

/* Run the controller; never returns. `safe_lines` are those of a shell_task_t. */
static inline void app_run(const char *safe_lines)
{
    const shell_task_t task = {
        .start = app_start,
        .safe_lines = safe_lines,
        .take_line = app_take_line,
        .idle = app_idle,
        .reply = app_reply,
    };

    shell_run(&task);
}

#endif
