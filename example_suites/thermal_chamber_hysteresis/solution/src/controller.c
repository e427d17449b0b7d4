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

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        *controller = (controller_t){
            .heater_on = false,
            .state = CONTROLLER_STATE_SAFE_OFF,
            .has_valid_sensor = false,
        };
    }
}

static void go_safe(controller_t *controller)
{
    controller->has_valid_sensor = false;
    controller->heater_on = false;
    controller->state = CONTROLLER_STATE_SAFE_OFF;
}

static void take_temperature(controller_t *controller, int temperature_c, uint32_t now_ms)
{
    controller->has_valid_sensor = true;
    controller->last_valid_sensor_ms = now_ms;
    if (temperature_c < CONTROLLER_TEMP_LOW_THRESHOLD) {
        controller->heater_on = true;
        controller->state = CONTROLLER_STATE_HEATING;
    } else if (temperature_c > CONTROLLER_TEMP_HIGH_THRESHOLD) {
        controller->heater_on = false;
        controller->state = CONTROLLER_STATE_SAFE_OFF;
    } else {
        /* Whatever left the heater on was less than this, so the chamber warms up. */
        if (temperature_c >= CONTROLLER_TEMP_EARLY_OFF_THRESHOLD) {
            controller->heater_on = false;
        }
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
    case CONTROLLER_INPUT_TEMPERATURE:
        take_temperature(controller, input.temperature_c, input.now_ms);
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
        timed_out = true;
        go_safe(controller);
        break;
    case CONTROLLER_INPUT_INVALID_TEMPERATURE:
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
        output.heater_on = controller->heater_on;
        output.state = controller->state;
        output.changed = controller->heater_on != before.heater_on
                         || controller->state != before.state;
    }
    output.state_name = controller_state_name(output.state);
    return output;
}
