// CRunLoopSignals.c: the handler of the signals that run loops deliver.
//
// A handler of a signal may interrupt any code, so it may only do what is safe there: it writes the number to a pipe, and a loop waits for
// the other end. A signalfd would need the signals to be blocked in every thread, also in those of libdispatch and of Swift's tasks, and
// children would inherit that. The handler is in C because Swift's runtime may take locks in any statement.
//
//     signal ── handler (any thread) ── pipe ── port in the loop ── AsyncStream

#if !defined(__APPLE__) // where nothing uses this target

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 // pipe2
#endif

#include "CRunLoopSignals.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct SignalPipe {
    struct SignalPipe *next;
    int reading, writing;
    _Atomic uint64_t wanted; // a bit for each signal; 0 if nobody has opened the pipe
} SignalPipe;

/// The handler may go through the list at any time. So a pipe is never freed nor closed, but opened again.
static _Atomic(SignalPipe *) pipes;

/// Guards what follows, and all changes of the list. No handler takes it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users[65];
static struct sigaction former[65];

/// The process that waits for signals. The child of a fork has the same handler and the same pipes until it calls exec.
static _Atomic pid_t owner;

static uint64_t bit(int number) { return (uint64_t)1 << (number - 1); }

static void handle(int number) {
    int error = errno;
    unsigned char byte = (unsigned char)number;
    if (getpid() != atomic_load(&owner)) return;
    for (SignalPipe *pipe = atomic_load(&pipes); pipe; pipe = pipe->next)
        if (atomic_load(&pipe->wanted) & bit(number) && write(pipe->writing, &byte, 1) < 0) {} // full: enough of them wait
    errno = error;
}

/// Call this with the lock held.
static bool begin(int number) {
    if (users[number]++ > 0) return true;
    atomic_store(&owner, getpid());
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, &action, &former[number]) == 0) return true;
    users[number]--;
    return false;
}

/// The signal does again what it did before. Call this with the lock held.
static void end(int number) {
    if (--users[number] == 0) sigaction(number, &former[number], NULL);
}

/// Returns a pipe that nobody has opened, or NULL. Call this with the lock held.
static SignalPipe *freePipe(void) {
    for (SignalPipe *pipe = atomic_load(&pipes); pipe; pipe = pipe->next)
        if (atomic_load(&pipe->wanted) == 0) return pipe;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return NULL;
    for (int i = 0; i < 2; i++) { // no standard descriptors, which the program may redirect
        if (ends[i] > STDERR_FILENO) continue;
        int standard = ends[i];
        ends[i] = fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(standard);
    }
    if (ends[0] < 0 || ends[1] < 0) {
        for (int i = 0; i < 2; i++) if (ends[i] >= 0) close(ends[i]);
        return NULL;
    }
    SignalPipe *made = malloc(sizeof(SignalPipe));
    if (!made) abort();
    *made = (SignalPipe){.next = atomic_load(&pipes), .reading = ends[0], .writing = ends[1]};
    atomic_store(&pipes, made);
    return made;
}

static SignalPipe *pipeOf(int descriptor) {
    SignalPipe *pipe = atomic_load(&pipes);
    while (pipe && pipe->reading != descriptor) pipe = pipe->next;
    return pipe;
}

int CRunLoopSignalsOpen(uint64_t wanted) {
    pthread_mutex_lock(&lock);
    SignalPipe *pipe = freePipe();
    int descriptor = pipe ? pipe->reading : -1, number = 1;
    if (pipe) {
        atomic_store(&pipe->wanted, wanted);
        while (number <= 64 && (!(wanted & bit(number)) || begin(number))) number++;
        if (number <= 64) { // one is refused
            int error = errno;
            while (--number > 0)
                if (wanted & bit(number)) end(number);
            atomic_store(&pipe->wanted, 0);
            descriptor = -1;
            errno = error;
        }
    }
    pthread_mutex_unlock(&lock);
    return descriptor;
}

/// A handler that began before the pipe was closed may write to it until it is opened again, so the number may be one that is not wanted.
int CRunLoopSignalsTake(int descriptor) {
    SignalPipe *pipe = pipeOf(descriptor);
    unsigned char number;
    while (pipe && read(descriptor, &number, 1) == 1)
        if (atomic_load(&pipe->wanted) & bit(number)) return number;
    return 0;
}

void CRunLoopSignalsClose(int descriptor) {
    pthread_mutex_lock(&lock);
    SignalPipe *pipe = pipeOf(descriptor);
    uint64_t wanted = atomic_load(&pipe->wanted);
    for (int number = 1; number <= 64; number++)
        if (wanted & bit(number)) end(number);
    unsigned char bytes[64];
    while (read(descriptor, bytes, sizeof(bytes)) > 0) {}
    atomic_store(&pipe->wanted, 0);
    pthread_mutex_unlock(&lock);
}

#endif
