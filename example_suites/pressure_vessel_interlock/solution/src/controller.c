/* The reference: keeps the pressure while both readings count and the door is closed. */
#include "controller.h"

#include <stddef.h>

const char *controller_state_name(controller_state_t state)
{
    switch (state) {
    case CONTROLLER_STATE_PRESSURIZING:
        return "STATE PRESSURIZING";
    case CONTROLLER_STATE_HOLDING:
        return "STATE HOLDING";
    case CONTROLLER_STATE_RELIEVING:
        return "STATE RELIEVING";
    case CONTROLLER_STATE_SAFE_VENT:
        break;
    }
    return "STATE SAFE_VENT";
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        *controller = (controller_t){
            .compressor_on = false,
            .vent_open = true,
            .state = CONTROLLER_STATE_SAFE_VENT,
            .has_valid_pressure = false,
            .has_valid_door = false,
        };
    }
}

static bool is_stale(bool has_valid, uint32_t last_ms, uint32_t now_ms)
{
    return has_valid && now_ms - last_ms > CONTROLLER_SENSOR_TIMEOUT_MS;
}

static bool drop_stale(controller_t *controller, uint32_t now_ms)
{
    bool pressure_is_stale =
        is_stale(controller->has_valid_pressure, controller->last_pressure_ms, now_ms);
    bool door_is_stale =
        is_stale(controller->has_valid_door, controller->last_door_ms, now_ms);

    if (pressure_is_stale) {
        controller->has_valid_pressure = false;
    }
    if (door_is_stale) {
        controller->has_valid_door = false;
    }
    return pressure_is_stale || door_is_stale;
}

static void take_door(controller_t *controller, bool door_closed, uint32_t now_ms)
{
    controller->has_valid_door = true;
    controller->door_closed = door_closed;
    controller->last_door_ms = now_ms;
}

static void take_input(controller_t *controller, controller_input_t input)
{
    switch (input.kind) {
    case CONTROLLER_INPUT_NONE:
        break;
    case CONTROLLER_INPUT_PRESSURE:
        controller->has_valid_pressure = true;
        controller->last_pressure_kpa = input.pressure_kpa;
        controller->last_pressure_ms = input.now_ms;
        break;
    case CONTROLLER_INPUT_DOOR_OPEN:
        take_door(controller, false, input.now_ms);
        break;
    case CONTROLLER_INPUT_DOOR_CLOSED:
        take_door(controller, true, input.now_ms);
        break;
    case CONTROLLER_INPUT_INVALID_PRESSURE:
        controller->has_valid_pressure = false;
        break;
    case CONTROLLER_INPUT_INVALID_DOOR:
        controller->has_valid_door = false;
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
    default:
        controller->has_valid_pressure = false;
        controller->has_valid_door = false;
        break;
    }
}

static void set(controller_t *controller, bool compressor_on, bool vent_open,
                controller_state_t state)
{
    controller->compressor_on = compressor_on;
    controller->vent_open = vent_open;
    controller->state = state;
}

static void decide(controller_t *controller)
{
    bool may_run = controller->has_valid_pressure && controller->has_valid_door
                   && controller->door_closed;

    if (!may_run) {
        set(controller, false, true, CONTROLLER_STATE_SAFE_VENT);
    } else if (controller->last_pressure_kpa < CONTROLLER_PRESSURE_LOW_THRESHOLD) {
        set(controller, true, false, CONTROLLER_STATE_PRESSURIZING);
    } else if (controller->last_pressure_kpa > CONTROLLER_PRESSURE_HIGH_THRESHOLD) {
        set(controller, false, true, CONTROLLER_STATE_RELIEVING);
    } else {
        controller->state = CONTROLLER_STATE_HOLDING;
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
    controller_output_t output = {.vent_open = true};

    if (controller != NULL) {
        controller_t before = *controller;

        output.timed_out = step(controller, input);
        output.compressor_on = controller->compressor_on;
        output.vent_open = controller->vent_open;
        output.state = controller->state;
        output.changed = controller->compressor_on != before.compressor_on
                         || controller->vent_open != before.vent_open
                         || controller->state != before.state;
    }
    output.state_name = controller_state_name(output.state);
    return output;
}
