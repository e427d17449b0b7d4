/* The reference: fills below the band, stops above it, and trusts no stale level. */
#include "controller.h"

#include <stddef.h>

const char *controller_state_name(controller_state_t state)
{
    switch (state) {
    case CONTROLLER_STATE_PUMPING:
        return "STATE PUMPING";
    case CONTROLLER_STATE_HOLDING:
        return "STATE HOLDING";
    case CONTROLLER_STATE_SAFE_OFF:
        break;
    }
    return "STATE SAFE_OFF";
}

static void go_safe(controller_t *controller)
{
    controller->pump_on = false;
    controller->state = CONTROLLER_STATE_SAFE_OFF;
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        go_safe(controller);
    }
}

static void take_level(controller_t *controller, int level, uint32_t now_ms)
{
    controller->last_valid_sensor_ms = now_ms;
    if (level < CONTROLLER_LEVEL_LOW_THRESHOLD) {
        controller->pump_on = true;
        controller->state = CONTROLLER_STATE_PUMPING;
    } else if (level > CONTROLLER_LEVEL_HIGH_THRESHOLD) {
        go_safe(controller);
    } else {
        controller->state = CONTROLLER_STATE_HOLDING;
    }
}

/* Before the first level, too: the pump is off then in any case. */
static bool is_stale(const controller_t *controller, uint32_t now_ms)
{
    return now_ms - controller->last_valid_sensor_ms > CONTROLLER_SENSOR_TIMEOUT_MS;
}

static void step(controller_t *controller, controller_input_t input)
{
    if (is_stale(controller, input.now_ms)) {
        go_safe(controller);
    }
    switch (input.kind) {
    case CONTROLLER_INPUT_NONE:
        break;
    case CONTROLLER_INPUT_LEVEL:
        take_level(controller, input.level, input.now_ms);
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
    case CONTROLLER_INPUT_INVALID_LEVEL:
    default:
        go_safe(controller);
        break;
    }
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    if (controller != NULL) {
        controller_t before = *controller;

        step(controller, input);
        output.pump_on = controller->pump_on;
        output.state = controller->state;
        output.changed = controller->state != before.state;
        output.timed_out = is_stale(&before, input.now_ms);
    }
    output.state_name = controller_state_name(output.state);
    return output;
}
