/// EmbeddingTests.c: a loop that another event loop hosts (CFRunLoopEmbedding.h): descriptors, other threads, what the kernel does not allow. When
/// the descriptor is readable is in Programs/Cases/Hosts.txt, and in the random programs of Programs.c.

#include "Fakes.h"
#include "LoopSupport.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/// Whether the descriptor becomes readable within this many milliseconds.
static bool Readable(int descriptor, int milliseconds) {
    struct pollfd look = {.fd = descriptor, .events = POLLIN};
    return poll(&look, 1, milliseconds) == 1 && look.revents == POLLIN;
}

#define NOTHING_TO_DO(descriptor) CHECK(!Readable(descriptor, 5))
#define SOMETHING_TO_DO(descriptor) CHECK(Readable(descriptor, (int)(5000 * TimeScale())))

/// Does what a host does until there is nothing to do any more; logs the result of each run.
static void ServeAll(int descriptor, CFStringRef mode) {
    for (int i = 0; i < 100 && Readable(descriptor, 0); i++) LOG("serve: %s", loopResultName(CFRunLoopServe(LOOP, mode)));
    CHECK(!Readable(descriptor, 0));
}

TEST(E1_one_descriptor_a_mode, "Each mode has one descriptor, close-on-exec; the common modes and NULL have none") {
    int a = CFRunLoopGetDescriptor(LOOP, A), b = CFRunLoopGetDescriptor(LOOP, B);
    CHECK_GE(a, 0);
    CHECK_GE(b, 0);
    CHECK(a != b);
    CHECK_EQ_INT(CFRunLoopGetDescriptor(LOOP, A), a);
    CHECK_EQ_INT(CFArrayGetCount(LOOP->_hostedModes), 2);
    CHECK_EQ_INT(fcntl(a, F_GETFD), FD_CLOEXEC);
    CHECK_EQ_INT(CFRunLoopGetDescriptor(LOOP, COMMON), -1);
    CHECK_EQ_INT(CFRunLoopGetDescriptor(LOOP, NULL), -1);
    NOTHING_TO_DO(a);
    LogModes(LOOP);
    CHECK_LOG("modes: A B DefaultMode");
}

TEST(E1_descriptors_end_with_the_thread, "The descriptors are closed when the loop's thread ends, and no other descriptor stays open") {
    OnNewThread(^{ CFRunLoopGetDescriptor(LOOP, A); }); // opens the descriptors that are opened once per process
    int before = OpenDescriptorCount();
    __block int descriptor;
    OnNewThread(^{
        KeepAlive(LOOP, A);
        descriptor = CFRunLoopGetDescriptor(LOOP, A);
        CFRunLoopGetDescriptor(LOOP, B);
        AddTimer("timer", 0, 0, A, NULL);
        CHECK_GE(OpenDescriptorCount(), before + 2);
        ServeAll(descriptor, A);
    });
    CHECK_EQ_INT(OpenDescriptorCount(), before);
    CHECK_EQ_INT(fcntl(descriptor, F_GETFD), -1);
    CHECK_LOG("timer\nserve: TimedOut");
}

// MARK: - Timers

TEST(E2_a_run_nested_before_the_timers_ends,
     "A run of an embedded mode nests in an observer of AfterWaiting, before the due timer fires, and ends at its limit. The defect without "
     "the disarming in __CFPortSetReceiveTimerReport: the timer's descriptor stayed readable, so the kernel ended each wait before its limit") {
    CFRunLoopGetDescriptor(LOOP, A);
    AddTimer("timer", 0.01, 0, A, NULL);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopAfterWaiting, ^(CFRunLoopActivity activity) { Run(A, 0.02, false); }), A);
    Run(A, 5 * TimeScale(), false);
    CHECK_LOG("TimedOut\ntimer\nFinished");
}

// MARK: - Sources and blocks

TEST(E3_work_left_over_by_a_signal_of_a_shared_source,
     "A source that is in another loop, too, and that a source's callback signals without a wake-up, leaves the descriptor readable") {
    LoopThread *other = StartLoopThread(A, NULL);
    CFRunLoopSourceRef shared = MakeSource0("shared", 0, NULL);
    CFRunLoopSourceRef first = MakeSource0("first", 1, ^{ CFRunLoopSourceSignal(shared); });
    CFRunLoopAddSource(LOOP, shared, A);
    CFRunLoopAddSource(LOOP, first, A);
    CFRunLoopAddSource(other->loop, shared, B); // the other loop does not run in this mode
    int descriptor = CFRunLoopGetDescriptor(LOOP, A);
    Run(A, 0, false);
    NOTHING_TO_DO(descriptor);
    SignalAndWake(first, LOOP);
    SOMETHING_TO_DO(descriptor);
    ServeAll(descriptor, A);
    CHECK_LOG("TimedOut\nfirst\nserve: TimedOut\nshared\nserve: TimedOut");
    CFRunLoopSourceInvalidate(shared);
    EndLoopThread(other);
}

// MARK: - Wake-ups

TEST(E4_no_wake_up_is_lost, "Another thread sends thousands of signals and wake-ups: after the last one the source is performed") {
    CFRunLoopRef loop = LOOP;
    int descriptor = CFRunLoopGetDescriptor(loop, A);
    static _Atomic(int) asked;
    __block int seen = 0;
    CFRunLoopSourceRef source = MakeSource0("source", 0, ^{ seen = atomic_load(&asked); });
    CFRunLoopAddSource(loop, source, A);
    pthread_t thread = StartThread(^{
        for (int i = 1; i <= 2000; i++) {
            atomic_store(&asked, i);
            SignalAndWake(source, loop);
            if (i % 10 == 0) usleep(20);
        }
    });
    while (seen < 2000) {
        SOMETHING_TO_DO(descriptor);
        CFRunLoopServe(loop, A);
        LOG_EVENT_CLEAR();
    }
    JoinThread(thread);
    CHECK_EQ_INT(seen, 2000);
}

// MARK: - The descriptor says what is due, and nothing else

/// F198: the block of a host on another thread would end a run that returns after a source.
TEST(E5_the_descriptor_for_a_host_elsewhere_is_not_readable_during_a_run,
     "libdispatch waits for a descriptor on a thread of its own: while the loop runs, that descriptor is not readable, whatever is due; when "
     "the run is over, it says what there is to do") {
    int descriptor = _CFRunLoopGetDescriptorForMainQueue(LOOP, A);
    CHECK_EQ_INT(_CFRunLoopGetDescriptorForMainQueue(LOOP, COMMON), -1);
    CFRunLoopSourceRef source = AddSource0("source", 0, A, NULL);
    int port = eventfd(0, EFD_NONBLOCK);
    CFRunLoopAddSource(LOOP, MakeSource1("port", port, ^{
        eventfd_read(port, &(eventfd_t){0});
        AddTimer("timer", 0, 0, A, ^{ CFRunLoopStop(LOOP); });
        CFRunLoopWakeUp(LOOP);
        NOTHING_TO_DO(descriptor);
        Run(B, 0, false);
        NOTHING_TO_DO(descriptor);
    }), A);
    eventfd_write(port, 1);
    SOMETHING_TO_DO(descriptor);
    Run(A, 5 * TimeScale(), false);
    NOTHING_TO_DO(descriptor);
    SignalAndWake(source, LOOP);
    SOMETHING_TO_DO(descriptor);
    ServeAll(descriptor, A);
    CHECK_LOG("port\nFinished\ntimer\nStopped\nsource\nserve: TimedOut");
}

// MARK: - What the kernel does not allow

TEST(E6_more_modes_than_the_kernel_allows, "The 501st embedded mode gets -1 and a message with the reason; the other 500 keep working") {
    struct rlimit limit = {4096, 4096};
    if (setrlimit(RLIMIT_NOFILE, &limit)) SKIP("no more descriptors are allowed here");
    ChecksLoops = false; // thousands of checks of hundreds of modes would take long
    int descriptor = -1, last = -1, count = 0;
    StderrCapture();
    while (count < 600) {
        CFStringRef mode = CFStringCreateWithFormat(NULL, NULL, CFSTR("%d"), count);
        last = CFRunLoopGetDescriptor(LOOP, mode);
        if (last < 0) break;
        descriptor = last;
        count++;
    }
    char longName[400] = "", expected[320];
    memset(longName, 'm', sizeof longName - 1);
    CHECK_EQ_INT(CFRunLoopGetDescriptor(LOOP, CFStringCreateWithCString(NULL, longName, kCFStringEncodingUTF8)), -1);
    const char *text = StderrEndCapture();
    CHECK_EQ_INT(last, -1);
    CHECK_EQ_INT(count, 500);
    CHECK_EQ_INT(Occurrences(text, "the mode 500 of a run loop cannot be embedded: "), 1);
    snprintf(expected, sizeof expected, "the mode %.255s of a run loop cannot be embedded: ", longName);
    CHECK_EQ_INT(Occurrences(text, expected), 1);
    CHECK_EQ_INT(Occurrences(text, "\n"), 2);
    NOTHING_TO_DO(descriptor);
    CFRunLoopWakeUp(LOOP);
    SOMETHING_TO_DO(descriptor);
}

TEST(E6_an_epoll_instance_waits_for_100_modes,
     "An epoll instance can wait for the descriptors of 100 modes of one loop, as the header says") {
    ChecksLoops = false;
    int host = epoll_create1(EPOLL_CLOEXEC), count = 0;
    struct epoll_event event = {.events = EPOLLIN};
    for (; count < 200; count++) {
        CFStringRef mode = CFStringCreateWithFormat(NULL, NULL, CFSTR("%d"), count);
        if (epoll_ctl(host, EPOLL_CTL_ADD, CFRunLoopGetDescriptor(LOOP, mode), &event)) break;
    }
    CHECK_EQ_INT(errno, EINVAL);
    CHECK_EQ_INT(count, 100);
}

/// An epoll instance that contains an epoll instance, and so on.
static int NestedEpolls(int depth, int inmost) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    CHECK_EQ_INT(epoll_ctl(epoll, EPOLL_CTL_ADD, depth > 1 ? NestedEpolls(depth - 1, inmost) : inmost, &event), 0);
    return epoll;
}

/// A source on a descriptor that is closed before the source is removed, while its file stays open and ready elsewhere.
static void LeaveOldFile(CFStringRef mode) {
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef source = MakeSource1("old", port, NULL);
    CFRunLoopAddSource(LOOP, source, mode);
    fcntl(port, F_DUPFD_CLOEXEC, 100);
    close(port);
    CFRunLoopSourceInvalidate(source);
}

TEST(E6_a_port_that_is_nested_too_deep,
     "If a mode has a source on nested epoll instances, as deep as the kernel allows, ordinary runs serve it, but the mode cannot be "
     "embedded: -1, and a message with the reason. A mode that is embedded already refuses such a source") {
    ChecksLoops = false; // mode B cannot wait for its source
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef deep = MakeSource1("deep", NestedEpolls(4, event), ^{ eventfd_read(event, &(eventfd_t){0}); });
    CFRunLoopAddSource(LOOP, deep, A);
    Run(A, 0, false);
    StderrCapture();
    int open = OpenDescriptorCount();
    CHECK_EQ_INT(CFRunLoopGetDescriptor(LOOP, A), -1);
    CHECK_EQ_INT(OpenDescriptorCount(), open);
    int descriptor = CFRunLoopGetDescriptor(LOOP, B);
    CFRunLoopAddSource(LOOP, deep, B);
    LeaveOldFile(B); // makes the loop create its set again
    ServeAll(descriptor, B);
    const char *text = StderrEndCapture();
    CHECK_EQ_INT(Occurrences(text, "the mode A of a run loop cannot be embedded: "), 1);
    CHECK_EQ_INT(Occurrences(text, "an epoll instance that holds others"), 3);
    LOG_EVENT_CLEAR();
    eventfd_write(event, 1);
    Run(A, 5 * TimeScale(), true);
    CHECK_LOG("deep\nHandledSource");
}

TEST(E5_an_old_file_does_not_keep_a_host_awake,
     "A descriptor was closed before its source was removed, and its file stays open and ready elsewhere: the host serves the mode once or twice, and "
     "then its descriptor is silent. Where the mode is empty, no wait would find the file") {
    ChecksLoops = false; // the set contains the old file
    CFStringRef modes[] = {A, B};
    KeepAlive(LOOP, B);
    for (int i = 0; i < 2; i++) {
        int descriptor = CFRunLoopGetDescriptor(LOOP, modes[i]);
        LeaveOldFile(modes[i]);
        SOMETHING_TO_DO(descriptor);
        ServeAll(descriptor, modes[i]);
    }
}

// MARK: - Hosts

TEST(E7_a_held_loop_keeps_its_descriptors,
     "The descriptors of a retained loop stay open until the loop is released, even after its thread has ended") {
    (void)LOOP;
    static CFRunLoopRef loop;
    static int descriptor;
    OnNewThread(^{
        loop = (CFRunLoopRef)CFRetain(LOOP);
        descriptor = CFRunLoopGetDescriptor(loop, A);
    });
    CHECK_EQ_INT(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
    CFRelease(loop);
    CHECK_EQ_INT(fcntl(descriptor, F_GETFD), -1);
}

TEST(E7_an_edge_triggered_host, "An edge-triggered host serves until poll says that nothing is left: one event, three ports served") {
    int descriptor = CFRunLoopGetDescriptor(LOOP, A), host = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    CHECK_EQ_INT(epoll_ctl(host, EPOLL_CTL_ADD, descriptor, &event), 0);
    for (int i = 0; i < 3; i++) {
        int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        CFRunLoopAddSource(LOOP, MakeEventSource("port", port), A);
    }
    CHECK_EQ_INT(epoll_wait(host, &event, 1, (int)(5000 * TimeScale())), 1);
    ServeAll(descriptor, A);
    CHECK_EQ_INT(epoll_wait(host, &event, 1, 5), 0);
    CHECK_LOG("port\nserve: TimedOut\nport\nserve: TimedOut\nport\nserve: TimedOut");
}

// MARK: - Callbacks that do not return

static jmp_buf outside;

TEST(embedding_a_callback_left_by_longjmp_leaves_the_loop_awake,
     "A callback of a served loop is left by longjmp: the next wake-up makes the descriptor readable, and the next serve does its work. "
     "The defect: the loop kept ignoring wake-ups") {
    CFRunLoopSourceRef jumps = MakeSource0("jumps", 0, ^{ longjmp(outside, 1); });
    int port = eventfd(0, EFD_NONBLOCK);
    CFRunLoopSourceRef jumpsToo = MakeSource1("jumps, too", port, ^{ // step 9
        eventfd_read(port, &(eventfd_t){0});
        longjmp(outside, 1);
    });
    CFRunLoopAddSource(LOOP, jumpsToo, A);
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    int descriptor = CFRunLoopGetDescriptor(LOOP, A);
    CFRunLoopAddSource(LOOP, jumps, A);
    CFRunLoopAddSource(LOOP, source, A);
    for (volatile int i = 0; i < 2; i++) {
        if (i == 0) SignalAndWake(jumps, LOOP);
        else eventfd_write(port, 1);
        IgnoreLeaksBegin(); // the list of the sources of that pass
        if (!setjmp(outside)) ServeAll(descriptor, A);
        IgnoreLeaksEnd();
        CFRunLoopRef loop = LOOP;
        OnNewThread(^{ SignalAndWake(source, loop); });
        SOMETHING_TO_DO(descriptor);
        ServeAll(descriptor, A);
    }
    CHECK_LOG("jumps\nperformed\nserve: TimedOut\njumps, too\nperformed\nserve: TimedOut");
}

TEST(embedding_a_callback_that_leaves_by_longjmp_leaves_its_work_to_the_next_serve,
     "A callback signals a source without a wake-up and leaves by longjmp, once with a nested run before: the descriptor stays readable, and "
     "the next serve performs that source. The defects: only a run that ended told the host, and the end of a nested run told it that there "
     "was nothing to do") {
    KeepAlive(LOOP, B);
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    static int port, nests;
    port = eventfd(0, EFD_NONBLOCK);
    CFRunLoopAddSource(LOOP, MakeSource1("jumps", port, ^{ // step 9
        eventfd_read(port, &(eventfd_t){0});
        if (nests) Run(B, 0, false);
        CFRunLoopSourceSignal(source);
        longjmp(outside, 1);
    }), A);
    int descriptor = CFRunLoopGetDescriptor(LOOP, A);
    for (nests = 0; nests < 2; nests++) {
        eventfd_write(port, 1);
        if (!setjmp(outside)) ServeAll(descriptor, A);
        SOMETHING_TO_DO(descriptor);
        ServeAll(descriptor, A);
    }
    CHECK_LOG("jumps\nperformed\nserve: TimedOut\njumps\nTimedOut\nperformed\nserve: TimedOut");
}

// MARK: - On the main queue

TEST(embedding_a_mode_served_from_the_main_queue_leaves_the_queue_alone,
     "While code on the main queue serves the main loop, the loop takes no message from the queue; its thread has the original's mark then, and afterwards the mark that it "
     "had before") {
    CHECK_GE(_CFRunLoopGetDescriptorForMainQueue(LOOP, DEFAULT), 0);
    for (intptr_t before = 0; before < 2; before++) {
        _CFSetTSD(__CFTSDKeyIsInGCDMainQ, (void *)before, NULL);
        dispatch_async(&_dispatch_main_q, ^{ LOG("queue %ld", (long)_CFGetTSD(__CFTSDKeyIsInGCDMainQ)); });
        CFRunLoopPerformBlock(LOOP, DEFAULT, ^{ LOG("block %ld", (long)_CFGetTSD(__CFTSDKeyIsInGCDMainQ)); });
        LOG("%s", loopResultName(_CFRunLoopServeFromMainQueue(LOOP, DEFAULT)));
        CHECK_EQ_INT((intptr_t)_CFGetTSD(__CFTSDKeyIsInGCDMainQ), before);
        _CFSetTSD(__CFTSDKeyIsInGCDMainQ, NULL, NULL);
        Run(DEFAULT, 0, false);
    }
    CHECK_LOG("block 6\nTimedOut\nqueue 6\nTimedOut\nblock 6\nTimedOut\nqueue 6\nTimedOut");
}
