/* The reference. */
#include "controller.h"

const char *controller_state_name(controller_state_t state)
{
    static const char *const NAMES[] = {
        [CONTROLLER_STATE_SAFE_OFF] = "STATE SAFE_OFF",
        [CONTROLLER_STATE_RAISING] = "STATE RAISING",
        [CONTROLLER_STATE_HOLDING] = "STATE HOLDING",
    };

    return NAMES[state];
}

void controller_init(controller_t *controller)
{
    *controller = (controller_t){.actuator_name_on = false, .state = CONTROLLER_STATE_SAFE_OFF};
}

static void go_safe(controller_t *controller)
{
    controller->actuator_name_on = false;
    controller->state = CONTROLLER_STATE_SAFE_OFF;
    controller->has_valid_sensor_name = false;
}

static void take_sensor_name(controller_t *controller, int sensor_name, uint32_t now_ms)
{
    controller->has_valid_sensor_name = true;
    controller->last_sensor_name_ms = now_ms;
    if (sensor_name < CONTROLLER_SENSOR_NAME_LOW_THRESHOLD) {
        controller->actuator_name_on = true;
        controller->state = CONTROLLER_STATE_RAISING;
    } else if (sensor_name > CONTROLLER_SENSOR_NAME_HIGH_THRESHOLD) {
        controller->actuator_name_on = false;
        controller->state = CONTROLLER_STATE_HOLDING;
    }
}

static void step(controller_t *controller, controller_input_t input)
{
    if (controller->has_valid_sensor_name
        && input.now_ms - controller->last_sensor_name_ms > CONTROLLER_SENSOR_TIMEOUT_MS) {
        go_safe(controller);
    }
    switch (input.kind) {
    case CONTROLLER_INPUT_NONE:
        break;
    case CONTROLLER_INPUT_SENSOR_NAME:
        take_sensor_name(controller, input.sensor_name, input.now_ms);
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
    case CONTROLLER_INPUT_INVALID_SENSOR_NAME:
    default:
        go_safe(controller);
        break;
    }
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};
    controller_t before = *controller;

    step(controller, input);
    output.actuator_name_on = controller->actuator_name_on;
    output.state = controller->state;
    output.state_name = controller_state_name(controller->state);
    output.changed = controller->actuator_name_on != before.actuator_name_on
                     || controller->state != before.state;
    return output;
}
