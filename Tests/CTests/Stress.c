/// Stress.c: counts events, prints the progress of a long case, and waits for events. See the header.
#include "LoopSupport.h"
#include "Stress.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
    long wanted;
    const char *what;
    double begin;
    _Atomic(long) arrived;
} stress;

// MARK: - Progress

/// Prints from another thread, so that the case is not disturbed. It allocates nothing, because some cases measure the memory. On a
/// terminal it overwrites the line.
static void *tellProgress(void *unused) {
    const char *end = isatty(STDERR_FILENO) ? "\r" : "\n";
    for (;;) {
        sleep(2);
        fprintf(stderr, "    %ld of %ld %s%s", stress.arrived, stress.wanted, stress.what, end);
    }
    return NULL;
}

long StressBegin(long few, long round, const char *what) {
    const char *text = getenv("CTESTS_EVENTS");
    long wanted = text ? atol(text) : few;
    if (wanted < 1) FAIL("CTESTS_EVENTS is \"%s\"; it must be a positive number", text);
    stress.wanted = (wanted + round - 1) / round * round;
    stress.what = what;
    stress.begin = SecondsNow();
    pthread_t teller;
    if (text) CHECK_EQ_INT(pthread_create(&teller, NULL, tellProgress, NULL), 0);
    return stress.wanted;
}

void StressCount(void) { stress.arrived++; }

void StressEnd(void) {
    CHECK_EQ_INT(stress.arrived, stress.wanted);
    if (getenv("CTESTS_EVENTS")) printf("%ld %s in %.1f s\n", stress.arrived, stress.what, SecondsNow() - stress.begin);
}

// MARK: - Waiting

void Await(sem_t *semaphore, const char *what, long round) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += (time_t)(20 * TimeScale());
    while (sem_timedwait(semaphore, &limit) != 0) {
        if (errno != EINTR) FAIL("%s of round %ld is lost", what, round);
    }
}

void AwaitOne(sem_t *semaphore, const char *what, long round) {
    Await(semaphore, what, round);
    if (sem_trywait(semaphore) == 0) FAIL("%s of round %ld has come twice", what, round);
}

void OnEightThreads(void (^body)(int number)) {
    pthread_t threads[stressThreadCount];
    for (int i = 0; i < stressThreadCount; i++) threads[i] = StartThread(^{ body(i); });
    for (int i = 0; i < stressThreadCount; i++) JoinThread(threads[i]);
}
