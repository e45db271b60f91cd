/// CancelTests.c: threads that are cancelled (pthread_cancel) in a callback or while their loop sleeps.
///
/// A cancelled thread ends at its next cancellation point; most system calls that may wait are cancellation points. If the loop made such a
/// call with a lock held, the thread would end with the lock held. Then the loop's finalizer on that thread would wait for the lock
/// forever, and so would every other thread that uses the loop.

#define _GNU_SOURCE // pthread_getattr_np
#include "Fakes.h"
#include "LoopSupport.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/// Waits for the thread to end, and checks that it was cancelled.
static void JoinCancelled(pthread_t thread) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += (time_t)(5 * TimeScale());
    void *result = NULL;
    int error = pthread_timedjoin_np(thread, &result, &limit);
    if (error) FAIL("the cancelled thread does not end: %s", strerror(error));
    CHECK_EQ_PTR(result, PTHREAD_CANCELED);
}

#if UNDER_ADDRESS_SANITIZER
void __asan_unpoison_memory_region(const volatile void *address, size_t size);
#endif

/// AddressSanitizer marks the memory around the variables of a frame, and the frame's return removes the marks. A cancelled thread does not
/// return through its frames. So the destructors of its thread-specific data, whose frames reuse the memory, would seem to touch forbidden
/// bytes.
static void ForgetMarksOnStack(void *unused) {
    (void)unused;
#if UNDER_ADDRESS_SANITIZER
    pthread_attr_t attributes;
    void *start;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    __asan_unpoison_memory_region(start, size);
#endif
}

static void *CallBlock(void *block) {
    pthread_cleanup_push(ForgetMarksOnStack, NULL);
    ((Body)block)();
    pthread_cleanup_pop(true);
    return NULL;
}

/// Runs `body` on a new thread, which is cancelled meanwhile. Afterwards another thread can still use that thread's loop.
static void CancelsItself(const char *what, Body body) {
    LOG("%s", what);
    __block CFRunLoopRef loop;
    Body all = ^{
        loop = (CFRunLoopRef)CFRetain(LOOP);
        body();
        pthread_testcancel();
    };
    pthread_t thread;
    CHECK_EQ_INT(pthread_create(&thread, NULL, CallBlock, all), 0);
    JoinCancelled(thread);
    CFRelease(CFRunLoopCopyAllModes(loop));
    CFRunLoopWakeUp(loop);
    CFRelease(loop);
}

static void CancelMe(void) { pthread_cancel(pthread_self()); }

TEST(cancel_in_a_callback_leaves_no_lock_behind,
     "A thread that is cancelled in a callback ends with no lock held, whatever the loop does next: receive a wake-up, poll a port, "
     "notify a host, renew its port set, write a line to stderr") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer does not allow a thread to be cancelled inside a call that it intercepts");
    ChecksLoops = false; // the checker reads files, and read is a cancellation point
    (void)LOOP;
    CancelsItself("a wake-up waits", ^{
        CFRunLoopSourceRef source = MakeSource0("", 0, ^{
            CFRunLoopWakeUp(LOOP);
            CancelMe();
        });
        CFRunLoopAddSource(LOOP, source, A);
        CFRunLoopSourceSignal(source);
        CFRunLoopRunInMode(A, 1e10, false);
    });
    CancelsItself("another port is ready", ^{
        for (int i = 0; i < 2; i++) {
            int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
            CFRunLoopAddSource(LOOP, MakeSource1("", port, ^{ CancelMe(); }), A);
        }
        CFRunLoopRunInMode(A, 1e10, false);
    });
    CancelsItself("a host is notified", ^{
        CFRunLoopGetDescriptor(LOOP, A);
        CFRunLoopAddTimer(LOOP, MakeTimer("", 0, 0, ^{
            CFRunLoopPerformBlock(LOOP, A, ^{
                CFRunLoopPerformBlock(LOOP, A, ^{});
                CancelMe();
            });
        }), A);
        CFRunLoopServe(LOOP, A);
    });
    CancelsItself("the port set is renewed", ^{
        int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        fcntl(port, F_DUPFD_CLOEXEC, 100); // keeps the file open
        __block CFRunLoopSourceRef source = MakeSource1("", port, ^{
            close(port);
            CFRunLoopSourceInvalidate(source);
        });
        CFRunLoopAddSource(LOOP, source, A);
        KeepAlive(LOOP, A);
        CFRunLoopRunInMode(A, 0, false);
        CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopAfterWaiting, ^(CFRunLoopActivity activity) { CancelMe(); }), A);
        CFRunLoopRunInMode(A, 1e10, false); // the old file wakes it, and step 9 renews the set
    });
    StderrCapture();
    CancelsItself("a line is written", ^{
        char path[] = "/tmp/CTests-cancel-XXXXXX";
        int file = mkstemp(path);
        unlink(path);
        CFRunLoopGetDescriptor(LOOP, A);
        CancelMe();
        CFRunLoopAddSource(LOOP, MakeSource1("", file, NULL), A);
    });
    CHECK_EQ_INT(Occurrences(StderrEndCapture(), "cannot be waited for"), 1);
}

static void SleepAndBeCancelled(CFTimeInterval limit, bool hasTimer) {
    __block CFRunLoopRef loop = NULL;
    __block _Atomic(bool) isReady = false;
    Body all = ^{
        loop = (CFRunLoopRef)CFRetain(LOOP);
        KeepAlive(LOOP, A);
        if (hasTimer) CFRunLoopAddTimer(LOOP, MakeTimer("far", 1000, 0, NULL), A);
        atomic_store(&isReady, true);
        CFRunLoopRunInMode(A, limit, false);
    };
    pthread_t thread;
    CHECK_EQ_INT(pthread_create(&thread, NULL, CallBlock, all), 0);
    CHECK(WAIT_UNTIL(atomic_load(&isReady), 5));
    WaitUntilAsleep(loop);
    usleep(1000); // it sleeps in the kernel or is about to; cancellation must end either
    CHECK_EQ_INT(pthread_cancel(thread), 0);
    if (hasTimer) CFRunLoopAddTimer(loop, MakeTimer("nearer", 500, 0, NULL), A); // while the thread ends
    JoinCancelled(thread);
    CHECK(!CFRunLoopIsWaiting(loop));
    CHECK_EQ_PTR(CFRunLoopCopyCurrentMode(loop), NULL);
    CFRelease(CFRunLoopCopyAllModes(loop));
    CFRelease(loop);
}

// The defects: with a time limit the wait was epoll_pwait2, made with syscall(), which is no cancellation point. So the thread ended only
// when its time limit had passed. And whoever still held its loop found it asleep in its mode for ever.
TEST(cancel_of_a_sleeping_run_takes_effect_at_once,
     "A thread that sleeps in a run is cancelled at once, whether the run has a time limit, a timer or neither. It leaves no lock behind, "
     "and its loop neither waits nor has a current mode") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer does not allow a thread to be cancelled inside a call that it intercepts");
    (void)LOOP;
    SleepAndBeCancelled(1e10, false);
    SleepAndBeCancelled(1000, false);
    SleepAndBeCancelled(10, false);
    SleepAndBeCancelled(1e10, true);
}
