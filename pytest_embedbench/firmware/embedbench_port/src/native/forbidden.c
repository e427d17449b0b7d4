/* Refuse what would end or stop this process as if somebody else had done it: each is
 * SIGSYS, which faults.c reports. All else is the firmware's to try. */
#if !defined(ARDUINO) && !defined(ESP_PLATFORM) && !defined(PORT_REAL_TIME)

#include "bench_link.h"

#if defined(__x86_64__) && defined(__linux__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__linux__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define ANY 255U
#define ONLY 1U
#define X32_BIT 0x40000000U
#define SET_OWNER 8U /* F_SETOWN, F_SETSIG, F_SETOWN_EX: a signal when a file is ready */
#define SET_SIGNAL 10U
#define SET_OWNER_EX 15U
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

typedef struct {
    unsigned call;
    unsigned argument; /* which of them is looked at; ANY: none is */
    unsigned value;    /* what it may not be, or if ONLY what it has to be */
    unsigned only;
} forbidden_t;

static const forbidden_t FORBIDDEN[] = {
    {SYS_kill, 1, SIGKILL, 0},
    {SYS_kill, 1, SIGSTOP, 0},
    {SYS_tkill, 1, SIGKILL, 0},
    {SYS_tkill, 1, SIGSTOP, 0},
    {SYS_tgkill, 2, SIGKILL, 0},
    {SYS_tgkill, 2, SIGSTOP, 0},
    {SYS_rt_sigqueueinfo, ANY, 0, 0},
    {SYS_rt_tgsigqueueinfo, ANY, 0, 0},
    {SYS_ptrace, ANY, 0, 0},
    {SYS_seccomp, ANY, 0, 0},
    {SYS_prctl, 0, PR_SET_SECCOMP, 0},
    {SYS_timer_create, ANY, 0, 0},
    {SYS_mq_notify, ANY, 0, 0},
    {SYS_setrlimit, ANY, 0, 0},
    {SYS_prlimit64, 2, 0, ONLY}, /* to ask is no harm */
    {SYS_fcntl, 1, SET_OWNER, 0},
    {SYS_fcntl, 1, SET_SIGNAL, 0},
    {SYS_fcntl, 1, SET_OWNER_EX, 0},
#ifdef SYS_pidfd_send_signal
    {SYS_pidfd_send_signal, ANY, 0, 0},
#endif
#ifdef SYS_io_uring_setup
    {SYS_io_uring_setup, ANY, 0, 0},
#endif
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(value, then, other) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, other)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)

static struct sock_filter steps[7 + 5 * COUNT(FORBIDDEN)];
static unsigned short step_count;

static void add(struct sock_filter step)
{
    steps[step_count++] = step;
}

static void add_forbidden(const forbidden_t *each)
{
    if (each->argument == ANY) {
        add((struct sock_filter)IF(each->call, 0, 1));
        add((struct sock_filter)REFUSE);
        return;
    }
    add((struct sock_filter)IF(each->call, 0, 4));
    add((struct sock_filter)LOAD(args[each->argument]));
    add((struct sock_filter)IF(each->value, each->only, 1 - each->only));
    add((struct sock_filter)REFUSE);
    add((struct sock_filter)LOAD(nr));
}

void bench_forbid_calls(void)
{
    struct sock_fprog program = {0, steps};

    step_count = 0;
    add((struct sock_filter)LOAD(arch));
    add((struct sock_filter)IF(ARCHITECTURE, 1, 0));
    add((struct sock_filter)REFUSE);
    add((struct sock_filter)LOAD(nr));
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1));
    add((struct sock_filter)REFUSE);
    for (size_t i = 0; i < COUNT(FORBIDDEN); i++) {
        add_forbidden(&FORBIDDEN[i]);
    }
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    program.len = step_count;
    /* Where the kernel has no such filters, a second try tells who has killed. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }
}
#else
void bench_forbid_calls(void)
{
}
#endif

#endif
