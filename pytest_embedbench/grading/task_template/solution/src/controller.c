/* The reference. */
#include "controller.h"

static const char *const STATE_NAMES[] = {
    [CONTROLLER_STATE_SAFE_OFF] = "STATE SAFE_OFF",
    [CONTROLLER_STATE_LIT] = "STATE LIT",
    [CONTROLLER_STATE_DARK] = "STATE DARK",
};

void controller_init(controller_t *controller)
{
    *controller = (controller_t){.lamp_on = false, .state = CONTROLLER_STATE_SAFE_OFF};
}

static void go_safe(controller_t *controller)
{
    controller->lamp_on = false;
    controller->state = CONTROLLER_STATE_SAFE_OFF;
    controller->has_valid_light = false;
}

static void take_light(controller_t *controller, int light_pct, uint32_t now_ms)
{
    controller->has_valid_light = true;
    controller->last_light_ms = now_ms;
    if (light_pct < CONTROLLER_LIGHT_LOW_THRESHOLD) {
        controller->lamp_on = true;
        controller->state = CONTROLLER_STATE_LIT;
    } else if (light_pct > CONTROLLER_LIGHT_HIGH_THRESHOLD) {
        controller->lamp_on = false;
        controller->state = CONTROLLER_STATE_DARK;
    }
}

static void step(controller_t *controller, controller_input_t input)
{
    if (controller->has_valid_light
        && input.now_ms - controller->last_light_ms > CONTROLLER_SENSOR_TIMEOUT_MS) {
        go_safe(controller);
    }
    switch (input.kind) {
    case CONTROLLER_INPUT_NONE:
        break;
    case CONTROLLER_INPUT_LIGHT:
        take_light(controller, input.light_pct, input.now_ms);
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
    case CONTROLLER_INPUT_INVALID_LIGHT:
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
    output.lamp_on = controller->lamp_on;
    output.state = controller->state;
    output.state_name = STATE_NAMES[controller->state];
    output.changed = controller->lamp_on != before.lamp_on
                     || controller->state != before.state;
    return output;
}
