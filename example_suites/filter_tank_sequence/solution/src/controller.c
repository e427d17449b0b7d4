/* The reference: filters, lets settle, drains, while both readings count. */
#include "controller.h"

#include <stddef.h>

const char *controller_state_name(controller_state_t state)
{
    switch (state) {
    case CONTROLLER_STATE_FILTERING:
        return "STATE FILTERING";
    case CONTROLLER_STATE_SETTLING:
        return "STATE SETTLING";
    case CONTROLLER_STATE_DRAINING:
        return "STATE DRAINING";
    case CONTROLLER_STATE_COMPLETE:
        return "STATE COMPLETE";
    case CONTROLLER_STATE_SAFE_IDLE:
        break;
    }
    return "STATE SAFE_IDLE";
}

static void enter(controller_t *controller, controller_state_t state)
{
    controller->state = state;
    controller->filter_on = state == CONTROLLER_STATE_FILTERING;
    controller->drain_open = state == CONTROLLER_STATE_DRAINING;
}

static void lose_turbidity(controller_t *controller)
{
    controller->has_valid_turbidity = false;
    controller->clear_streak_count = 0;
    enter(controller, CONTROLLER_STATE_SAFE_IDLE);
}

static void lose_level(controller_t *controller)
{
    controller->has_valid_level = false;
    controller->clear_streak_count = 0;
    enter(controller, CONTROLLER_STATE_SAFE_IDLE);
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        lose_turbidity(controller);
        lose_level(controller);
    }
}

/* What was never heard of is lost already. */
static bool is_stale(uint32_t last_ms, uint32_t now_ms)
{
    return now_ms - last_ms > CONTROLLER_SENSOR_TIMEOUT_MS;
}

static void take_turbidity(controller_t *controller, int turbidity_ntu, uint32_t now_ms)
{
    controller->has_valid_turbidity = true;
    controller->last_turbidity_ntu = turbidity_ntu;
    controller->last_turbidity_ms = now_ms;
    if (turbidity_ntu > CONTROLLER_CLEAR_THRESHOLD_NTU) {
        controller->clear_streak_count = 0;
    } else if (controller->has_valid_level) {
        controller->clear_streak_count++;
    }
}

static void take_level(controller_t *controller, int level, uint32_t now_ms)
{
    controller->has_valid_level = true;
    controller->last_level = level;
    controller->last_level_ms = now_ms;
}

static void take_input(controller_t *controller, controller_input_t input)
{
    switch (input.kind) {
    case CONTROLLER_INPUT_NONE:
        break;
    case CONTROLLER_INPUT_TURBIDITY:
        take_turbidity(controller, input.turbidity_ntu, input.now_ms);
        break;
    case CONTROLLER_INPUT_LEVEL:
        take_level(controller, input.level, input.now_ms);
        break;
    case CONTROLLER_INPUT_INVALID_TURBIDITY:
        lose_turbidity(controller);
        break;
    case CONTROLLER_INPUT_INVALID_LEVEL:
        lose_level(controller);
        break;
    case CONTROLLER_INPUT_SENSOR_TIMEOUT:
    default:
        lose_turbidity(controller);
        lose_level(controller);
        break;
    }
}

static bool has_settled(const controller_t *controller, uint32_t now_ms)
{
    return controller->last_turbidity_ntu <= CONTROLLER_CLEAR_THRESHOLD_NTU
           && now_ms - controller->settling_started_ms >= CONTROLLER_SETTLING_MS;
}

/* What to do with a tank that is full enough and not being drained. */
static controller_state_t next_to_drain(const controller_t *controller, uint32_t now_ms)
{
    if (controller->state == CONTROLLER_STATE_SETTLING) {
        if (controller->last_turbidity_ntu > CONTROLLER_SETTLING_RESET_THRESHOLD_NTU) {
            return CONTROLLER_STATE_FILTERING;
        }
        return has_settled(controller, now_ms) ? CONTROLLER_STATE_DRAINING
                                               : CONTROLLER_STATE_SETTLING;
    }
    if (controller->last_turbidity_ntu > CONTROLLER_CLEAR_THRESHOLD_NTU) {
        return CONTROLLER_STATE_FILTERING;
    }
    if (controller->clear_streak_count >= CONTROLLER_CLEAR_STREAK_REQUIRED) {
        return CONTROLLER_STATE_SETTLING;
    }
    return controller->state == CONTROLLER_STATE_FILTERING ? CONTROLLER_STATE_FILTERING
                                                           : CONTROLLER_STATE_SAFE_IDLE;
}

static controller_state_t next_state(const controller_t *controller, uint32_t now_ms)
{
    bool is_low = controller->last_level < CONTROLLER_MIN_PROCESS_LEVEL;

    if (controller->last_level < CONTROLLER_COMPLETE_LEVEL) {
        return CONTROLLER_STATE_COMPLETE;
    }
    if (controller->state == CONTROLLER_STATE_DRAINING) {
        bool is_disturbed = controller->last_turbidity_ntu
                            > CONTROLLER_DRAINING_DISTURBANCE_THRESHOLD_NTU;

        return is_disturbed && !is_low ? CONTROLLER_STATE_FILTERING
                                       : CONTROLLER_STATE_DRAINING;
    }
    return is_low ? CONTROLLER_STATE_SAFE_IDLE : next_to_drain(controller, now_ms);
}

static void decide(controller_t *controller, uint32_t now_ms)
{
    controller_state_t state;

    if (!controller->has_valid_turbidity || !controller->has_valid_level) {
        return;
    }
    state = next_state(controller, now_ms);
    if (state == CONTROLLER_STATE_SETTLING && controller->state != state) {
        controller->settling_started_ms = now_ms;
    }
    enter(controller, state);
}

static void step(controller_t *controller, controller_input_t input)
{
    if (is_stale(controller->last_turbidity_ms, input.now_ms)) {
        lose_turbidity(controller);
    }
    if (is_stale(controller->last_level_ms, input.now_ms)) {
        lose_level(controller);
    }
    take_input(controller, input);
    decide(controller, input.now_ms);
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    if (controller != NULL) {
        controller_t before = *controller;

        step(controller, input);
        output.filter_on = controller->filter_on;
        output.drain_open = controller->drain_open;
        output.state = controller->state;
        output.changed = controller->state != before.state;
        output.timed_out = is_stale(before.last_turbidity_ms, input.now_ms)
                           || is_stale(before.last_level_ms, input.now_ms);
    }
    output.state_name = controller_state_name(output.state);
    return output;
}
