/// Ends.h: a loop that waits on its own thread until another thread reaches it, on every side.
#if !defined(__BENCH_ENDS__)
#define __BENCH_ENDS__ 1

#include "Support.h"
#include <pthread.h>
#include <semaphore.h>

typedef struct End End;

/// Called on the end's thread when a signal arrives. Returns false if the end has nothing more to wait for.
typedef bool (*EndArrived)(End *end);

struct End {
    const Bench *bench;
    EndArrived arrived;
    void *info;      // the argument of `arrived`
    void *loop;      // CFRunLoopRef, GMainContext, uv_loop_t
    void *source;    // CFRunLoopSourceRef, GSource, uv_handle_t
    int event, epoll;
    bool isOver;     // whether `arrived` has returned false
};

/// How many descriptors an end of this side has at most.
int EndDescriptorCount(const Bench *bench);
/// Creates the loop of the calling thread.
void EndOpen(End *end);
/// Signals the end's source and wakes its loop, on any thread.
void EndSend(End *to);
/// Waits on the end's thread until `arrived` has returned false.
void EndRun(End *end);
/// Frees the loop, on its thread.
void EndClose(End *end);

/// An end on its own thread, which closes the end when it is over.
typedef struct {
    End end;
    pthread_t thread;
    sem_t isOpen;
} EndThread;

/// Starts the thread; when this returns, the thread has opened the end. `end.bench` and `end.arrived` are set.
void EndThreadStart(EndThread *thread);

/// The functions of a group that is measured in the same way on every side.
#define END_ROWS(SETUP, ROUND) .loop = {SETUP, ROUND}, .floor = {SETUP, ROUND}, .glib = {SETUP, ROUND}, .libuv = {SETUP, ROUND}

#endif
