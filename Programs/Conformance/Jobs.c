/// Jobs.c: a few threads that take one number after another.
#include "Jobs.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    atomic_long next;
    long count;
    void (^job)(long number);
} Jobs;

static void *work(void *argument) {
    Jobs *jobs = argument;
    for (long number; (number = atomic_fetch_add(&jobs->next, 1)) < jobs->count;) jobs->job(number);
    return NULL;
}

void doJobs(long count, int workers, void (^job)(long number)) {
    Jobs jobs = {0, count, job};
    pthread_t threads[workers];
    int started = 0;
    while (started < workers && started < count && pthread_create(&threads[started], NULL, work, &jobs) == 0) started++;
    if (started == 0) work(&jobs);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}
