/* What the keeper knows of a submission: a library that is loaded by a copy of it.
 *
 * Every name that is ours starts with host: the submission's own headers are included
 * beside this one. All numbers are in the byte order of the machine.
 */
#ifndef HOST_DRIVER_H
#define HOST_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_MAX_PAYLOAD_BYTES (1024U * 1024U)

/* Functions that return a length give how many bytes they have written to answer. */
typedef struct {
    void (*init)(void);
    size_t (*take_steps)(const void *steps, size_t length, void *answer,
                         volatile uint32_t *begun);
    size_t (*parse)(const char *line, void *answer);
    bool (*serialise)(int32_t actuator, bool on, char *text, size_t size);
} host_driver_t;

#endif
