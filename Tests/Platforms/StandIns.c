// StandIns.c: what the C library and the C tests need of libdispatch, for platforms on which it cannot be installed: the tests on aarch64 in
// an emulator, and those with musl. Scripts/check-platforms links it, and Blocks.c. It has what the tests call, and no more: the main queue
// with its eventfd, global queues with a thread for each block, and repeating timers.

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (!memory) abort();
    return memory;
}

// MARK: - Queues

typedef void (^Work)(void);

struct Job {
    struct Job *next;
    Work work;
};

/// The main queue. Any other address is a global queue.
struct dispatch_queue_s {
    pthread_mutex_t lock;
    struct Job *first, **end;
} _dispatch_main_q = {PTHREAD_MUTEX_INITIALIZER, NULL, &_dispatch_main_q.first};

static struct dispatch_queue_s globalQueue;
static int mainQueuePort = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void makePort(void) {
    mainQueuePort = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (mainQueuePort < 0) abort();
}

int _dispatch_get_main_queue_port_4CF(void) {
    pthread_once(&once, makePort);
    return mainQueuePort;
}

static struct Job *takeAll(void) {
    pthread_mutex_lock(&_dispatch_main_q.lock);
    struct Job *first = _dispatch_main_q.first;
    _dispatch_main_q.first = NULL;
    _dispatch_main_q.end = &_dispatch_main_q.first;
    pthread_mutex_unlock(&_dispatch_main_q.lock);
    return first;
}

static void perform(struct Job *job) {
    job->work();
    _Block_release(job->work);
    free(job);
}

/// Performs the blocks that wait now. Those that they add make the port ready again.
__attribute__((noinline)) void _dispatch_main_queue_callback_4CF(void *message) {
    (void)message;
    eventfd_t ignored;
    eventfd_read(_dispatch_get_main_queue_port_4CF(), &ignored);
    for (struct Job *job = takeAll(), *next; job; job = next) {
        next = job->next;
        perform(job);
    }
}

static void *performOnThread(void *job) {
    perform(job);
    return NULL;
}

static void startThread(void *(*start)(void *), void *argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, start, argument)) abort();
    pthread_detach(thread);
}

struct dispatch_queue_s *dispatch_get_global_queue(long priority, unsigned long flags) {
    (void)priority, (void)flags;
    return &globalQueue;
}

void dispatch_async(struct dispatch_queue_s *queue, Work work) {
    struct Job *job = allocate(sizeof(*job));
    *job = (struct Job){NULL, (Work)_Block_copy(work)};
    if (queue != &_dispatch_main_q) return startThread(performOnThread, job);
    pthread_mutex_lock(&queue->lock);
    *queue->end = job;
    queue->end = &job->next;
    pthread_mutex_unlock(&queue->lock);
    eventfd_write(_dispatch_get_main_queue_port_4CF(), 1);
}

void dispatch_async_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *)) {
    dispatch_async(queue, ^{ work(context); });
}

void dispatch_sync_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *)) {
    sem_t semaphore, *done = &semaphore;
    sem_init(done, 0, 0);
    dispatch_async(queue, ^{
        work(context);
        sem_post(done);
    });
    while (sem_wait(done) < 0) {}
    sem_destroy(done);
}

static void *serveMainQueue(void *unused) {
    while (true) {
        _dispatch_main_queue_callback_4CF(unused);
        usleep(1000);
    }
}

/// Ends the main thread's own code; another thread serves the main queue.
__attribute__((noreturn)) void dispatch_main(void) {
    startThread(serveMainQueue, NULL);
    pthread_exit(NULL);
}

// MARK: - Timers

const char _dispatch_source_type_timer;

struct dispatch_source_s {
    struct dispatch_queue_s *queue;
    Work handler;
    uint64_t start, interval; // nanoseconds of the monotonic clock
    atomic_bool isCancelled;
    atomic_int references; // the caller's and the thread's
};

uint64_t dispatch_time(uint64_t when, int64_t delta) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (when ? when : (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec) + delta;
}

struct dispatch_source_s *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, struct dispatch_queue_s *queue) {
    (void)type, (void)handle, (void)mask;
    struct dispatch_source_s *source = calloc(1, sizeof(*source));
    if (!source) abort();
    source->queue = queue;
    source->references = 1;
    return source;
}

void dispatch_source_set_timer(struct dispatch_source_s *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    (void)leeway;
    source->start = start;
    source->interval = interval;
}

void dispatch_source_set_event_handler(struct dispatch_source_s *source, Work handler) { source->handler = (Work)_Block_copy(handler); }

void dispatch_release(void *object) {
    struct dispatch_source_s *source = object;
    if (atomic_fetch_sub(&source->references, 1) > 1) return;
    _Block_release(source->handler);
    free(source);
}

static void *fireTimer(void *timer) {
    struct dispatch_source_s *source = timer;
    for (uint64_t next = source->start; !source->isCancelled; next += source->interval) {
        struct timespec time = {next / 1000000000, next % 1000000000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
        if (!source->isCancelled) dispatch_async(source->queue, source->handler);
    }
    dispatch_release(source);
    return NULL;
}

void dispatch_resume(void *object) {
    struct dispatch_source_s *source = object;
    atomic_fetch_add(&source->references, 1);
    startThread(fireTimer, source);
}

void dispatch_source_cancel(struct dispatch_source_s *source) { source->isCancelled = true; }
