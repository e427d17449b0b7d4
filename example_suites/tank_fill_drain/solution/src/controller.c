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

void controller_init(controller_t *controller)
{
    if (controller == NULL) {
        return;
    }
    controller->pump_on = false;
    controller->state = CONTROLLER_STATE_SAFE_OFF;
    controller->has_valid_sensor = false;
    controller->last_level = 0;
    controller->last_valid_sensor_ms = 0;
}

static void go_safe(controller_t *controller)
{
    controller->has_valid_sensor = false;
    controller->pump_on = false;
    controller->state = CONTROLLER_STATE_SAFE_OFF;
}

static void take_level(controller_t *controller, int level, uint32_t now_ms)
{
    controller->has_valid_sensor = true;
    controller->last_level = level;
    controller->last_valid_sensor_ms = now_ms;
    if (level < CONTROLLER_LEVEL_LOW_THRESHOLD) {
        controller->pump_on = true;
        controller->state = CONTROLLER_STATE_PUMPING;
    } else if (level > CONTROLLER_LEVEL_HIGH_THRESHOLD) {
        controller->pump_on = false;
        controller->state = CONTROLLER_STATE_SAFE_OFF;
    } else {
        controller->state = CONTROLLER_STATE_HOLDING;
    }
}

static bool is_stale(const controller_t *controller, uint32_t now_ms)
{
    return controller->has_valid_sensor
           && now_ms - controller->last_valid_sensor_ms > CONTROLLER_SENSOR_TIMEOUT_MS;
}

static bool step(controller_t *controller, controller_input_t input)
{
    bool timed_out = is_stale(controller, input.now_ms);

    if (timed_out) {
        go_safe(controller);
    }
    switch (input.kind) {
    case CONTROLLER_INPUT_NONE:
        break;
    case CONTROLLER_INPUT_LEVEL:
        take_level(controller, input.level, input.now_ms);
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
        timed_out = true;
        go_safe(controller);
        break;
    case CONTROLLER_INPUT_INVALID_LEVEL:
    default:
        go_safe(controller);
        break;
    }
    return timed_out;
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    if (controller != NULL) {
        controller_t before = *controller;

        output.timed_out = step(controller, input);
        output.pump_on = controller->pump_on;
        output.state = controller->state;
        output.changed = controller->pump_on != before.pump_on
                         || controller->state != before.state;
    }
    output.state_name = controller_state_name(output.state);
    return output;
}
