/* The part of a controller's firmware that every task has in common.
 *
 * The shell reads the UART, puts lines together, hands each to the task, lets the
 * task idle, and beats its heart. What lines mean and what is answered is the
 * task's, in a shell_task_t.
 */
#ifndef EMBEDBENCH_SHELL_H
#define EMBEDBENCH_SHELL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /* Called once, before anything is sent. */
    void (*start)(void);

    /* What is sent after DBG BOOTED: actuators in their safe state, and its name.
     * Whole lines, each with its newline. */
    const char *safe_lines;

    /* Step the controller with a line; false: not a line for us, no reply. */
    bool (*take_line)(const char *line, uint32_t now_ms);

    /* Step the controller without input; false: nothing changed, no reply. */
    bool (*idle)(uint32_t now_ms);

    /* Send all actuator lines and the state line of the last step. */
    void (*reply)(void);
} shell_task_t;

/* Run `task`; never returns. */
void shell_run(const shell_task_t *task);

/* Send text as it is. */
void shell_send(const char *text);

/* Send what a serialiser wrote; what did not fit is not sent.
 * For use as: shell_send_if(protocol_serialize_x(value, line, sizeof line), line). */
void shell_send_if(bool fits, const char *line);

#ifdef __cplusplus
}
#endif

#endif
