/* The reference: heats below the band, stops early, and trusts no stale temperature. */
#include "controller.h"

#include <stddef.h>

const char *controller_state_name(controller_state_t state)
{
    switch (state) {
    case CONTROLLER_STATE_HEATING:
        return "STATE HEATING";
    case CONTROLLER_STATE_HOLDING:
        return "STATE HOLDING";
    case CONTROLLER_STATE_SAFE_OFF:
        break;
    }
    return "STATE SAFE_OFF";
}

static void go_safe(controller_t *controller)
{
    controller->heater_on = false;
    controller->state = CONTROLLER_STATE_SAFE_OFF;
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        go_safe(controller);
    }
}

static void take_temperature(controller_t *controller, int temperature_c, uint32_t now_ms)
{
    controller->last_valid_sensor_ms = now_ms;
    if (temperature_c < CONTROLLER_TEMP_LOW_THRESHOLD) {
        controller->heater_on = true;
        controller->state = CONTROLLER_STATE_HEATING;
    } else if (temperature_c > CONTROLLER_TEMP_HIGH_THRESHOLD) {
        go_safe(controller);
    } else {
        /* Whatever left the heater on was less than this, so the chamber warms up. */
        if (temperature_c >= CONTROLLER_TEMP_EARLY_OFF_THRESHOLD) {
            controller->heater_on = false;
        }
        controller->state = CONTROLLER_STATE_HOLDING;
    }
}

/* Before the first temperature, too: the heater is off then in any case. */
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
    case CONTROLLER_INPUT_TEMPERATURE:
        take_temperature(controller, input.temperature_c, input.now_ms);
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
    case CONTROLLER_INPUT_INVALID_TEMPERATURE:
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
        output.heater_on = controller->heater_on;
        output.state = controller->state;
        output.changed = controller->state != before.state;
        output.timed_out = is_stale(&before, input.now_ms);
    }
    output.state_name = controller_state_name(output.state);
    return output;
}
