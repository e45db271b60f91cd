/// HeaderTests.c: statements of the public headers, each with a test. Statements that other files test are not here.

#include "Faults.h"
#include "LoopSupport.h"
#include <CoreFoundation/CFPortSupport.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

TEST(header_current_means_the_living_threads_loop,
     "_CFRunLoopIsCurrent is false for the loop of a thread that has ended, even on a new thread with the same pthread_t") {
    (void)LOOP;
    static CFRunLoopRef ended;
    static pthread_t its;
    static bool met;
    OnNewThread(^{
        its = pthread_self();
        ended = (CFRunLoopRef)CFRetain(LOOP);
        CHECK(_CFRunLoopIsCurrent(ended));
    });
    OnNewThread(^{ CHECK(!_CFRunLoopIsCurrent(NULL)); }); // this thread has no loop
    for (int i = 0; i < 100 && !met; i++) {
        OnNewThread(^{
            met = pthread_equal(its, pthread_self());
            CHECK(!_CFRunLoopIsCurrent(ended));
            CHECK(_CFRunLoopIsCurrent(LOOP));
            CHECK(!_CFRunLoopIsCurrent(ended));
        });
    }
    CHECK(!_CFRunLoopIsCurrent(ended));
    printf(met ? "the pthread_t was given again\n" : "not tried: no thread got the pthread_t again\n");
}

TEST(header_a_pass_that_does_not_wait_counts_as_waiting,
     "CFRunLoopIsWaiting is also true while a pass with a limit of 0 checks its ports") {
    ChecksLoops = false;
    CFRunLoopRef loop = LOOP;
    static _Atomic(bool) seen;
    CFRunLoopAddSource(loop, MakeSource1("", eventfd(0, EFD_CLOEXEC), NULL), A); // so that the pass makes a system call
    pthread_t thread = StartThread(^{ seen = WAIT_UNTIL(CFRunLoopIsWaiting(loop), 20); });
    double end = SecondsNow() + 20 * TimeScale();
    while (!seen && SecondsNow() < end) CFRunLoopRunInMode(A, 0, false);
    JoinThread(thread);
    CHECK(seen);
    CHECK(!CFRunLoopIsWaiting(loop));
}

TEST(header_ready_ports_take_turns,
     "A source that leaves data unread is performed again in a later pass, but another ready port comes first. The order of version 1 "
     "sources has no effect") {
    int ports[2];
    const char *names[] = {"order 9", "order 0"};
    for (int i = 0; i < 2; i++) {
        ports[i] = eventfd(2, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
        int port = ports[i];
        CFRunLoopSourceContext1 context = LoudContext1(names[i], port, ^{ eventfd_read(port, &(eventfd_t){0}); });
        CFRunLoopAddSource(LOOP, CFRunLoopSourceCreate(NULL, i ? 0 : 9, (CFRunLoopSourceContext *)&context), A);
    }
    LOG_EVENT_CLEAR();
    for (int i = 0; i < 4; i++) CFRunLoopRunInMode(A, 0, false);
    CHECK_LOG("perform order 9\nperform order 0\nperform order 9\nperform order 0");
}

// MARK: - CFPortSupport.h

TEST(header_what_a_look_tells_of_a_half_closed_socket,
     "If the other end has finished writing, that is kCFWatchHangUp where it is wanted, and readable where only that is wanted; no other "
     "event reports it") {
    int ends[2];
    CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    CHECK_EQ_INT(CFWatchGetEvents(ends[0], kCFWatchReadable | kCFWatchWritable | kCFWatchHangUp), kCFWatchWritable);
    CHECK_EQ_INT(CFWatchGetEvents(ends[0], kCFWatchReadable), 0);
    shutdown(ends[1], SHUT_WR);
    CHECK_EQ_INT(CFWatchGetEvents(ends[0], kCFWatchReadable | kCFWatchWritable | kCFWatchHangUp),
                 kCFWatchReadable | kCFWatchWritable | kCFWatchHangUp);
    CHECK_EQ_INT(CFWatchGetEvents(ends[0], kCFWatchReadable), kCFWatchReadable);
    CHECK_EQ_INT(CFWatchGetEvents(ends[0], kCFWatchWritable), kCFWatchWritable);
    CHECK_EQ_INT(CFWatchGetEvents(ends[0], kCFWatchHangUp), kCFWatchHangUp);
}

TEST(header_what_a_look_tells_of_a_hang_up,
     "If the other end is closed, kCFWatchHangUp is reported together with any wanted event; nothing is reported if nothing is wanted") {
    int ends[2];
    CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    close(ends[1]);
    CHECK_EQ_INT(CFWatchGetEvents(ends[0], kCFWatchReadable), kCFWatchReadable | kCFWatchHangUp);
    CHECK_EQ_INT(CFWatchGetEvents(ends[0], kCFWatchWritable), kCFWatchWritable | kCFWatchHangUp);
    CHECK_EQ_INT(CFWatchGetEvents(ends[0], 0), 0);
}

TEST(header_what_cannot_be_watched, "A run loop cannot wait for a closed descriptor, a regular file or a directory, and errno says why") {
    int closed = eventfd(0, EFD_CLOEXEC);
    CHECK(CFWatchIsPossible(closed));
    close(closed);
    CHECK(!CFWatchIsPossible(closed));
    CHECK_EQ_INT(errno, EBADF);
    CHECK(!CFWatchIsPossible(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)));
    CHECK_EQ_INT(errno, EPERM);
    CHECK(!CFWatchIsPossible(open("/", O_RDONLY | O_CLOEXEC)));
    CHECK_EQ_INT(errno, EPERM);
}

TEST(header_nothing_can_be_watched_without_descriptors, "If the process has no descriptor left, no answer is possible, and errno says why") {
    int event = eventfd(0, EFD_CLOEXEC);
    struct rlimit limit;
    CHECK_EQ_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit none = {0, limit.rlim_max};
    CHECK_EQ_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
    Boolean isPossible = CFWatchIsPossible(event);
    int error = errno;
    CHECK_EQ_INT(setrlimit(RLIMIT_NOFILE, &limit), 0); // a sanitizer needs descriptors at the end
    CHECK(!isPossible);
    CHECK_EQ_INT(error, EMFILE);
}

TEST(header_nothing_is_asked_of_a_version_0_source, "CFRunLoopSourceSetWatchEvents has no effect on a version 0 source") {
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSetWatchEvents(source, 0);
    SignalAndWake(source, LOOP);
    Run(A, 0, true);
    CHECK_LOG("source\nHandledSource");
}

TEST(header_an_event_descriptor_is_set_once,
     "An event descriptor is readable until it is cleared, however often it was set; clearing it twice has no effect") {
    int event = CFEventDescriptorCreate(true);
    CHECK_EQ_INT(fcntl(event, F_GETFD), FD_CLOEXEC);
    CFEventDescriptorSet(event);
    CFEventDescriptorSet(event);
    CHECK(__CFPortIsReady(event));
    CFEventDescriptorClear(event);
    CFEventDescriptorClear(event);
    CHECK(!__CFPortIsReady(event));
    close(event);
    event = CFEventDescriptorCreate(false);
    CHECK(!__CFPortIsReady(event));
    CFEventDescriptorSet(event);
    CHECK(__CFPortIsReady(event));
}

TEST(header_an_event_descriptor_is_set_in_spite_of_signals,
     "Signals interrupt the calls of an event descriptor, and the question whether a descriptor is ready, and have no effect") {
    int event = CFEventDescriptorCreate(false);
    FailNext(FAULT(write), 3, EINTR);
    CFEventDescriptorSet(event);
    CHECK_EQ_INT(Faults->calls, 4);
    FailNext(FAULT(poll), 3, EINTR);
    CHECK_EQ_INT(CFWatchGetEvents(event, kCFWatchReadable), kCFWatchReadable);
    CHECK_EQ_INT(Faults->calls, 4);
    FailNext(FAULT(read), 3, EINTR);
    CFEventDescriptorClear(event);
    CHECK_EQ_INT(Faults->calls, 4);
    FailNext(FAULT(write) | FAULT(read) | FAULT(poll), FaultMostCalls, EBADF); // each call is made once
    CFEventDescriptorSet(event);
    CFEventDescriptorClear(event);
    CHECK_EQ_INT(CFWatchGetEvents(event, kCFWatchReadable), 0);
    CHECK_EQ_INT(Faults->calls, 3);
    FaultsOff();
    CHECK_EQ_INT(CFWatchGetEvents(event, kCFWatchReadable), 0);
    close(event);
}

TEST(header_an_event_descriptor_holds_one,
     "The counter of an event descriptor that is set is 1, and that of a port of the loop is the number of its messages: a program that reads it sees that") {
    int set = CFEventDescriptorCreate(true), clear = CFEventDescriptorCreate(false), port = __CFPortAllocate();
    eventfd_t count;
    CFEventDescriptorSet(clear);
    CHECK_EQ_INT(eventfd_read(set, &count), 0);
    CHECK_EQ_INT(count, 1);
    CHECK_EQ_INT(eventfd_read(clear, &count), 0);
    CHECK_EQ_INT(count, 1);
    for (int i = 0; i < 2; i++) __CFSendTrivialMachMessage(port);
    CHECK_EQ_INT(eventfd_read(port, &count), 0);
    CHECK_EQ_INT(count, 2);
    close(set);
    close(clear);
    __CFPortFree(port);
}
