// StandIns.c: what the C library and the C tests need of the Blocks runtime and of libdispatch, for platforms on which neither can be
// installed: the tests on aarch64 in an emulator, and those with musl. Scripts/check-platforms links it. It has what the tests call, and no
// more: the main queue with its eventfd, global queues with a thread for each block, and repeating timers.

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// MARK: - Blocks, by the Block ABI of clang (https://clang.llvm.org/docs/Block-ABI-Apple.html)

enum {
    REFERENCES = 0xFFFE,       // counted in steps of 2
    IS_ON_HEAP = 1 << 24,
    HAS_COPY_AND_DISPOSE = 1 << 25,
    IS_GLOBAL = 1 << 28,
    FIELD_IS_BLOCK = 7,
    FIELD_IS_VARIABLE = 8,     // a __block variable
    FIELD_KIND = 15,
};

struct Descriptor {
    uintptr_t reserved, size;
    void (*copy)(void *to, const void *from);
    void (*dispose)(const void *block);
};

struct Block {
    void *isa;
    _Atomic int flags;
    int reserved;
    void (*invoke)(void *block);
    struct Descriptor *descriptor;
};

struct Variable {
    void *isa;
    struct Variable *forwarding;
    _Atomic int flags;
    uint32_t size;
    void (*keep)(struct Variable *to, struct Variable *from);
    void (*destroy)(struct Variable *);
};

void *_NSConcreteGlobalBlock[32], *_NSConcreteStackBlock[32];

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (!memory) abort();
    return memory;
}

void *_Block_copy(const void *original) {
    struct Block *block = (struct Block *)original;
    if (!block || block->flags & IS_GLOBAL) return block;
    if (block->flags & IS_ON_HEAP) {
        atomic_fetch_add(&block->flags, 2);
        return block;
    }
    struct Block *copy = allocate(block->descriptor->size);
    memcpy(copy, block, block->descriptor->size);
    copy->flags = (block->flags & ~REFERENCES) | IS_ON_HEAP | 2;
    if (copy->flags & HAS_COPY_AND_DISPOSE) copy->descriptor->copy(copy, block);
    return copy;
}

/// Whether this was the last reference.
static bool dropReference(_Atomic int *flags) { return (atomic_fetch_sub(flags, 2) & REFERENCES) == 2; }

void _Block_release(const void *original) {
    struct Block *block = (struct Block *)original;
    if (!block || block->flags & IS_GLOBAL || !(block->flags & IS_ON_HEAP) || !dropReference(&block->flags)) return;
    if (block->flags & HAS_COPY_AND_DISPOSE) block->descriptor->dispose(block);
    free(block);
}

/// The first copy moves the variable to the heap. The one on the stack forwards to it and counts as a second reference.
static struct Variable *copyVariable(struct Variable *variable) {
    struct Variable *from = variable->forwarding;
    if (from->flags & IS_ON_HEAP) {
        atomic_fetch_add(&from->flags, 2);
        return from;
    }
    struct Variable *copy = allocate(from->size);
    memcpy(copy, from, from->size);
    copy->flags = from->flags | IS_ON_HEAP | 4;
    copy->forwarding = from->forwarding = copy;
    if (from->flags & HAS_COPY_AND_DISPOSE) copy->keep(copy, from);
    return copy;
}

static void releaseVariable(struct Variable *variable) {
    variable = variable->forwarding;
    if (!(variable->flags & IS_ON_HEAP) || !dropReference(&variable->flags)) return;
    if (variable->flags & HAS_COPY_AND_DISPOSE) variable->destroy(variable);
    free(variable);
}

void _Block_object_assign(void *field, const void *object, int flags) {
    int kind = flags & FIELD_KIND;
    *(const void **)field = kind == FIELD_IS_BLOCK ? _Block_copy(object)
                          : kind == FIELD_IS_VARIABLE ? copyVariable((struct Variable *)object) : object;
}

void _Block_object_dispose(const void *object, int flags) {
    if ((flags & FIELD_KIND) == FIELD_IS_BLOCK) _Block_release(object);
    if ((flags & FIELD_KIND) == FIELD_IS_VARIABLE) releaseVariable((struct Variable *)object);
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
