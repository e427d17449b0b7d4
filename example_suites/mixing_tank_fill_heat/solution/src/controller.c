/* The reference: fills, then heats, while both readings count. */
#include "controller.h"

#include <stddef.h>

const char *controller_state_name(controller_state_t state)
{
    switch (state) {
    case CONTROLLER_STATE_FILLING:
        return "STATE FILLING";
    case CONTROLLER_STATE_HEATING:
        return "STATE HEATING";
    case CONTROLLER_STATE_HOLDING:
        return "STATE HOLDING";
    case CONTROLLER_STATE_SAFE_IDLE:
        break;
    }
    return "STATE SAFE_IDLE";
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        *controller = (controller_t){
            .inlet_open = false,
            .heater_on = false,
            .state = CONTROLLER_STATE_SAFE_IDLE,
            .has_valid_temperature = false,
            .has_valid_level = false,
        };
    }
}

static bool is_stale(bool has_valid, uint32_t last_ms, uint32_t now_ms)
{
    return has_valid && now_ms - last_ms > CONTROLLER_SENSOR_TIMEOUT_MS;
}

static bool drop_stale(controller_t *controller, uint32_t now_ms)
{
    bool temperature_is_stale =
        is_stale(controller->has_valid_temperature, controller->last_temperature_ms, now_ms);
    bool level_is_stale =
        is_stale(controller->has_valid_level, controller->last_level_ms, now_ms);

    if (temperature_is_stale) {
        controller->has_valid_temperature = false;
    }
    if (level_is_stale) {
        controller->has_valid_level = false;
    }
    return temperature_is_stale || level_is_stale;
}

static void take_input(controller_t *controller, controller_input_t input)
{
    switch (input.kind) {
    case CONTROLLER_INPUT_NONE:
        break;
    case CONTROLLER_INPUT_TEMPERATURE:
        controller->has_valid_temperature = true;
        controller->last_temperature_c = input.temperature_c;
        controller->last_temperature_ms = input.now_ms;
        break;
    case CONTROLLER_INPUT_LEVEL:
        controller->has_valid_level = true;
        controller->last_level = input.level;
        controller->last_level_ms = input.now_ms;
        break;
    case CONTROLLER_INPUT_INVALID_TEMPERATURE:
        controller->has_valid_temperature = false;
        break;
    case CONTROLLER_INPUT_INVALID_LEVEL:
        controller->has_valid_level = false;
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
    default:
        controller->has_valid_temperature = false;
        controller->has_valid_level = false;
        break;
    }
}

static void set(controller_t *controller, bool inlet_open, bool heater_on,
                controller_state_t state)
{
    controller->inlet_open = inlet_open;
    controller->heater_on = heater_on;
    controller->state = state;
}

static void decide(controller_t *controller)
{
    if (!controller->has_valid_temperature || !controller->has_valid_level) {
        set(controller, false, false, CONTROLLER_STATE_SAFE_IDLE);
    } else if (controller->last_level < CONTROLLER_FILL_LEVEL_THRESHOLD) {
        /* Far above CONTROLLER_MIN_HEATING_LEVEL, too. */
        set(controller, true, false, CONTROLLER_STATE_FILLING);
    } else if (controller->last_temperature_c < CONTROLLER_TEMP_LOW_THRESHOLD) {
        set(controller, false, true, CONTROLLER_STATE_HEATING);
    } else {
        /* Whatever left the heater on was less than this, so the tank warms up. */
        bool heater_on =
            controller->heater_on
            && controller->last_temperature_c < CONTROLLER_TEMP_EARLY_OFF_THRESHOLD;

        set(controller, false, heater_on, CONTROLLER_STATE_HOLDING);
    }
}

static bool step(controller_t *controller, controller_input_t input)
{
    bool timed_out = drop_stale(controller, input.now_ms);

    if (timed_out) {
        decide(controller);
    }
    take_input(controller, input);
    decide(controller);
    return timed_out || input.kind == CONTROLLER_INPUT_SENSOR_TIMEOUT;
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    if (controller != NULL) {
        controller_t before = *controller;

        output.timed_out = step(controller, input);
        output.inlet_open = controller->inlet_open;
        output.heater_on = controller->heater_on;
        output.state = controller->state;
        output.changed = controller->inlet_open != before.inlet_open
                         || controller->heater_on != before.heater_on
                         || controller->state != before.state;
    }
    output.state_name = controller_state_name(output.state);
    return output;
}
