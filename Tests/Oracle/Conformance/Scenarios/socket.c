/// socket: CFSocket: the callbacks of each type, enabled and disabled, once and again; connections in the background, accepted and refused;
/// the properties of an invalid socket. The differences [D69, D70] are left out: a socket in a loop before its connection has begun, a
/// descriptor that is not open, and a message without bytes.
#include "Scenario.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <sys/socket.h>

static jmp_buf left;

static const void *retainName(const void *info) {
    say("retain %s", (const char *)info);
    return info;
}
static void releaseName(const void *info) { say("release %s", (const char *)info); }
static CFStringRef copyName(const void *info) { return CFStringCreateWithCString(NULL, info, kCFStringEncodingUTF8); }

static void called(CFSocketRef s, CFSocketCallBackType type, CFDataRef address, const void *data, void *info) {
    const char *name = info;
    char line[200];
    int end = snprintf(line, sizeof line, "%s: type %lu, address of %ld bytes", name, (unsigned long)type, address ? CFDataGetLength(address) : -1);
    if (type == kCFSocketDataCallBack)
        snprintf(line + end, sizeof line - end, ", data \"%.*s\"", (int)CFDataGetLength(data), CFDataGetLength(data) ? (const char *)CFDataGetBytePtr(data) : "");
    else if (type == kCFSocketConnectCallBack && data) snprintf(line + end, sizeof line - end, ", error %d", *(const SInt32 *)data);
    else if (type == kCFSocketAcceptCallBack) snprintf(line + end, sizeof line - end, ", a descriptor %d", close(*(const CFSocketNativeHandle *)data) == 0);
    else if (data) snprintf(line + end, sizeof line - end, ", data");
    say("%s", line);
    if (strstr(name, "reads")) {
        char byte;
        say("  it reads %ld", (long)recv(CFSocketGetNative(s), &byte, 1, MSG_DONTWAIT));
    }
    if (strstr(name, "invalidates")) CFSocketInvalidate(s);
    if (strstr(name, "disables")) CFSocketDisableCallBacks(s, kCFSocketReadCallBack);
    if (strstr(name, "leaves")) longjmp(left, 1);
}

static CFSocketContext named(const char *name) { return (CFSocketContext){0, (void *)name, retainName, releaseName, copyName}; }

static CFRunLoopSourceRef schedule(CFSocketRef s) {
    CFRunLoopSourceRef source = CFSocketCreateRunLoopSource(NULL, s, 0);
    CFRunLoopAddSource(LOOP, source, A);
    CFRelease(source);
    return source;
}

/// Makes a pair of sockets. The second one remains a descriptor: `*other`.
static CFSocketRef pairWith(const char *name, CFOptionFlags types, int *other) {
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    *other = ends[1];
    CFSocketContext context = named(name);
    return CFSocketCreateWithNative(NULL, ends[0], types, called, &context);
}

static CFDataRef loopback(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return CFDataCreate(NULL, (const UInt8 *)&address, sizeof address);
}

static int portNumber(CFDataRef address) {
    if (!address) return -1;
    return ntohs(((const struct sockaddr_in *)(const void *)CFDataGetBytePtr(address))->sin_port);
}

static void runOnce(void) { run(A, 1, true); }
static void runForNothing(void) { run(A, 0.05, true); }

/// The original has a thread of its own that waits for all sockets. It learns a moment later that it need no longer wait for one.
static void letTheThreadOfTheOriginalSettle(void) { usleep(100000); }

/// Writes # for addresses (numbers that start with 0x), and drops the callout and the descriptor.
static void sayDescription(const char *title, CFTypeRef object) {
    char raw[1500], clean[1500], *out = clean;
    CFStringRef description = CFCopyDescription(object);
    CFStringGetCString(description, raw, sizeof raw, kCFStringEncodingUTF8);
    CFRelease(description);
    for (const char *in = raw; *in;) {
        size_t digits = !strncmp(in, "0x", 2) ? strspn(in + 2, "0123456789abcdef") : 0;
        if (digits > 4) {
            in += 2 + digits;
            *out++ = '#';
        } else if (!strncmp(in, "callout = ", 10)) in = strstr(in, ", source");
        else if (!strncmp(in, ", socket = ", 11)) in = strchr(in + 2, ',');
        else *out++ = *in++;
    }
    *out = 0;
    say("%s: %s", title, clean);
}

static void reading(void) {
    int other;
    part("read: again and again, as long as there is something");
    CFSocketRef s = pairWith("read", kCFSocketReadCallBack, &other);
    say("flags %lx, valid %d, types %d", CFSocketGetSocketFlags(s), CFSocketIsValid(s), CFGetTypeID(s) == CFSocketGetTypeID());
    sayDescription("not in a loop", s);
    CFRunLoopSourceRef source = schedule(s);
    sayDescription("in a loop", s);
    sayDescription("its source", source);
    runForNothing();
    write(other, "hello", 5);
    runOnce();
    runOnce();
    CFSocketInvalidate(s);
    close(other);

    part("read: disabled and enabled");
    s = pairWith("read", kCFSocketReadCallBack, &other);
    source = (CFRunLoopSourceRef)CFRetain(schedule(s));
    CFSocketDisableCallBacks(s, kCFSocketReadCallBack);
    write(other, "x", 1);
    runForNothing();
    CFSocketEnableCallBacks(s, kCFSocketReadCallBack);
    runOnce();
    part("read: only once");
    CFSocketSetSocketFlags(s, kCFSocketCloseOnInvalidate);
    runOnce();
    runForNothing();
    CFSocketEnableCallBacks(s, kCFSocketReadCallBack);
    runOnce();
    CFSocketEnableCallBacks(s, kCFSocketWriteCallBack); // the socket has no such callback
    runForNothing();

    part("invalidated");
    int descriptor = CFSocketGetNative(s);
    CFSocketInvalidate(s);
    CFSocketInvalidate(s);
    CFSocketContext context = {0};
    CFSocketGetContext(s, &context);
    say("valid %d, its source %d, descriptor %d, open %d, info %d", CFSocketIsValid(s), CFRunLoopSourceIsValid(source), CFSocketGetNative(s),
        fcntl(descriptor, F_GETFD) != -1 && write(other, "", 1) == 1, context.info != NULL);
    say("source %d, address %d", CFSocketCreateRunLoopSource(NULL, s, 0) != NULL, CFSocketCopyAddress(s) != NULL);
    CFDataRef address = loopback(1), bytesToSend = CFDataCreate(NULL, (const UInt8 *)"x", 1);
    say("bind %ld, connect %ld, send %ld", (long)CFSocketSetAddress(s, address), (long)CFSocketConnectToAddress(s, address, 0),
        (long)CFSocketSendData(s, NULL, bytesToSend, 0));
    close(other);

    part("invalidated in its callback");
    s = pairWith("invalidates itself", kCFSocketReadCallBack | kCFSocketWriteCallBack, &other);
    CFSocketDisableCallBacks(s, kCFSocketWriteCallBack);
    write(other, "x", 1);
    schedule(s);
    runOnce();
    runForNothing();
    part("disabled in its callback");
    s = pairWith("disables itself", kCFSocketReadCallBack, &other);
    schedule(s);
    write(other, "x", 1);
    runOnce();
    runForNothing();
    CFSocketEnableCallBacks(s, kCFSocketReadCallBack);
    runOnce();
    CFSocketInvalidate(s);
    part("one byte at a time");
    s = pairWith("reads", kCFSocketReadCallBack, &other);
    CFSocketDisableCallBacks(s, kCFSocketReadCallBack); // the loop enables it again
    schedule(s);
    write(other, "ab", 2);
    runOnce();
    runOnce();
    part("removed, added again");
    source = CFSocketCreateRunLoopSource(NULL, s, 0);
    CFRunLoopRemoveSource(LOOP, source, A);
    write(other, "a", 1);
    runForNothing();
    CFRunLoopAddSource(LOOP, source, A);
    runOnce();
    part("its source is invalidated");
    CFRunLoopSourceInvalidate(source);
    CFRunLoopSourceRef next = CFSocketCreateRunLoopSource(NULL, s, 7);
    say("valid %d, another source %d %d, its order %ld", CFSocketIsValid(s), next != source, CFRunLoopSourceIsValid(next), CFRunLoopSourceGetOrder(next));
    write(other, "a", 1);
    CFRunLoopAddSource(LOOP, next, A);
    runOnce();
    CFSocketInvalidate(s);
}

static void data(void) {
    int other;
    part("data");
    CFSocketRef s = pairWith("data", kCFSocketDataCallBack, &other);
    say("flags %lx", CFSocketGetSocketFlags(s));
    schedule(s);
    write(other, "hello", 5);
    runOnce();
    write(other, "again", 5);
    runOnce();
    runForNothing();
    part("data: only once");
    CFSocketSetSocketFlags(s, kCFSocketCloseOnInvalidate);
    write(other, "first", 5);
    runOnce();
    write(other, "second", 6);
    runForNothing();
    CFSocketEnableCallBacks(s, kCFSocketDataCallBack);
    runOnce();
    part("data: the other end closes");
    CFSocketEnableCallBacks(s, kCFSocketDataCallBack);
    close(other);
    runOnce();
    runForNothing();
    say("valid %d", CFSocketIsValid(s));
    part("data: its callback is left by longjmp");
    s = pairWith("leaves", kCFSocketDataCallBack, &other);
    schedule(s);
    int depth = stageDepth;
    for (volatile int i = 0; i < 2; i++) {
        write(other, "data", 4);
        if (!setjmp(left)) runOnce();
        stageDepth = depth;
    }
    CFSocketInvalidate(s);
    part("data: disabled in its callback, no longer enabled again");
    s = pairWith("disables itself", kCFSocketDataCallBack, &other);
    schedule(s);
    write(other, "a", 1);
    runOnce();
    letTheThreadOfTheOriginalSettle();
    write(other, "b", 1);
    runForNothing();
    CFSocketSetSocketFlags(s, kCFSocketCloseOnInvalidate);
    CFSocketEnableCallBacks(s, kCFSocketDataCallBack);
    runOnce();
    letTheThreadOfTheOriginalSettle();
    write(other, "c", 1);
    runForNothing();
    CFSocketInvalidate(s);
}

static void writing(void) {
    int other;
    part("write: once, unless enabled");
    CFSocketRef s = pairWith("write", kCFSocketWriteCallBack, &other);
    say("flags %lx", CFSocketGetSocketFlags(s));
    schedule(s);
    runOnce();
    runForNothing();
    CFSocketEnableCallBacks(s, kCFSocketWriteCallBack);
    runOnce();
    runForNothing();
    CFSocketSetSocketFlags(s, kCFSocketCloseOnInvalidate | kCFSocketAutomaticallyReenableWriteCallBack);
    CFSocketEnableCallBacks(s, kCFSocketWriteCallBack);
    runOnce();
    runOnce();
    CFSocketInvalidate(s);
    part("connect: once, when there is room");
    s = pairWith("connect", kCFSocketConnectCallBack | kCFSocketReadCallBack, &other);
    schedule(s);
    runOnce();
    write(other, "x", 1);
    runOnce();
    CFSocketInvalidate(s);
    part("sending");
    s = pairWith("sends", kCFSocketNoCallBack, &other);
    CFDataRef bytes = CFDataCreate(NULL, (const UInt8 *)"sent", 4);
    char received[9] = {0};
    say("send %ld, received %ld %s", (long)CFSocketSendData(s, NULL, bytes, 1), (long)read(other, received, 9), received);
    static const UInt8 zeros[300000];
    CFDataRef much = CFDataCreate(NULL, zeros, sizeof zeros);
    CFSocketError error = kCFSocketSuccess;
    for (int i = 0; i < 100 && error == kCFSocketSuccess; i++) error = CFSocketSendData(s, NULL, much, 0.05);
    say("until nobody reads: %ld", (long)error);
    CFSocketInvalidate(s);
}

static void connections(void) {
    part("accept");
    CFSocketContext context = named("listener");
    CFSocketSignature signature = {PF_INET, SOCK_STREAM, IPPROTO_TCP, loopback(0)};
    CFSocketRef listener = CFSocketCreateWithSocketSignature(NULL, &signature, kCFSocketAcceptCallBack, called, &context);
    CFDataRef address = CFSocketCopyAddress(listener);
    say("flags %lx, port %d, peer %d", CFSocketGetSocketFlags(listener), portNumber(address) > 0, CFSocketCopyPeerAddress(listener) != NULL);
    schedule(listener);
    context = named("client");
    signature.address = address;
    CFSocketRef client = CFSocketCreateConnectedToSocketSignature(NULL, &signature, kCFSocketNoCallBack, called, &context, 5);
    say("client %d, connected to the listener %d", client != NULL, portNumber(CFSocketCopyPeerAddress(client)) == portNumber(address));
    runOnce();
    CFSocketInvalidate(client);
    part("the same address");
    say("bound twice: %d", CFSocketCreateWithSocketSignature(NULL, &signature, kCFSocketNoCallBack, called, NULL) != NULL);

    part("data with the sender's address");
    CFSocketInvalidate(listener);
    int native = socket(AF_INET, SOCK_STREAM, 0), accepted;
    CFDataRef any = loopback(0);
    bind(native, (const struct sockaddr *)(const void *)CFDataGetBytePtr(any), (socklen_t)CFDataGetLength(any));
    listen(native, 5);
    CFSocketRef wrapped = CFSocketCreateWithNative(NULL, native, kCFSocketNoCallBack, NULL, NULL);
    address = CFSocketCopyAddress(wrapped);
    context = named("background");
    CFSocketRef s = CFSocketCreate(NULL, PF_INET, SOCK_STREAM, IPPROTO_TCP, kCFSocketConnectCallBack | kCFSocketDataCallBack, called, &context);
    say("connect %ld", (long)CFSocketConnectToAddress(s, address, -1));
    accepted = accept(native, NULL, NULL);
    schedule(s);
    runOnce();
    write(accepted, "bytes", 5);
    runOnce();
    close(accepted);
    runOnce();
    say("valid %d", CFSocketIsValid(s));

    part("connect and write");
    context = named("writer");
    s = CFSocketCreate(NULL, 0, 0, 0, kCFSocketConnectCallBack | kCFSocketWriteCallBack, called, &context);
    say("connect %ld", (long)CFSocketConnectToAddress(s, address, -1));
    accepted = accept(native, NULL, NULL);
    schedule(s);
    runOnce();
    runForNothing();
    CFSocketInvalidate(s);
    close(accepted);
    CFSocketInvalidate(wrapped);

    part("refused");
    context = named("refused");
    s = CFSocketCreate(NULL, 0, 0, 0, kCFSocketConnectCallBack, called, &context);
    say("connect %ld", (long)CFSocketConnectToAddress(s, address, -1));
    schedule(s);
    runOnce();
    runForNothing();
    CFSocketInvalidate(s);
    s = CFSocketCreate(NULL, 0, 0, 0, kCFSocketConnectCallBack, called, &context);
    say("at once: %ld", (long)CFSocketConnectToAddress(s, address, 2));
    CFSocketInvalidate(s);
    part("refused, the error is left");
    s = CFSocketCreate(NULL, 0, 0, 0, kCFSocketConnectCallBack, called, &context);
    CFSocketSetSocketFlags(s, kCFSocketCloseOnInvalidate | kCFSocketLeaveErrors);
    say("connect %ld", (long)CFSocketConnectToAddress(s, address, -1));
    schedule(s);
    runOnce();
    int left = 0;
    socklen_t size = sizeof left;
    getsockopt(CFSocketGetNative(s), SOL_SOCKET, SO_ERROR, &left, &size);
    say("left: %d", left);
    CFSocketInvalidate(s);
}

static void messages(void) {
    part("messages");
    CFSocketContext context = named("receiver");
    CFSocketRef receiver = CFSocketCreate(NULL, PF_INET, SOCK_DGRAM, 0, kCFSocketDataCallBack, called, &context);
    CFSocketRef sender = CFSocketCreate(NULL, PF_INET, SOCK_DGRAM, 0, kCFSocketNoCallBack, NULL, NULL);
    say("bind %ld", (long)CFSocketSetAddress(receiver, loopback(0)));
    CFDataRef address = CFSocketCopyAddress(receiver), ping = CFDataCreate(NULL, (const UInt8 *)"ping", 4);
    schedule(receiver);
    say("send %ld", (long)CFSocketSendData(sender, address, ping, 1));
    runOnce();
    say("without an address %ld", (long)CFSocketSendData(sender, NULL, ping, 1));
    say("send %ld", (long)CFSocketSendData(sender, address, ping, 0));
    runOnce();
    CFSocketInvalidate(receiver);
    CFSocketInvalidate(sender);
}

static void natives(void) {
    int other;
    part("one CFSocket for a descriptor");
    CFSocketRef s = pairWith("first", kCFSocketReadCallBack, &other);
    CFSocketRef same = CFSocketCreateWithNative(NULL, CFSocketGetNative(s), kCFSocketWriteCallBack, NULL, NULL);
    CFRunLoopSourceRef source = CFSocketCreateRunLoopSource(NULL, s, 3), sameSource = CFSocketCreateRunLoopSource(NULL, s, 5);
    say("same %d, flags %lx, same source %d, order %ld", same == s, CFSocketGetSocketFlags(same), sameSource == source, CFRunLoopSourceGetOrder(source));
    part("the descriptor stays open");
    int descriptor = CFSocketGetNative(s);
    CFSocketSetSocketFlags(s, kCFSocketAutomaticallyReenableReadCallBack);
    CFSocketInvalidate(s);
    say("open %d", fcntl(descriptor, F_GETFD) != -1);
    CFSocketContext context = named("second");
    CFSocketRef second = CFSocketCreateWithNative(NULL, descriptor, kCFSocketReadCallBack, called, &context);
    say("another one %d, valid %d", second != s, CFSocketIsValid(second));
    part("released, but not invalidated");
    schedule(second);
    CFRelease(second);
    write(other, "x", 1);
    runOnce();
    CFSocketInvalidate(CFSocketCreateWithNative(NULL, descriptor, 0, NULL, NULL));
    say("no such family: %d", CFSocketCreate(NULL, 9999, SOCK_STREAM, 0, 0, NULL, NULL) != NULL);
}

SCENARIO("socket", onThreads) {
    onThread(^{
        addSource(A, "keeps the mode", 0, NULL);
        reading();
        data();
        writing();
        connections();
        messages();
        natives();
    });
}
