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

static void set(controller_t *controller, bool inlet_open, bool heater_on,
                controller_state_t state)
{
    controller->inlet_open = inlet_open;
    controller->heater_on = heater_on;
    controller->state = state;
}

static void lose_temperature(controller_t *controller)
{
    controller->has_valid_temperature = false;
    set(controller, false, false, CONTROLLER_STATE_SAFE_IDLE);
}

static void lose_level(controller_t *controller)
{
    controller->has_valid_level = false;
    set(controller, false, false, CONTROLLER_STATE_SAFE_IDLE);
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        lose_temperature(controller);
        lose_level(controller);
    }
}

/* What was never heard of is lost already. */
static bool is_stale(uint32_t last_ms, uint32_t now_ms)
{
    return now_ms - last_ms > CONTROLLER_SENSOR_TIMEOUT_MS;
}

static void decide(controller_t *controller)
{
    if (!controller->has_valid_temperature || !controller->has_valid_level) {
        return;
    }
    if (controller->last_level < CONTROLLER_FILL_LEVEL_THRESHOLD) {
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

static void take_temperature(controller_t *controller, int temperature_c, uint32_t now_ms)
{
    controller->has_valid_temperature = true;
    controller->last_temperature_c = temperature_c;
    controller->last_temperature_ms = now_ms;
    decide(controller);
}

static void take_level(controller_t *controller, int level, uint32_t now_ms)
{
    controller->has_valid_level = true;
    controller->last_level = level;
    controller->last_level_ms = now_ms;
    decide(controller);
}

static void take_input(controller_t *controller, controller_input_t input)
{
    switch (input.kind) {
    case CONTROLLER_INPUT_NONE:
        break;
    case CONTROLLER_INPUT_TEMPERATURE:
        take_temperature(controller, input.temperature_c, input.now_ms);
        break;
    case CONTROLLER_INPUT_LEVEL:
        take_level(controller, input.level, input.now_ms);
        break;
    case CONTROLLER_INPUT_INVALID_TEMPERATURE:
        lose_temperature(controller);
        break;
    case CONTROLLER_INPUT_INVALID_LEVEL:
        lose_level(controller);
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
    default:
        lose_temperature(controller);
        lose_level(controller);
        break;
    }
}

static void step(controller_t *controller, controller_input_t input)
{
    if (is_stale(controller->last_temperature_ms, input.now_ms)) {
        lose_temperature(controller);
    }
    if (is_stale(controller->last_level_ms, input.now_ms)) {
        lose_level(controller);
    }
    take_input(controller, input);
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    if (controller != NULL) {
        controller_t before = *controller;

        step(controller, input);
        output.inlet_open = controller->inlet_open;
        output.heater_on = controller->heater_on;
        output.state = controller->state;
        output.changed = controller->state != before.state;
        output.timed_out = is_stale(before.last_temperature_ms, input.now_ms)
                           || is_stale(before.last_level_ms, input.now_ms);
    }
    output.state_name = controller_state_name(output.state);
    return output;
}
