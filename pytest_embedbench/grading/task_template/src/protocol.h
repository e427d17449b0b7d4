/* The lines of the lamp's wire protocol. Fixed: not part of a submission. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROTOCOL_MAX_LINE_LENGTH 128
#define PROTOCOL_LIGHT_MIN_PCT 0
#define PROTOCOL_LIGHT_MAX_PCT 100

typedef enum {
    PROTOCOL_INPUT_NONE = 0,
    PROTOCOL_INPUT_LIGHT,
    PROTOCOL_INPUT_SENSOR_TIMEOUT,
    PROTOCOL_INPUT_INVALID_LIGHT
} protocol_input_kind_t;

typedef struct {
    protocol_input_kind_t kind;
    int light_pct;
} protocol_input_t;

typedef enum {
    PROTOCOL_PARSE_IGNORED = 0,
    PROTOCOL_PARSE_LIGHT,
    PROTOCOL_PARSE_SENSOR_TIMEOUT,
    PROTOCOL_PARSE_INVALID_LIGHT
} protocol_parse_result_t;

/* Read one line; `input` always gets a kind, and a value of 0 where there is none. */
protocol_parse_result_t protocol_parse_line(const char *line, protocol_input_t *input);

/* Write one line, newline included; false if it does not fit. */
bool protocol_serialize_act_lamp(bool lamp_on, char *buffer, size_t buffer_size);
bool protocol_serialize_debug(const char *text, char *buffer, size_t buffer_size);

#ifdef __cplusplus
}
#endif

#endif
