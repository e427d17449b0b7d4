/* What a copy may use, and what it may ask of the system; see host_limits.h. */
#define _GNU_SOURCE

#include "host_limits.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#define HOST_CPU_TICK_US 20000
#define HOST_CPU_LIMIT_TICKS 50 /* 1 s for one request */
#define HOST_MEMORY_LIMIT_KIB (256L * 1024L)
#define HOST_COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Sanitizers bring it. */
extern void __sanitizer_print_stack_trace(void) __attribute__((weak));

static volatile sig_atomic_t host_cpu_ticks; /* of this request */

/* Ends the copy by a signal that says why; see diagnosis.py. */
static void host_end_by(int number)
{
    if (__sanitizer_print_stack_trace) {
        __sanitizer_print_stack_trace();
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Comes every CPU_TICK_US of CPU time. Memory cannot be limited by the kernel, of which
 * sanitizers claim terabytes. */
static void host_look_at_use(int number)
{
    struct rusage use;

    (void)number;
    if (++host_cpu_ticks > HOST_CPU_LIMIT_TICKS) {
        host_end_by(SIGXCPU);
    }
    if (getrusage(RUSAGE_SELF, &use) == 0 && use.ru_maxrss > HOST_MEMORY_LIMIT_KIB) {
        host_end_by(SIGUSR2);
    }
}

static void host_handle(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(number, &action, NULL);
}

static bool host_is_handled_by(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action;

    sigaction(number, NULL, &action);
    return handler == NULL || action.sa_sigaction == handler;
}

static void host_tick(int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    host_look_at_use(number);
}

#if defined(HOST_UNFILTERED) /* as on other machines, for tests */
#elif defined(__x86_64__) && defined(__linux__)
#define HOST_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__linux__)
#define HOST_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef HOST_ARCHITECTURE
#define HOST_X32_BIT 0x40000000
#define HOST_FIELD(name) offsetof(struct seccomp_data, name)
#define HOST_LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define HOST_IF(value, then, other) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, other)
#define HOST_RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)

typedef struct {
    long number;
    const char *name;
} host_call_t;

#define HOST_CALL(name) {SYS_##name, #name}

/* What no controller has any use for: processes, other processes, limits, timers. */
static const host_call_t host_forbidden[] = {
    HOST_CALL(clone),
#ifdef SYS_clone3
    HOST_CALL(clone3),
#endif
#ifdef SYS_fork
    HOST_CALL(fork),
    HOST_CALL(vfork),
    HOST_CALL(alarm),
#endif
    HOST_CALL(execve),
    HOST_CALL(execveat),
    HOST_CALL(setsid),
    HOST_CALL(setpgid),
    HOST_CALL(ptrace),
    HOST_CALL(process_vm_readv),
    HOST_CALL(process_vm_writev),
#ifdef SYS_pidfd_open
    HOST_CALL(pidfd_open),
#endif
#ifdef SYS_pidfd_getfd
    HOST_CALL(pidfd_getfd),
#endif
    HOST_CALL(setrlimit),
    HOST_CALL(setitimer),
    HOST_CALL(timer_create),
    HOST_CALL(socket),
    HOST_CALL(seccomp),
    HOST_CALL(rt_sigqueueinfo),
    HOST_CALL(rt_tgsigqueueinfo),
#ifdef SYS_pidfd_send_signal
    HOST_CALL(pidfd_send_signal),
#endif
    HOST_CALL(unshare),
    HOST_CALL(setns),
    HOST_CALL(perf_event_open),
#ifdef SYS_io_uring_setup
    HOST_CALL(io_uring_setup),
#endif
};

/* What is looked at more closely. */
static const host_call_t host_narrowed[] = {
    HOST_CALL(kill),
    HOST_CALL(tkill),
    HOST_CALL(tgkill),
    HOST_CALL(prlimit64),
    HOST_CALL(fcntl),
};

/* Others have a signal sent to whoever a file belongs to. */
static const uint32_t host_own_files[] = {
    F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL,
};

/* By which a program ends itself; what others mean comes from outside. */
static const uint32_t host_own_signals[] = {
    SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, SIGUSR2, SIGXCPU,
};

static const char *host_name_of(long number)
{
    for (size_t i = 0; i < HOST_COUNT(host_forbidden); i++) {
        if (host_forbidden[i].number == number) {
            return host_forbidden[i].name;
        }
    }
    for (size_t i = 0; i < HOST_COUNT(host_narrowed); i++) {
        if (host_narrowed[i].number == number) {
            return host_narrowed[i].name;
        }
    }
    return "of another architecture";
}

static void host_handles_calls(int number, siginfo_t *info, void *context)
{
    char reason[96] = "it makes a system call that no controller has any use for: ";

    (void)number;
    (void)context;
    strncat(reason, host_name_of(info->si_syscall), 32);
    host_refuse(reason);
}

typedef struct {
    struct sock_filter steps[256];
    unsigned short count;
} host_filter_t;

static void host_add(host_filter_t *filter, struct sock_filter step)
{
    filter->steps[filter->count++] = step;
}

/* Traps the call whose number is loaded if argument is none of the allowed. */
static void host_add_allowed(host_filter_t *filter, long call, size_t argument,
                             const uint32_t *allowed, size_t count)
{
    const size_t at = HOST_FIELD(args) + argument * sizeof(uint64_t);

    host_add(filter, (struct sock_filter)HOST_IF((uint32_t)call, 0, count + 3));
    host_add(filter, (struct sock_filter)HOST_LOAD(at));
    for (size_t i = 0; i < count; i++) {
        host_add(filter, (struct sock_filter)HOST_IF(allowed[i], count - i, 0));
    }
    host_add(filter, (struct sock_filter)HOST_RETURN(SECCOMP_RET_TRAP));
    host_add(filter, (struct sock_filter)HOST_LOAD(HOST_FIELD(nr)));
}

static void host_forbid_calls(void)
{
    static host_filter_t filter;
    const uint32_t self = (uint32_t)getpid();
    const uint32_t nothing = 0;
    struct sock_fprog program;

    filter.count = 0;
    host_add(&filter, (struct sock_filter)HOST_LOAD(HOST_FIELD(arch)));
    host_add(&filter, (struct sock_filter)HOST_IF(HOST_ARCHITECTURE, 1, 0));
    host_add(&filter, (struct sock_filter)HOST_RETURN(SECCOMP_RET_TRAP));
    host_add(&filter, (struct sock_filter)HOST_LOAD(HOST_FIELD(nr)));
    host_add(&filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K,
                                                   HOST_X32_BIT, 0, 1));
    host_add(&filter, (struct sock_filter)HOST_RETURN(SECCOMP_RET_TRAP));
    for (size_t i = 0; i < HOST_COUNT(host_forbidden); i++) {
        host_add(&filter, (struct sock_filter)HOST_IF(
                              (uint32_t)host_forbidden[i].number, 0, 1));
        host_add(&filter, (struct sock_filter)HOST_RETURN(SECCOMP_RET_TRAP));
    }
    host_add_allowed(&filter, SYS_kill, 0, &self, 1);
    host_add_allowed(&filter, SYS_kill, 1, host_own_signals,
                     HOST_COUNT(host_own_signals));
    host_add_allowed(&filter, SYS_tkill, 1, host_own_signals,
                     HOST_COUNT(host_own_signals));
    host_add_allowed(&filter, SYS_tgkill, 0, &self, 1);
    host_add_allowed(&filter, SYS_tgkill, 2, host_own_signals,
                     HOST_COUNT(host_own_signals));
    host_add_allowed(&filter, SYS_prlimit64, 2, &nothing, 1);
    host_add_allowed(&filter, SYS_fcntl, 1, host_own_files, HOST_COUNT(host_own_files));
    host_add(&filter, (struct sock_filter)HOST_RETURN(SECCOMP_RET_ALLOW));
    program.len = filter.count;
    program.filter = filter.steps;
    host_handle(SIGSYS, host_handles_calls);
    /* Where the kernel has no such filters, a second try tells who has killed. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }
}
#else
#define host_handles_calls NULL

static void host_forbid_calls(void)
{
}
#endif

void host_limit_use(void)
{
    struct itimerval every = {{0, HOST_CPU_TICK_US}, {0, HOST_CPU_TICK_US}};

    host_handle(SIGPROF, host_tick);
    setitimer(ITIMER_PROF, &every, NULL);
    host_forbid_calls();
}

void host_begin_request(void)
{
    host_cpu_ticks = 0;
}

void host_check_limits(void)
{
    struct itimerval every;
    sigset_t blocked;

    getitimer(ITIMER_PROF, &every);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    if (every.it_interval.tv_usec != HOST_CPU_TICK_US || sigismember(&blocked, SIGPROF)
        || !host_is_handled_by(SIGPROF, host_tick)) {
        host_refuse("it has switched off the timer that limits it");
    }
    if (!host_is_handled_by(SIGSYS, host_handles_calls)) {
        host_refuse("it has switched off what limits its system calls");
    }
}
