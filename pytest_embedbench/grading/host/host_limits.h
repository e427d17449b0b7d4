/* What a copy may use, and what it may ask of the system. */
#ifndef HOST_LIMITS_H
#define HOST_LIMITS_H

/* Sets the limits of this process, for good. */
void host_limit_use(void);

/* Begins to count the CPU time of a request. */
void host_begin_request(void);

/* Refuses a submission that has touched what limits it. */
void host_check_limits(void);

/* Says why, in place of an answer, and ends this process; in keeper.c. */
void host_refuse(const char *reason);

#endif
