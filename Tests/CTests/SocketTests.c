/// SocketTests.c: tests of CFSocket that Tests/Oracle/Conformance cannot have, because they are about this library's thread and descriptors, or
/// because the original differs (D69, D70).
#include "Faults.h"
#include "LoopSupport.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: - Helpers

/// Keeps what a test creates until the process ends.
#define KEPT(object) ((__typeof__(object))CFAutorelease(object))

typedef void (^SocketBody)(CFSocketRef called, CFSocketCallBackType type, CFDataRef from, const void *data);
/// The block literal of a SocketBody; its arguments are the names of the parameters.
#define SOCKET_BODY(called, type, from, data) \
    ^(CFSocketRef called, CFSocketCallBackType type, CFDataRef from, const void *data)

static void callSocketBody(CFSocketRef s, CFSocketCallBackType type, CFDataRef address, const void *data, void *info) {
    ((SocketBody)info)(s, type, address, data);
}

extern void _Block_release(const void *block);

/// The CFSocket that is created with this context owns the block.
static CFSocketContext contextOf(SocketBody body) {
    return (CFSocketContext){.info = (void *)body, .retain = __CFBlockCopy, .release = _Block_release};
}

static CFSocketRef wrap(int descriptor, CFOptionFlags types, SocketBody body) {
    CFSocketContext context = contextOf(body);
    return CFSocketCreateWithNative(NULL, descriptor, types, callSocketBody, &context);
}

static void addSocket(CFSocketRef s, CFStringRef mode) {
    CFRunLoopSourceRef source = CFSocketCreateRunLoopSource(NULL, s, 0);
    CFRunLoopAddSource(LOOP, source, mode);
    CFRelease(source);
}

static void makePair(int ends[2]) { CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0); }

/// Makes a pair of sockets of that type, and adds a CFSocket on the first to the mode A.
static CFSocketRef addEnd(int type, int ends[2], CFOptionFlags types, SocketBody body) {
    CHECK_EQ_INT(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), 0);
    CFSocketRef s = wrap(ends[0], types, body);
    addSocket(s, A);
    return s;
}

/// Adds a CFSocket that is not connected yet to the mode A.
static CFSocketRef addUnconnected(int family, CFOptionFlags types, SocketBody body) {
    CFSocketContext context = contextOf(body);
    CFSocketRef s = CFSocketCreate(NULL, family, SOCK_STREAM, 0, types, callSocketBody, &context);
    addSocket(s, A);
    return s;
}

static CFDataRef loopback(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return KEPT(CFDataCreate(NULL, (const UInt8 *)&address, sizeof address));
}

/// Returns a socket that has an address of the loopback interface, but does not listen: connections to it are refused.
static int bindToLoopback(CFDataRef *address) {
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    CFDataRef any = loopback(0);
    CHECK_EQ_INT(bind(s, (const struct sockaddr *)CFDataGetBytePtr(any), sizeof bound), 0);
    CHECK_EQ_INT(getsockname(s, (struct sockaddr *)&bound, &size), 0);
    *address = KEPT(CFDataCreate(NULL, (const UInt8 *)&bound, sizeof bound));
    return s;
}

/// Returns a socket that listens at an address of the loopback interface.
static int listenOnLoopback(CFDataRef *address) {
    int listener = bindToLoopback(address);
    CHECK_EQ_INT(listen(listener, 16), 0);
    return listener;
}

/// Returns a socket that is connected to the address.
static int connectTo(CFDataRef address) {
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQ_INT(connect(client, (const struct sockaddr *)CFDataGetBytePtr(address), (socklen_t)CFDataGetLength(address)), 0);
    return client;
}

/// The number of this process's threads with this name.
static int threadsNamed(const char *name) {
    char command[200], line[100];
    int count = 0;
    snprintf(command, sizeof command, "cat /proc/%d/task/*/comm", (int)getpid());
    FILE *names = popen(command, "r");
    while (fgets(line, sizeof line, names)) count += !strncmp(line, name, strlen(name));
    pclose(names);
    return count;
}

/// The processor time that this process has used, in seconds.
static double processorTime(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

// MARK: - The manager

TEST(I6_a_thread_waits_for_all_sockets_and_signals_their_source0s,
     "One thread, com.apple.CFSoc(ket.private), waits for all CFSockets. It signals a Source0, which the loop performs through "
     "__CFSocketPerformV0") {
    CHECK_EQ_INT(threadsNamed("com.apple.CFSoc"), 0);
    int ends[3][2];
    for (int i = 0; i < 3; i++) {
        makePair(ends[i]);
        CFSocketRef s = wrap(ends[i][0], kCFSocketReadCallBack, SOCKET_BODY(called, type, from, data) {
            char byte;
            CHECK_EQ_INT(read(CFSocketGetNative(called), &byte, 1), 1);
            CHECK_EQ_PTR(LOOP, CFRunLoopGetMain());
            LOG("socket %d", i);
        });
        addSocket(s, A);
        CFRunLoopSourceRef source = CFSocketCreateRunLoopSource(NULL, s, 0);
        CFRunLoopSourceContext context = {.version = 0};
        CFRunLoopSourceGetContext(source, &context);
        CFRelease(source);
        CHECK_EQ_STR(Text(KEPT(__CFCopyNameOfFunction((const void *)context.perform))), "__CFSocketPerformV0");
    }
    WAIT_UNTIL(threadsNamed("com.apple.CFSoc") == 1, 5);
    CHECK_EQ_INT(threadsNamed("com.apple.CFSoc"), 1);
    write(ends[1][1], "x", 1);
    Run(A, 5, true);
    write(ends[0][1], "x", 1);
    Run(A, 5, true);
    CHECK_LOG("socket 1\nHandledSource\nsocket 0\nHandledSource");
}

TEST(CFSocket_wakes_a_sleeping_loop_and_costs_nothing_while_idle,
     "A readable socket wakes the loop; while it is not read, and its callback is not enabled, it uses no processor time") {
    int ends[2];
    CFSocketRef s = addEnd(SOCK_STREAM, ends, kCFSocketReadCallBack, SOCKET_BODY(called, type, from, data) { LOG("called"); });
    CFSocketSetSocketFlags(s, kCFSocketCloseOnInvalidate);
    write(ends[1], "x", 1);
    Run(A, 5, true);
    double before = processorTime();
    Run(A, 0.5, true);
    CHECK_LOG("called\nHandledSource\nTimedOut");
    CHECK(processorTime() - before < 0.25 * TimeScale());
}

TEST(D69_a_socket_waits_in_a_loop_for_its_connection,
     "A socket that is in a loop before it connects is not called until the connection is made, and costs no processor time before. In the "
     "original (Linux build) it is called at once") {
    CFDataRef address;
    int listener = listenOnLoopback(&address);
    CFOptionFlags types = kCFSocketConnectCallBack | kCFSocketDataCallBack | kCFSocketWriteCallBack;
    CFSocketRef s = addUnconnected(PF_INET, types, SOCKET_BODY(called, type, from, data) {
        if (type == kCFSocketConnectCallBack) LOG("connected %d", data ? *(const SInt32 *)data : 0);
        else LOG("type %d", (int)type);
    });
    double before = processorTime();
    Run(A, 0.5, true);
    CHECK(processorTime() - before < 0.25 * TimeScale());
    CHECK_EQ_INT(CFSocketConnectToAddress(s, address, -1), kCFSocketSuccess);
    Run(A, 5, true);
    int accepted = accept(listener, NULL, NULL);
    write(accepted, "x", 1);
    Run(A, 5, true);
    CHECK_LOG("TimedOut\nconnected 0\ntype 8\nHandledSource\ntype 3\nHandledSource");
}

TEST(D69_a_failed_connection_is_reported_once,
     "A background connection that is refused calls connect once, with the error, and calls nothing else") {
    CFDataRef address;
    int silent = bindToLoopback(&address); // it does not listen, and keeps other programs from this port
    CFSocketRef s = addUnconnected(PF_INET, kCFSocketConnectCallBack | kCFSocketWriteCallBack, SOCKET_BODY(called, type, from, data) {
        LOG("type %d, error %s", (int)type, data ? strerrorname_np(*(const SInt32 *)data) : "none");
    });
    CHECK_EQ_INT(CFSocketConnectToAddress(s, address, -1), kCFSocketSuccess);
    Run(A, 5, true);
    Run(A, 0.05, true);
    CHECK_LOG("type 4, error ECONNREFUSED\nHandledSource\nTimedOut");
    close(silent);
}

// The defects: the manager was told of the hang-up before the connection was asked for. It looked at the socket afterwards, took the
// connection that was being made for one that had been made, and called connect without an error. And the manager took the socket's error for
// the connect callback: the thread in CFSocketConnectToAddress found none. Had the call taken it, the manager would have found none.
TEST(D69_a_connection_begun_while_its_socket_is_reported_is_waited_for,
     "A connection that begins while the manager hears that its socket is unconnected is not taken for made: each of 300 is refused, without a "
     "time limit and with one; then the call fails with ECONNREFUSED, and so does the callback") {
    CFDataRef address;
    int silent = bindToLoopback(&address);
    __block int refused = 0;
    for (int i = 0; i < 600; i++) {
        bool waits = i % 2;
        CFSocketRef s = addUnconnected(PF_INET, kCFSocketConnectCallBack | kCFSocketWriteCallBack, SOCKET_BODY(called, type, from, data) {
            if (type == kCFSocketConnectCallBack && data && *(const SInt32 *)data == ECONNREFUSED) refused++;
            else LOG("type %d, %s", (int)type, data ? "another error" : "no error");
        });
        uint64_t moment = mach_absolute_time() + (uint64_t)(i / 2 % 60) * 1000; // so that the two threads meet at some time
        while (mach_absolute_time() < moment) {}
        CFSocketError made = CFSocketConnectToAddress(s, address, waits ? 20 : -1);
        CHECK_EQ_INT(made, waits ? kCFSocketError : kCFSocketSuccess);
        if (waits) CHECK_EQ_INT(errno, ECONNREFUSED);
        CHECK_EQ_INT(CFRunLoopRunInMode(A, 20, true), kCFRunLoopRunHandledSource);
        CFSocketInvalidate(s);
        CFRelease(s);
    }
    CHECK_EQ_INT(refused, 600);
    CHECK_LOG("");
    close(silent);
}

// The defect: the manager waits for an unconnected socket to change. epoll reports no change when a connection within this system is made,
// because it is made at once.
TEST(CFSocket_hears_of_a_connection_that_is_made_at_once,
     "A socket of the Unix domain that waits in a loop for its connection calls connect and write when it is connected") {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1
                                 + (size_t)snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "CFSocket test %d", (int)getpid()));
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQ_INT(bind(listener, (const struct sockaddr *)&name, size), 0);
    CHECK_EQ_INT(listen(listener, 2), 0);
    for (int way = 0; way < 2; way++) {
        CFSocketRef s = addUnconnected(PF_UNIX, kCFSocketConnectCallBack | kCFSocketWriteCallBack, SOCKET_BODY(called, type, from, data) {
            LOG("type %d, %s", (int)type, data ? "an error" : "no error");
        });
        Run(A, 0.1, true); // the manager hears that it is unconnected
        if (way == 0) {
            CHECK_EQ_INT(CFSocketConnectToAddress(s, KEPT(CFDataCreate(NULL, (const UInt8 *)&name, size)), -1), kCFSocketSuccess);
        } else {
            CHECK_EQ_INT(connect(CFSocketGetNative(s), (const struct sockaddr *)&name, size), 0);
            CFSocketEnableCallBacks(s, kCFSocketConnectCallBack | kCFSocketWriteCallBack);
        }
        Run(A, 20, true);
        CHECK_LOG("TimedOut\ntype 4, no error\ntype 8, no error\nHandledSource");
        LOG_EVENT_CLEAR();
        CFSocketInvalidate(s);
        CFRelease(s);
    }
    close(listener);
}

TEST(CFSocket_connects_within_a_time, "A connection that is not accepted ends with kCFSocketTimeout, and the descriptor blocks as before") {
    int full = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); // unused; it keeps its number from the others
    CFDataRef address;
    int listener = listenOnLoopback(&address);
    CHECK_EQ_INT(listen(listener, 0), 0);
    for (int i = 0; i < 3; i++) { // fills the listener's queue
        int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        connect(client, (const struct sockaddr *)CFDataGetBytePtr(address), (socklen_t)CFDataGetLength(address));
    }
    CFSocketRef s = CFSocketCreate(NULL, PF_INET, SOCK_STREAM, IPPROTO_TCP, kCFSocketNoCallBack, NULL, NULL);
    double before = SecondsNow();
    CHECK_EQ_INT(CFSocketConnectToAddress(s, address, 0.2), kCFSocketTimeout);
    CHECK(SecondsNow() - before >= 0.2);
    CHECK_EQ_INT(fcntl(CFSocketGetNative(s), F_GETFL) & O_NONBLOCK, 0);
    close(full);
}

TEST(CFSocket_tells_a_writer_that_the_other_end_is_gone,
     "A socket with only a write callback is called when its peer closes; it does not count as unconnected") {
    int ends[2];
    makePair(ends);
    CFSocketRef s = wrap(ends[0], kCFSocketWriteCallBack, SOCKET_BODY(called, type, from, data) { LOG("type %d", (int)type); });
    close(ends[1]);
    addSocket(s, A);
    Run(A, 5, true);
    Run(A, 0.05, true);
    CHECK_LOG("type 8\nHandledSource\nTimedOut");
}

// MARK: - D70

TEST(D70_a_descriptor_that_is_not_open_makes_no_CFSocket,
     "CFSocketCreateWithNative returns NULL for a number that is not an open descriptor") {
    CHECK_EQ_PTR(CFSocketCreateWithNative(NULL, -1, kCFSocketReadCallBack, callSocketBody, NULL), NULL);
    CHECK_EQ_PTR(CFSocketCreateWithNative(NULL, 9999, kCFSocketReadCallBack, callSocketBody, NULL), NULL);
    CHECK_HALTS("was given NULL instead of an object", CFSocketIsValid(NULL));
}

TEST(D70_all_bytes_are_sent_and_no_signal_ends_the_program,
     "CFSocketSendData succeeds when all bytes are sent, and for a message without bytes. If the other end is closed, it fails with "
     "EPIPE, without SIGPIPE") {
    int ends[2];
    makePair(ends);
    CFSocketRef s = CFSocketCreateWithNative(NULL, ends[0], kCFSocketNoCallBack, NULL, NULL);
    static const UInt8 zeros[3000000];
    CFDataRef much = KEPT(CFDataCreate(NULL, zeros, sizeof zeros));
    static _Atomic(long) received;
    int other = ends[1];
    pthread_t reader = StartThread(^{
        char bytes[10000];
        for (ssize_t count; (count = read(other, bytes, sizeof bytes)) > 0;) received += count;
    });
    CHECK_EQ_INT(CFSocketSendData(s, NULL, much, 5 * TimeScale()), kCFSocketSuccess);
    CHECK_EQ_INT(CFSocketSendData(s, NULL, much, 0), kCFSocketSuccess);
    shutdown(ends[0], SHUT_WR);
    JoinThread(reader);
    CHECK_EQ_INT(received, 6000000);
    close(ends[1]);
    CHECK_EQ_INT(CFSocketSendData(s, NULL, much, 0), kCFSocketError);
    CHECK_EQ_INT(errno, EPIPE);
    CHECK_EQ_INT(CFSocketSendData(s, NULL, NULL, 0), kCFSocketError);

    int messages[2];
    CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, messages), 0);
    CFSocketRef sender = CFSocketCreateWithNative(NULL, messages[0], kCFSocketNoCallBack, NULL, NULL);
    CHECK_EQ_INT(CFSocketSendData(sender, NULL, KEPT(CFDataCreate(NULL, NULL, 0)), 0), kCFSocketSuccess);
    char byte;
    CHECK_EQ_INT(recv(messages[1], &byte, 1, MSG_DONTWAIT), 0);
}

// The defect: the manager read 64 KB, and the system throws away the rest of a message that does not fit.
TEST(CFSocket_gives_a_large_datagram_whole, "A message of 100,000 bytes comes in one data callback") {
    int ends[2];
    static char message[100000];
    addEnd(SOCK_DGRAM, ends, kCFSocketDataCallBack, SOCKET_BODY(called, type, from, data) { LOG("%ld bytes", (long)CFDataGetLength(data)); });
    CHECK_EQ_INT(send(ends[1], message, sizeof message, 0), sizeof message);
    Run(A, 20, true);
    CHECK_LOG("100000 bytes\nHandledSource");
}

// MARK: - Reports that are older than what happened since

// The defect: the manager believed a report that epoll had made before the client read the bytes and enabled the callback again. The
// client was called with nothing to read, and its read would have waited.
TEST(CFSocket_is_not_called_for_bytes_that_were_read_since_they_were_reported,
     "The manager hears of bytes; before it looks, the client reads them and enables the callback again: the callback waits for the next "
     "bytes. So does that of a pipe, which the manager itself would wait for in read") {
    for (int isPipe = 0; isPipe < 2; isPipe++) {
        int ends[2];
        if (isPipe) CHECK_EQ_INT(pipe2(ends, O_CLOEXEC), 0);
        else makePair(ends);
        int readEnd = ends[0];
        CFSocketRef s = wrap(readEnd, isPipe ? kCFSocketDataCallBack : kCFSocketReadCallBack,
                             SOCKET_BODY(called, type, from, data) {
                                 char byte = 0;
                                 if (isPipe) byte = *(const char *)CFDataGetBytePtr(data);
                                 else if (recv(readEnd, &byte, 1, MSG_DONTWAIT) != 1) byte = '-';
                                 LOG("%c", byte);
                             });
        addSocket(s, A);
        static _Atomic(int) after;
        after = 0;
        AfterEpollWait = ^{
            char byte;
            CHECK_EQ_INT(read(readEnd, &byte, 1), 1);
            CFSocketDisableCallBacks(s, kCFSocketReadCallBack);
            CFSocketEnableCallBacks(s, kCFSocketReadCallBack);
            after = 1;
        };
        CHECK_EQ_INT(write(ends[1], "1", 1), 1);
        CHECK(WAIT_UNTIL(after, 20));
        Run(A, 0.05, true);
        CHECK_EQ_INT(write(ends[1], "2", 1), 1);
        Run(A, 20, true);
        CFSocketInvalidate(s);
        CFRelease(s);
    }
    CHECK_LOG("TimedOut\n2\nHandledSource\nTimedOut\n2\nHandledSource");
}

// The defect: the report "hung up" of a socket that was connected since was taken for a socket that is readable.
TEST(CFSocket_is_not_readable_because_it_was_unconnected,
     "The manager hears that a socket is unconnected; before it looks, the socket is connected: its read callback is not called") {
    CFDataRef address;
    int listener = listenOnLoopback(&address);
    SocketBody body = SOCKET_BODY(called, type, from, data) { LOG("type %d", (int)type); };
    addUnconnected(PF_INET, kCFSocketReadCallBack, body); // starts the manager
    CFSocketContext context = contextOf(body);
    CFSocketRef s = CFSocketCreate(NULL, PF_INET, SOCK_STREAM, 0, kCFSocketReadCallBack | kCFSocketWriteCallBack, callSocketBody, &context);
    static _Atomic(int) after;
    AfterEpollWait = ^{
        CHECK_EQ_INT(CFSocketConnectToAddress(s, address, 0), kCFSocketSuccess);
        after = 1;
    };
    addSocket(s, A);
    CHECK(WAIT_UNTIL(after, 20));
    Run(A, 20, true);
    Run(A, 0.05, true);
    CHECK_LOG("type 8\nHandledSource\nTimedOut");
    close(listener);
}

// MARK: - Failures

static jmp_buf callbackWasLeft;

/// Leaves a callback, and releases for it what the frames that it skips would have released.
static void leaveCallback(CFTypeRef address, CFTypeRef data) {
    if (address) CFRelease(address);
    if (data) CFRelease(data);
    longjmp(callbackWasLeft, 1);
}

// The defect: the loop enabled the callback again after the client's function had returned, so it never called it again.
TEST(CFSocket_calls_again_after_a_callback_that_was_left,
     "A data callback and an accept callback are left by longjmp, as by an exception: the next data and the next connection are called about") {
    CFDataRef address;
    int listener = listenOnLoopback(&address), ends[2];
    __block int calls = 0;
    CFSocketRef s = wrap(listener, kCFSocketAcceptCallBack, SOCKET_BODY(called, type, from, data) {
        close(*(const int *)data);
        LOG("accepted");
        if (++calls == 1) leaveCallback(from, NULL);
    });
    makePair(ends);
    CFSocketRef reader = wrap(ends[0], kCFSocketDataCallBack, SOCKET_BODY(called, type, from, data) {
        LOG("%.*s", (int)CFDataGetLength(data), (const char *)CFDataGetBytePtr(data));
        if (++calls == 1) leaveCallback(from, data);
    });
    addSocket(s, A);
    addSocket(reader, B);
    for (int i = 0; i < 2; i++) {
        int client = connectTo(address);
        if (!setjmp(callbackWasLeft)) Run(A, 20, true);
        close(client);
    }
    calls = 0;
    for (int i = 0; i < 2; i++) {
        CHECK_EQ_INT(write(ends[1], i ? "two" : "one", 3), 3);
        if (!setjmp(callbackWasLeft)) Run(B, 20, true);
    }
    CHECK_LOG("accepted\naccepted\nHandledSource\none\ntwo\nHandledSource");
}

// The defect: the manager asked epoll again at once, which reported the same connection again, and used a whole processor.
TEST(CFSocket_waits_for_a_descriptor_when_it_cannot_accept,
     "While the process has no descriptor left, the manager does not spin, and serves other sockets; then it accepts the connection") {
    CFDataRef address;
    int listener = listenOnLoopback(&address), ends[2];
    CFSocketRef s = wrap(listener, kCFSocketAcceptCallBack, SOCKET_BODY(called, type, from, data) {
        CHECK(from != NULL);
        close(*(const int *)data);
        LOG("accepted");
    });
    makePair(ends);
    CFSocketRef other = wrap(ends[0], kCFSocketDataCallBack, SOCKET_BODY(called, type, from, data) { LOG("data"); });
    addSocket(s, A);
    addSocket(other, A);
    Run(A, 0.01, false); // so that the mode has the descriptors that it needs
    LOG_EVENT_CLEAR();
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct rlimit limit, none;
    CHECK_EQ_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int used[1024], count = 0;
    none = (struct rlimit){64, limit.rlim_max};
    CHECK_EQ_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
    while (count < 1024 && (used[count] = fcntl(listener, F_DUPFD_CLOEXEC, 0)) >= 0) count++;
    CHECK_EQ_INT(connect(client, (const struct sockaddr *)CFDataGetBytePtr(address), (socklen_t)CFDataGetLength(address)), 0);
    double before = processorTime(), start = SecondsNow();
    // Not Run, whose checks of the loop need a descriptor.
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.5, true), kCFRunLoopRunTimedOut);
    CHECK(processorTime() - before < 0.3 * (SecondsNow() - start));
    CHECK_EQ_INT(write(ends[1], "x", 1), 1);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 20, true), kCFRunLoopRunHandledSource);
    for (int i = 0; i < count; i++) close(used[i]);
    CHECK_EQ_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
    Run(A, 20, true);
    CHECK_LOG("data\naccepted\nHandledSource");
    close(client);
}

// The defect: CFSocketSendData went on with the number of the descriptor, which was another socket's then.
TEST(CFSocket_sends_to_no_other_socket_when_it_is_invalidated_meanwhile,
     "A CFSocket is invalidated while another thread waits to send: that call fails, and its bytes do not go to the socket that has the "
     "descriptor's number next") {
    int ends[2], others[2], own;
    makePair(ends);
    own = ends[0];
    CFSocketRef s = CFSocketCreateWithNative(NULL, own, kCFSocketNoCallBack, NULL, NULL);
    static const UInt8 zeros[3000000];
    CFDataRef much = KEPT(CFDataCreate(NULL, zeros, sizeof zeros));
    static _Atomic(int) result;
    result = 1;
    pthread_t sender = StartThread(^{ result = (int)CFSocketSendData(s, NULL, much, 60 * TimeScale()); });
    CHECK(WAIT_UNTIL(({ struct pollfd room = {own, POLLOUT, 0}; poll(&room, 1, 0) == 0; }), 20)); // the buffer is full
    CFSocketInvalidate(s);
    CHECK(!CFSocketIsValid(s));
    makePair(others);
    CHECK_EQ_INT(others[0], own);
    static char bytes[10000];
    while (read(ends[1], bytes, sizeof bytes) > 0) {}
    JoinThread(sender);
    CHECK_EQ_INT(result, kCFSocketError);
    CHECK_EQ_INT(recv(others[1], bytes, 1, MSG_DONTWAIT), -1);
}

// The defect: such a socket is ready to be read for ever, but has nothing to read, so the manager read it again and again.
TEST(CFSocket_that_was_shut_down_for_reading_does_not_occupy_the_manager,
     "A datagram socket with a data callback that was shut down for reading calls nothing, and the manager does not spin") {
    int ends[2];
    addEnd(SOCK_DGRAM, ends, kCFSocketDataCallBack, SOCKET_BODY(called, type, from, data) { LOG("%ld bytes", (long)CFDataGetLength(data)); });
    CHECK_EQ_INT(shutdown(ends[0], SHUT_RD), 0);
    double before = processorTime();
    Run(A, 0.5, true);
    CHECK(processorTime() - before < 0.25 * TimeScale());
    CHECK_LOG("TimedOut");
}

// The defect: only the use of a run loop made later children abort. The child waited for a lock that a thread of its parent held.
TEST(CFSocket_aborts_in_a_child_of_a_process_without_a_run_loop,
     "A process that has used a CFSocket, and no run loop, is forked: the child's call of one of its functions aborts") {
    int ends[2];
    makePair(ends);
    CHECK(!_CFRunLoopGet0b((pthread_t)0));
    CFSocketRef s = CFSocketCreateWithNative(NULL, ends[0], kCFSocketNoCallBack, NULL, NULL);
    CHECK_HALTS("this process was forked", CFSocketGetSocketFlags(s));
}

// The defect: the child removed the descriptor from the epoll set that it shares with its parent, which then heard nothing of it.
TEST(CFSocket_of_the_parent_is_not_silenced_by_a_child,
     "A child of fork that invalidates or enables a CFSocket of its parent aborts with a message, and the parent's CFSocket still calls") {
    int ends[2];
    CFSocketRef s = addEnd(SOCK_STREAM, ends, kCFSocketDataCallBack, SOCKET_BODY(called, type, from, data) { LOG("data"); });
    CHECK_HALTS("this process was forked", CFSocketInvalidate(s));
    CHECK_HALTS("this process was forked", CFSocketEnableCallBacks(s, kCFSocketReadCallBack));
    // A child may ask for the descriptor, to give it to another program. The parent's manager may hold the lock at the fork.
    CHECK_HALTS("this process was forked", CFSocketGetSocketFlags(s));
    pid_t child = fork();
    if (child == 0) _exit(CFSocketGetNative(s) == ends[0] && CFSocketIsValid(s) ? 0 : 1);
    int status = -1;
    CHECK_EQ_INT(waitpid(child, &status, 0), child);
    CHECK_EQ_INT(status, 0);
    CHECK_EQ_INT(write(ends[1], "x", 1), 1);
    Run(A, 20, true);
    CHECK_LOG("data\nHandledSource");
}

// A CFSocket that logs what it reads, its source, whose context a test calls by itself, and the other end.
static CFSocketRef makeLogging(CFRunLoopSourceRef *source, CFRunLoopSourceContext *context, int *otherEnd) {
    int ends[2];
    makePair(ends);
    CFSocketRef s = wrap(ends[0], kCFSocketDataCallBack, SOCKET_BODY(called, type, from, data) { LOG("data"); });
    *source = KEPT(CFSocketCreateRunLoopSource(NULL, s, 0));
    *context = (CFRunLoopSourceContext){.version = 0};
    CFRunLoopSourceGetContext(*source, context);
    *otherEnd = ends[1];
    return s;
}

// The defect: CFRunLoopAddSource calls `schedule` with nothing locked. If another thread removed the source before that, `cancel` came
// first, and the CFSocket kept a loop that might no longer exist when it was woken up.
TEST(CFSocket_is_removed_while_it_is_added,
     "If `cancel` of a CFSocket's source comes before the `schedule` that it belongs to, the CFSocket is in no loop afterwards, and the "
     "next addition lets it call") {
    CFRunLoopSourceRef source;
    CFRunLoopSourceContext context;
    int otherEnd;
    CFSocketRef s = makeLogging(&source, &context, &otherEnd);
    context.cancel(context.info, LOOP, A); // what two threads do in this order, in one
    context.schedule(context.info, LOOP, A);
    CHECK(DescriptionHas(s, "socket set count = 0"));
    CHECK(DescriptionHas(s, "values = ()")); // of the run loops
    CFRunLoopAddSource(LOOP, source, A);
    CHECK(DescriptionHas(s, "socket set count = 1"));
    CHECK_EQ_INT(write(otherEnd, "x", 1), 1);
    Run(A, 20, true);
    CHECK_LOG("data\nHandledSource");
}

// The defect: the CFSocket forgot the loop that it had joined between the two calls, so nothing woke that loop.
TEST(CFSocket_knows_a_loop_that_it_joins_while_it_is_removed_from_another,
     "If `cancel` for one loop comes before its `schedule`, and another loop gets the source in between, the CFSocket wakes that other loop") {
    CFRunLoopSourceRef source;
    CFRunLoopSourceContext context;
    int otherEnd;
    makeLogging(&source, &context, &otherEnd);
    LoopThread *other = StartLoopThread(A, NULL);
    context.cancel(context.info, other->loop, A);
    CFRunLoopAddSource(LOOP, source, A);
    context.schedule(context.info, other->loop, A);
    int end = otherEnd;
    RunAndWhenAsleep(A, 20, true, ^{ CHECK_EQ_INT(write(end, "x", 1), 1); });
    EndLoopThread(other);
    CHECK_LOG("data\nHandledSource");
}

// MARK: - The end

// The defect: it counted the loops in an array that was gone.
TEST(CFSocket_is_described_when_it_is_invalid, "The description of an invalid CFSocket says so, and names no loop") {
    int ends[2];
    CFSocketRef s = addEnd(SOCK_STREAM, ends, kCFSocketDataCallBack, SOCKET_BODY(called, type, from, data) {});
    CFSocketInvalidate(s);
    CHECK(DescriptionHas(s, "valid = No"));
    CHECK(DescriptionHas(s, "socket set count = 0"));
    CHECK(DescriptionHas(s, "run loops = (null)"));
}

TEST(CFSocket_closes_what_it_has, "Invalidation closes a CFSocket's descriptor and a connection that it has accepted but not passed on") {
    CFDataRef address;
    int listener = listenOnLoopback(&address);
    CFSocketRef s = wrap(listener, kCFSocketAcceptCallBack, SOCKET_BODY(called, type, from, data) { FAIL("called"); });
    addSocket(s, A);
    int before = OpenDescriptorCount() + 1, client = connectTo(address);
    CHECK(WAIT_UNTIL(OpenDescriptorCount() == before + 1, 5)); // the manager thread has accepted it
    CFSocketInvalidate(s);
    CHECK_EQ_INT(OpenDescriptorCount(), before - 1);
    CHECK_EQ_INT(fcntl(listener, F_GETFD), -1);
    char byte;
    CHECK(recv(client, &byte, 1, 0) <= 0);
    Run(A, 0, false);
    CHECK_LOG("Finished");
}

TEST(CFSocket_wakes_a_loop_that_its_invalidation_leaves_empty,
     "A loop that sleeps with only a CFSocket in its mode finishes when another thread invalidates the CFSocket") {
    int ends[2];
    CFSocketRef s = addEnd(SOCK_STREAM, ends, kCFSocketReadCallBack, SOCKET_BODY(called, type, from, data) {});
    RunAndWhenAsleep(A, 20, false, ^{ CFSocketInvalidate(s); });
    CHECK_LOG("Finished");
}

static _Atomic(int) liveInfos, callbacks;

static const void *retainCounted(const void *info) {
    atomic_fetch_add((_Atomic(int) *)info, 1);
    return info;
}
static void releaseCounted(const void *info) {
    if (atomic_fetch_sub((_Atomic(int) *)info, 1) > 1) return;
    free((void *)info);
    liveInfos--;
}
static int releases;
static void ignoreCall(CFSocketRef s, CFSocketCallBackType type, CFDataRef address, const void *data, void *info) {}
static void countRelease(const void *info) { releases++; }

// The defect: each callback released the info, although there was no `retain` to retain it before the callback.
TEST(CFSocket_releases_once_what_it_has_not_retained,
     "A context with a release and no retain owns its info: callbacks do not release it, and the invalidation does") {
    int ends[2];
    makePair(ends);
    CFSocketContext context = {.info = ends, .release = countRelease};
    CFSocketRef s = CFSocketCreateWithNative(NULL, ends[0], kCFSocketWriteCallBack, ignoreCall, &context);
    addSocket(s, A);
    Run(A, 20, true);
    CHECK_EQ_INT(releases, 0);
    CFSocketInvalidate(s);
    CHECK_EQ_INT(releases, 1);
    CHECK_LOG("HandledSource");
}

static void useCounted(CFSocketRef s, CFSocketCallBackType type, CFDataRef address, const void *data, void *info) {
    CHECK(*(_Atomic(int) *)info >= 1);
    callbacks++;
}

TEST(CFSocket_invalidated_by_another_thread_keeps_its_info_for_the_callback,
     "Another thread invalidates the CFSocket during its callback: the info stays valid until the callback has returned, and is then "
     "released") {
    ChecksLoops = false;
    LoopThread *thread = StartLoopThread(A, NULL);
    for (int i = 0; i < 300; i++) {
        int ends[2];
        makePair(ends);
        _Atomic(int) *info = malloc(sizeof *info);
        *info = 0;
        liveInfos++;
        CFSocketContext context = {.info = info, .retain = retainCounted, .release = releaseCounted};
        CFSocketRef s = CFSocketCreateWithNative(NULL, ends[0], kCFSocketReadCallBack | kCFSocketWriteCallBack, useCounted, &context);
        CFRunLoopSourceRef source = CFSocketCreateRunLoopSource(NULL, s, 0);
        CFRunLoopAddSource(thread->loop, source, A);
        CFRunLoopWakeUp(thread->loop);
        CFRelease(source);
        write(ends[1], "x", 1);
        if (i % 3) CTestsNap();
        CFSocketInvalidate(s);
        CFRelease(s);
        close(ends[1]);
    }
    EndLoopThread(thread);
    CHECK_EQ_INT(liveInfos, 0);
    CHECK(callbacks > 0);
}

TEST(CFSocket_goes_on_in_another_loop,
     "When the thread of its loop ends, a CFSocket stays valid, and calls again in the next loop that it is added to") {
    int ends[2];
    makePair(ends);
    static CFSocketRef s;
    s = wrap(ends[0], kCFSocketDataCallBack, SOCKET_BODY(called, type, from, data) {
        LOG("%.*s", (int)CFDataGetLength(data), (const char *)CFDataGetBytePtr(data));
    });
    int other = ends[1];
    OnNewThread(^{
        addSocket(s, A);
        write(other, "one", 3);
        Run(A, 5, true);
    });
    CHECK(CFSocketIsValid(s));
    write(other, "two", 3);
    addSocket(s, A);
    Run(A, 5, true);
    CHECK_LOG("one\nHandledSource\ntwo\nHandledSource");
}

TEST(CFSocket_reads_what_is_no_socket, "A pipe delivers data like a socket; a file, which epoll does not accept, is always ready") {
    int pipeEnds[2];
    CHECK_EQ_INT(pipe2(pipeEnds, O_CLOEXEC), 0);
    CFSocketRef s = wrap(pipeEnds[0], kCFSocketDataCallBack, SOCKET_BODY(called, type, from, data) {
        LOG("pipe: %.*s", (int)CFDataGetLength(data), CFDataGetLength(data) ? (const char *)CFDataGetBytePtr(data) : "");
    });
    addSocket(s, A);
    write(pipeEnds[1], "bytes", 5);
    Run(A, 5, true);
    close(pipeEnds[1]);
    Run(A, 5, true);
    CHECK(!CFSocketIsValid(s));
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    s = wrap(file, kCFSocketReadCallBack, SOCKET_BODY(called, type, from, data) { LOG("file"); });
    addSocket(s, B);
    Run(B, 5, true);
    Run(B, 5, true);
    CFSocketInvalidate(s);
    CHECK_LOG("pipe: bytes\nHandledSource\npipe: \nHandledSource\nfile\nHandledSource\nfile\nHandledSource");
}

TEST(CFSocket_is_described, "The description has the descriptor, the function's name, the source and the context") {
    int ends[2];
    makePair(ends);
    CFSocketRef s = CFSocketCreateWithNative(NULL, ends[0], kCFSocketReadCallBack, callSocketBody, NULL);
    char expected[1000];
    snprintf(expected, sizeof expected, "{valid = Yes, type = %d, socket = %d, socket set count = 0,\n    callback types = 0x1, callout = callSocketBody (%p), "
             "source = (nil),\n    run loops = <CFArray", SOCK_STREAM, ends[0], (void *)callSocketBody);
    CHECK(DescriptionHas(s, expected));
    CHECK(DescriptionHas(s, "context = <CFSocket context (nil)>}"));
}
