/// PortDefectTests.c: defects of other run loops for Linux with descriptors: descriptors that loops or sources share, that are reused, or
/// that cannot be waited for; and the bytes that arrive at them.
///
/// A case's name begins with the number of the defect. A number in brackets in the sources, such as [D4], refers to the case that fails
/// without that line.
#include "Checker.h"
#include "Fakes.h"
#include "Faults.h"
#include "LoopSupport.h"
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

// MARK: - D9: a blocking descriptor in two loops

static int blockingEvents;

TEST(D9_a_blocking_descriptor_may_be_in_two_loops,
     "Two loops wait for a blocking eventfd, and their sources take all of 2,000 events. The defect: the loops read the eventfd "
     "themselves, and the slower one never returned from read") {
    static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
    static _Atomic(int) taken;
    blockingEvents = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    Body takeOne = ^{ // both loops may report the event; the source takes it once, and the loop must not read it
        pthread_mutex_lock(&taking);
        struct pollfd look = {.fd = blockingEvents, .events = POLLIN};
        if (poll(&look, 1, 0) == 1 && eventfd_read(blockingEvents, &(eventfd_t){0}) == 0) taken++;
        pthread_mutex_unlock(&taking);
    };
    Body addSource = ^{ CFRunLoopAddSource(LOOP, MakeSource1("port", blockingEvents, takeOne), A); };
    LoopThread *threads[2] = {StartLoopThread(A, addSource), StartLoopThread(A, addSource)};
    for (int i = 0; i < 2000; i++) {
        eventfd_write(blockingEvents, 1);
        if (i % 100 == 0) usleep(1000);
    }
    CHECK(WAIT_UNTIL(taken == 2000, 20));
    for (int i = 0; i < 2; i++) OnLoop(threads[i]->loop, A, ^{ LOG_EVENT_CLEAR(); }); // both loops still run
    for (int i = 0; i < 2; i++) EndLoopThread(threads[i]);
}

// MARK: - D17, D18: the source reads what arrives at a port

/// Reads at most `size` bytes and logs them.
static ssize_t receiveAndLog(int descriptor, size_t size) {
    char bytes[100];
    ssize_t count = read(descriptor, bytes, size);
    LOG("%.*s", (int)count, bytes);
    return count;
}

TEST(D17_a_pipes_bytes_are_all_the_sources,
     "A source reads all of the twenty bytes that are sent through its pipe. The defect: at each wake-up the loop read eight of them, as "
     "from an eventfd") {
    static int ends[2];
    CHECK_EQ_INT(pipe(ends), 0);
    __block ssize_t got = 0;
    CFRunLoopSourceRef source = MakeSource1("ready", ends[0], ^{ if ((got += receiveAndLog(ends[0], 20)) == 20) CFRunLoopStop(LOOP); });
    CFRunLoopAddSource(LOOP, source, A);
    CHECK_EQ_INT(write(ends[1], "abcdefghijklmnopqrst", 20), 20);
    Run(A, 5, false);
    CHECK_LOG("ready\nabcdefghijklmnopqrst\nStopped");
}

TEST(D17_no_datagram_is_lost, "Three datagrams all arrive whole. The defect: the one that woke the loop was lost") {
    static int ends[2];
    CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
    __block int left = 3;
    CFRunLoopAddSource(LOOP, MakeSource1("ready", ends[0], ^{
        receiveAndLog(ends[0], 100);
        if (--left == 0) CFRunLoopStop(LOOP);
    }), A);
    const char *messages[] = {"one", "two hundred", "three"};
    for (int i = 0; i < 3; i++) CHECK_GE(send(ends[1], messages[i], strlen(messages[i]), 0), 1);
    Run(A, 5, false);
    CHECK_LOG("ready\none\nready\ntwo hundred\nready\nthree\nStopped");
}

TEST(D18_what_a_source_leaves_unread_wakes_again,
     "A source that reads one byte at a time is called forty times for forty bytes. The defect: the bytes left after a wake-up were "
     "never reported again") {
    static int ends[2];
    CHECK_EQ_INT(pipe(ends), 0);
    __block int got = 0;
    CFRunLoopAddSource(LOOP, MakeSource1("", ends[0], ^{
        char byte;
        if (read(ends[0], &byte, 1) == 1 && ++got == 40) CFRunLoopStop(LOOP);
    }), A);
    char bytes[40] = "";
    CHECK_EQ_INT(write(ends[1], bytes, 40), 40);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 5, false), kCFRunLoopRunStopped);
    CHECK_EQ_INT(got, 40);
}

TEST(D18_every_waiting_connection_is_accepted,
     "A source that accepts one connection a call accepts all three. The defect: two of them were left waiting") {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQ_INT(bind(listening, (struct sockaddr *)&address, size), 0);
    CHECK_EQ_INT(listen(listening, 8), 0);
    CHECK_EQ_INT(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    for (int i = 0; i < 3; i++) {
        int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        CHECK_EQ_INT(connect(connection, (struct sockaddr *)&address, size), 0);
    }
    __block int accepted = 0;
    CFRunLoopAddSource(LOOP, MakeSource1("connection", listening, ^{
        if (accept(listening, NULL, NULL) >= 0 && ++accepted == 3) CFRunLoopStop(LOOP);
    }), A);
    Run(A, 5, false);
    CHECK_LOG("connection\nconnection\nconnection\nStopped");
}

// MARK: - D19: descriptors that two sources have, one after the other or both at once

TEST(D19_two_sources_on_one_descriptor_do_not_deafen_each_other,
     "Of two sources with one port, one is performed; when that one is removed, the other is. The defect: removing either removed the "
     "port for both") {
    for (int removed = 0; removed < 2; removed++) {
        int port = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
        CFRunLoopSourceRef sources[] = {MakeSource1("one of them", port, NULL), MakeSource1("one of them", port, NULL)};
        for (int i = 0; i < 2; i++) CFRunLoopAddSource(LOOP, sources[i], A);
        Run(A, 0, false);
        CFRunLoopRemoveSource(LOOP, sources[removed], A);
        Run(A, 0, false);
        CFRunLoopSourceInvalidate(sources[!removed]);
        Run(A, 0, false);
        CHECK_LOG("one of them\nTimedOut\none of them\nTimedOut\nFinished");
        LOG_EVENT_CLEAR();
        close(port);
    }
}

/// A source on a descriptor that is closed while the source is in the mode. The next file gets the same number, and its own source. Which
/// of the two sources is removed first?
static void reuseDescriptor(bool oldGoesFirst) {
    int port = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    CFRunLoopSourceRef old = MakeSource1("old", port, NULL);
    CFRunLoopAddSource(LOOP, old, A);
    Run(A, 0, false);
    close(port);
    int reused = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    CHECK_EQ_INT(reused, port);
    CFRunLoopSourceRef new = MakeSource1("new", port, NULL);
    if (oldGoesFirst) CFRunLoopSourceInvalidate(old);
    CFRunLoopAddSource(LOOP, new, A);
    if (!oldGoesFirst) CFRunLoopSourceInvalidate(old);
    Run(A, 0, false);
    CFRunLoopSourceInvalidate(new);
    CHECK_LOG("TimedOut\nnew\nTimedOut");
    LOG_EVENT_CLEAR();
    close(port);
}

/// A set of its own, with a wake-up port.
static __CFPortSet newSet(void) {
    static _Atomic(Boolean) sent;
    return __CFPortSetAllocate(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), &sent);
}

TEST(D19_a_descriptor_reused_before_the_locks_are_taken_again_is_not_mistaken,
     "Between the end of a wait and the locking of the mode, another thread removes a ready port and adds another file with the same "
     "number. That file is not reported, because it is not ready; when it is ready, it is reported") {
    __CFPortSet set = newSet();
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
    AfterEpollWait = ^{
        __CFPortSetRemove(port, set);
        CHECK_EQ_INT(dup2(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), port), port);
        CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
    };
    CHECK_EQ_INT(__CFPortSetWait(set, 0), CFPORT_NULL);
    CHECK(!AfterEpollWait);
    eventfd_write(port, 1);
    CHECK_EQ_INT(__CFPortSetWait(set, UINT64_MAX), port);
    __CFPortSetFree(set);
}

static void allowDescriptors(rlim_t count) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= count) return;
    limit.rlim_cur = count;
    if (setrlimit(RLIMIT_NOFILE, &limit)) SKIP("no more descriptors are allowed here");
}

static int compareInts(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

TEST(ports_of_a_large_set_are_all_found,
     "Of 1,000 ports of a set, every third is removed, and the set is renewed once; the waits report each of the other ports exactly "
     "once") {
    enum { count = 1000 };
    __CFPortSet set = newSet();
    static int ports[count], expected[count], found[count];
    allowDescriptors(count + 100);
    for (int i = 0; i < count; i++) {
        ports[i] = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        CHECK_EQ_INT(__CFPortSetInsert(ports[i], kCFWatchReadable, set), 0);
    }
    for (int round = 0; round < 2; round++) {
        int left = 0, reported = 0;
        for (int i = 0; i < count; i++) {
            if (i % 3 == 0) __CFPortSetRemove(ports[i], set);
            else expected[left++] = ports[i];
        }
        for (int port; reported < left; found[reported++] = port) {
            CHECK((port = __CFPortSetWait(set, 0)) >= 0);
            CHECK(__CFPortReceive(port));
        }
        CHECK_EQ_INT(__CFPortSetWait(set, 0), CFPORT_NULL);
        qsort(found, (size_t)left, sizeof(int), compareInts);
        qsort(expected, (size_t)left, sizeof(int), compareInts);
        for (int i = 0; i < left; i++) CHECK_EQ_INT(found[i], expected[i]);
        __CFPortSetRenew(set);
        CHECK_EQ_INT(__CFPortSetWait(set, 0), CFPORT_NULL);
        for (int i = 0; i < count; i++) {
            eventfd_write(ports[i], 1);
            CHECK_EQ_INT(__CFPortSetInsert(ports[i], kCFWatchReadable, set), 0);
        }
    }
    __CFPortSetFree(set);
}

// The defect: the set had a table indexed by number, and each of 10,000 loops in a process took up to 80 KB.
TEST(ports_numbers_do_not_decide_how_much_memory_a_set_takes,
     "A set with one port takes no more memory for a descriptor with a large number than for one with a small number") {
    allowDescriptors(4000);
    size_t taken[2];
    for (int i = 0; i < 2; i++) {
        int port = fcntl(eventfd(1, EFD_CLOEXEC), F_DUPFD_CLOEXEC, i ? 3900 : 20);
        CHECK_GE(port, 0);
        size_t before = mallinfo2().uordblks;
        __CFPortSet set = newSet();
        CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
        taken[i] = mallinfo2().uordblks - before;
        __CFPortSetFree(set);
    }
    CHECK_LE(taken[1], 2 * taken[0]); // the allocator may round differently
}

/// Runs in a mode with the name "mode " and the number, and waits there once.
static void waitInNewMode(int number) {
    char name[] = "mode 00";
    name[5] += (char)(number / 10);
    name[6] += (char)(number % 10);
    CFStringRef mode = CFStringCreateWithCString(NULL, name, kCFStringEncodingASCII);
    CFRunLoopPerformBlock(LOOP, mode, ^{ CFRunLoopStop(LOOP); });
    CHECK_EQ_INT(CFRunLoopRunInMode(mode, 10, false), kCFRunLoopRunStopped);
    CFRelease(mode);
}

TEST(S4_a_mode_that_has_waited_takes_less_than_half_a_kilobyte,
     "A mode in which the loop has waited, and that has no port of a client, takes the memory of three objects: itself, its name, "
     "its port set. A table of ports, and room for their reports, come with the second port") {
    mallopt(M_ARENA_MAX, 1); // mallinfo2 counts only the main arena
    enum { modes = 97, waitedBefore = 3 };
    for (int i = 0; i < waitedBefore; i++) waitInNewMode(i);
    size_t before = mallinfo2().uordblks;
    for (int i = waitedBefore; i < modes; i++) waitInNewMode(i);
    // On x86-64 the objects take 368 bytes, and the set of modes grows by 65 a mode. Elsewhere a struct epoll_event is four bytes
    // larger. With a table of ports and its room for reports, a mode would take more than 600.
    CHECK_LE(mallinfo2().uordblks, before + (modes - waitedBefore) * 512);
    CheckLoop(LOOP);
}

TEST(D19_a_closed_and_reused_descriptor_is_heard,
     "A descriptor that is closed while its source is in the mode, and given to another file, is waited for again when a source is added "
     "on it. The defect: the loop still considered it to be in its port set") {
    reuseDescriptor(true);
    reuseDescriptor(false);
}

// MARK: - D20: descriptors that cannot be waited for

TEST(D20_a_port_that_cannot_be_waited_for_is_told_once,
     "If a regular file is a source's port, a line on stderr says so, the source is never performed, and the loop sleeps until its "
     "limit. The defect: there was no message") {
    char path[] = "/tmp/CTests-D20-XXXXXX";
    int file = mkstemp(path);
    unlink(path);
    LogWakeUps(A);
    StderrCapture();
    CFRunLoopAddSource(LOOP, MakeSource1("performed", file, NULL), A);
    Run(A, 0.02, false);
    Run(A, 0.02, false);
    char *text = StderrEndCapture();
    CHECK_EQ_INT(Occurrences(text, "cannot be waited for"), 1);
    CHECK_EQ_INT(Occurrences(text, "\n"), 1);
    CHECK_LOG("woken\nTimedOut\nwoken\nTimedOut");
    free(text);
}
