/* Tell the bench where a fatal signal struck, then let it strike. */
#if !defined(ARDUINO) && !defined(ESP_PLATFORM) \
    && (defined(__linux__) || defined(__APPLE__)) && !defined(PORT_REAL_TIME)

#define _GNU_SOURCE

#include "bench_link.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#ifdef __linux__
#include <ucontext.h>
#endif

#if defined(__GLIBC__) || defined(__APPLE__)
#include <execinfo.h>
#define HAVE_BACKTRACE 1
#endif

#define MAX_FRAMES 32

/* All that would end us and can be caught: what ends us unreported is SIGKILL, or the
 * firmware has seen to that. SIGXCPU is also how the bench asks a program that never
 * waits where it is. */
static const int FATAL[] = {SIGABRT, SIGALRM, SIGBUS,  SIGFPE,  SIGHUP,    SIGILL,
                            SIGINT,  SIGPIPE, SIGPROF, SIGQUIT, SIGSEGV,   SIGSYS,
                            SIGTERM, SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU};

/* A stack of its own, for when the other one has overflowed. */
static uint8_t signal_stack[65536];

static uint64_t program_counter(const void *context)
{
#if defined(__linux__) && defined(__x86_64__)
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__linux__) && defined(__aarch64__)
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

static void send_backtrace(void)
{
#ifdef HAVE_BACKTRACE
    void *frames[MAX_FRAMES];
    uint64_t addresses[MAX_FRAMES];
    int count = backtrace(frames, MAX_FRAMES);

    for (int i = 0; i < count; i++) {
        addresses[i] = (uint64_t)(uintptr_t)frames[i];
    }
    bench_send(BENCH_BACKTRACE, 0, addresses, (size_t)count * sizeof addresses[0]);
#endif
}

static void report(int number, siginfo_t *info, void *context)
{
    bench_fault_t fault = {0, 0, 0, 0, 0, 0};

    fault.last_error = errno;
    fault.program_counter = program_counter(context);
    fault.cause = info->si_code;
    if (info->si_code <= 0) {
        fault.sender_pid = (int32_t)info->si_pid;
    } else {
        fault.address = (uint64_t)(uintptr_t)info->si_addr;
    }
    bench_send_said(BENCH_SAID);
    bench_send(BENCH_FAULT, (uint64_t)number, &fault, sizeof fault);
    send_backtrace(); /* last: a ruined stack may end us here */
    raise(number);    /* SA_RESETHAND: this one is fatal */
}

void bench_report_faults(void)
{
    struct sigaction action;
    stack_t stack;

    memset(&stack, 0, sizeof stack);
    stack.ss_sp = signal_stack;
    stack.ss_size = sizeof signal_stack;
    sigaltstack(&stack, NULL);

    memset(&action, 0, sizeof action);
    action.sa_sigaction = report;
    action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof FATAL / sizeof FATAL[0]; i++) {
        sigaction(FATAL[i], &action, NULL);
    }
#ifdef HAVE_BACKTRACE
    {
        void *frame;

        backtrace(&frame, 1); /* loads what it needs now, not in the handler */
    }
#endif
}

#endif
