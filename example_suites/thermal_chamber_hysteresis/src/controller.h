/* The controller: this and controller.c are where a submission starts.
 * Made from task.toml by `embedbench generate`. */
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONTROLLER_TEMP_LOW_THRESHOLD 47
#define CONTROLLER_TEMP_HIGH_THRESHOLD 52
#define CONTROLLER_TEMP_EARLY_OFF_THRESHOLD 50
#define CONTROLLER_SENSOR_TIMEOUT_MS 1000U

typedef enum {
    CONTROLLER_INPUT_NONE = 0, /* no line came in: time has passed, no more */
    CONTROLLER_INPUT_TEMPERATURE,
    CONTROLLER_INPUT_SENSOR_TIMEOUT,
    CONTROLLER_INPUT_INVALID_TEMPERATURE
} controller_input_kind_t;

typedef enum {
    CONTROLLER_STATE_SAFE_OFF = 0,
    CONTROLLER_STATE_HEATING,
    CONTROLLER_STATE_HOLDING
} controller_state_t;

typedef struct {
    controller_input_kind_t kind;
    int temperature_c; /* only for TEMPERATURE */
    uint32_t now_ms;   /* since start-up; wraps */
} controller_input_t;

typedef struct {
    bool heater_on;
    controller_state_t state;
    bool has_valid_sensor;
    int last_temperature_c;
    uint32_t last_valid_sensor_ms;
} controller_t;

typedef struct {
    bool heater_on;
    controller_state_t state;
    const char *state_name; /* "STATE <LABEL>" */
    bool changed;           /* actuators or state differ from before the step */
    bool timed_out;         /* this step found a reading too old */
} controller_output_t;

void controller_init(controller_t *controller);
controller_output_t controller_step(controller_t *controller, controller_input_t input);
const char *controller_state_name(controller_state_t state);

#ifdef __cplusplus
}
#endif

#endif
