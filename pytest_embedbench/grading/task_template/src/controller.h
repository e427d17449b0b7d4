/* The actuator name's controller: this and controller.c are the submission. */
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONTROLLER_SENSOR_NAME_LOW_THRESHOLD 30
#define CONTROLLER_SENSOR_NAME_HIGH_THRESHOLD 60
#define CONTROLLER_SENSOR_TIMEOUT_MS 1000U

typedef enum {
    CONTROLLER_INPUT_NONE = 0, /* no line came in: time has passed, no more */
    CONTROLLER_INPUT_SENSOR_NAME,
    CONTROLLER_INPUT_SENSOR_TIMEOUT,
    CONTROLLER_INPUT_INVALID_SENSOR_NAME
} controller_input_kind_t;

typedef enum {
    CONTROLLER_STATE_SAFE_OFF = 0,
    CONTROLLER_STATE_RAISING,
    CONTROLLER_STATE_HOLDING
} controller_state_t;

typedef struct {
    controller_input_kind_t kind;
    int sensor_name; /* only for CONTROLLER_INPUT_SENSOR_NAME */
    uint32_t now_ms; /* since start-up; wraps */
} controller_input_t;

typedef struct {
    bool actuator_name_on;
    controller_state_t state;
    bool has_valid_sensor_name;
    uint32_t last_sensor_name_ms;
} controller_t;

typedef struct {
    bool actuator_name_on;
    controller_state_t state;
    const char *state_name; /* "STATE <LABEL>" */
    bool changed;           /* actuator_name_on or state differ from before the step */
} controller_output_t;

void controller_init(controller_t *controller);
controller_output_t controller_step(controller_t *controller, controller_input_t input);

#ifdef __cplusplus
}
#endif

#endif
