/// DescriptionTests.c: what a loop's description says of its items: the functions that they call, their ports, their addresses (S2).
#include "Fakes.h"
#include "LoopSupport.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static void checkSays(CFTypeRef object, const char *part) {
    char *text = DescriptionOf(object);
    if (!strstr(text, part)) FAIL("\"%s\" is not in the description:\n%s", part, text);
    free(text);
}

// MARK: - Functions

static void refillCache(void *info) { CHECK(!info); }
static void measureLatency(CFRunLoopTimerRef timer, void *info) { CHECK(timer && !info); }
static void watchActivity(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { CHECK(observer && !info); }
static void readSocket(void *info) { CHECK(info); }
static int portOfSocket(void *info) { return (int)(intptr_t)info; }

// The defect: callbacks are mostly static functions, which the dynamic linker does not know, so all of them were printed as "???".
TEST(S2_a_printed_loop_names_static_functions,
     "A loop's description names the static functions that its sources, timers and observers call, and the functions of blocks") {
    CFRunLoopSourceContext context0 = {.perform = refillCache};
    CFRunLoopSourceContext1 context1 = {.version = 1, .getPort = portOfSocket, .perform = readSocket, .info = (void *)(intptr_t)eventfd(0, 0)};
    CFRunLoopAddSource(LOOP, CFRunLoopSourceCreate(NULL, 0, &context0), A);
    CFRunLoopAddSource(LOOP, CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context1), A);
    CFRunLoopAddTimer(LOOP, CFRunLoopTimerCreate(NULL, 1e9, 0, 0, 0, measureLatency, NULL), A);
    CFRunLoopAddObserver(LOOP, CFRunLoopObserverCreate(NULL, kCFRunLoopExit, true, 0, watchActivity, NULL), A);
    CFRunLoopAddTimer(LOOP, CFRunLoopTimerCreateWithHandler(NULL, 1e9, 0, 0, 0, ^(CFRunLoopTimerRef timer) {}), A);
    CFRunLoopObserverRef observer = CFRunLoopObserverCreateWithHandler(
        NULL, kCFRunLoopExit, true, 0, ^(CFRunLoopObserverRef self, CFRunLoopActivity activity) {});
    CFRunLoopAddObserver(LOOP, observer, A);
    checkSays(observer, "function = __test_S2_a_printed_loop_names_static_functions_block_invoke_2 (0x");
    checkSays(LOOP, "callout = refillCache (0x");
    checkSays(LOOP, "callout = readSocket (0x");
    checkSays(LOOP, "callout = measureLatency (0x");
    checkSays(LOOP, "callout = watchActivity (0x");
    checkSays(LOOP, "function = __test_S2_a_printed_loop_names_static_functions_block_invoke (0x");
    CHECK(!DescriptionHas(LOOP, "???"));
}

static char *nameOf(const void *function) { return TakeText(__CFCopyNameOfFunction(function)); }

/// In this program, which has no Swift runtime, what the runtime makes of each name; NULL if it is not Swift's.
static const char *demangled;

__attribute__((visibility("default"))) char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags) {
    return demangled && name && length && !buffer && !size && !flags ? strdup(demangled) : NULL;
}

TEST(S2_a_name_of_swifts_has_no_types,
     "Of the name of a Swift function, a description shows what somebody has written: no types, and nothing that the compiler adds") {
#define HASH "_C3B2231F227888B7C68C634A68296ADA"
    static const char *const names[][2] = {
        {"closure #1 @Sendable (A.Timer) -> () in A.Clock.start(A.B) -> ()", "closure #1 in A.Clock.start"},
        {"@objc closure #12 (A) -> (B) in closure #1 @Sendable (A) async throws -> () in A.run<B where B: C>(x: B) -> B", "closure #12 in closure #1 in A.run"},
        {"implicit closure #2 () -> () in implicit closure #1 (A.B) -> () -> () in A.B.go() -> ()", "implicit closure #2 in implicit closure #1 in A.B.go"},
        {"measure #1 @Sendable () -> () in A.test() -> ()", "measure #1 in A.test"},
        {"partial apply forwarder for A.Port.(make in " HASH ")(A.(B in " HASH ")) -> Swift.Optional<A.(B in " HASH ")>", "A.Port.make"},
        {"closure #1 (A) -> A.(B in " HASH ") in static (extension in A):B.(C in " HASH ").d(A) -> C", "closure #1 in static B.C.d"},
        {"A.Box<Swift.Array<Swift.Int>>.perform<B>((B) -> C) -> C", "A.Box.perform"},
        {"merged generic specialization <Swift.Array<A>> of A.f<B>(B) -> ()", "A.f"},
        {"function signature specialization <Arg[0] = [Closure Propagated : f, Types : [A]> of closure #1 () -> () in A.g() -> ()", "closure #1 in A.g"},
        {"generic not re-abstracted specialization <()> of closure #1 () -> () in A.g() -> ()", "closure #1 in A.g"},
        {"A.(`x\u00a0>\u00a0y` in " HASH ")(A) -> ()", "A.`x\u00a0>\u00a0y`"}, // the defect: it wrote beyond the name
        {"A.`parens\u00a0(twice)\u00a0<x>`(A) -> ()", "A.`parens\u00a0(twice)\u00a0<x>`"},
        {"closure #1 (A.(`a)\u00a0b` in " HASH ")) -> () in A.(`c)\u00a0in\u00a0d` in " HASH ")() -> ()", "closure #1 in A.`c)\u00a0in\u00a0d`"},
        {"closure #1 () -> () in static A.(>>= infix in " HASH ")(A, A) -> A", "closure #1 in static A.>>= infix"},
        {"A.(< prefix in " HASH ")(A) -> A", "A.< prefix"},
        {"A.Box_<A where A == (Swift.Int) -> ()>.tt() -> ()", "A.Box_.tt"},
        {"A.Bo\u00ef<A>.tt<B>(B) -> ()", "A.Bo\u00ef.tt"},
        {"closure #1 () -> Local #1 in closure #2 () -> () in A.outer() -> () in A.outer() -> ()", "closure #1 in A.outer"},
        {"A.Model.count.getter : Swift.Int", "A.Model.count.getter"},
        {"static A.B.< infix(A.B, A.B) -> Swift.Bool", "static A.B.< infix"},
        {"partial apply forwarder for reabstraction thunk helper from @escaping () -> () to @escaping (A) -> ()", "reabstraction thunk helper from @escaping () -> () to @escaping (A) -> ()"},
        {"main", "main"}, {"", ""}, {"A.f(", "A.f"}, {"(extension in A", ""}, {"closure #", "closure #"}, {"A.(b in _12)", "A."},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        demangled = names[i][0];
        char *name = nameOf((const void *)(uintptr_t)refillCache);
        CHECK_EQ_STR(name, names[i][1]);
        free(name);
    }
    demangled = NULL;
    char *name = nameOf((const void *)(uintptr_t)refillCache);
    CHECK_EQ_STR(name, "refillCache");
    free(name);
#undef HASH
}

TEST(S2_a_name_is_known_from_within_the_function,
     "Any address within a function leads to its name; an address outside all functions is \"???\"") {
    char *inside = nameOf((const char *)(uintptr_t)refillCache + 1);
    CHECK_EQ_STR(inside, "refillCache");
    free(inside);
    const void *start;
    CHECK_EQ_STR(_CFGetNameOfFunction((const char *)(uintptr_t)refillCache + 1, &start), "refillCache");
    CHECK_EQ_PTR(start, (const void *)(uintptr_t)refillCache);
    void *noCode = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static int data;
    const void *nowhere[] = {NULL, (void *)1, noCode, &data, (void *)UINTPTR_MAX};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        char *name = nameOf(nowhere[i]);
        CHECK_EQ_STR(name, "???");
        free(name);
    }
}

// The C library is stripped, but its exported functions are known.
TEST(S2_functions_of_a_stripped_library_are_known_if_exported, "An exported function of a shared library without a symbol table has a name") {
    char *name = nameOf((const void *)(uintptr_t)puts); // glibc also exports it as _IO_puts
    if (!strstr(name, "puts")) FAIL("puts is said to be %s", name);
    free(name);
}

TEST(S2_names_are_found_again_after_others,
     "Looking up the names of a thousand addresses repeatedly gives the same names as the first time") {
    const char *first = (const char *)(uintptr_t)refillCache;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) free(nameOf(first + i % 97 * 16));
        char *name = nameOf(first);
        CHECK_EQ_STR(name, "refillCache");
        free(name);
    }
}

// MARK: - Ports

static void checkPort(int descriptor, const char *kind) {
    CFRunLoopSourceContext1 context = {.version = 1, .getPort = portOfSocket, .info = (void *)(intptr_t)descriptor};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    char port[64];
    checkSays(source, "port = none, ");
    CFRunLoopAddSource(LOOP, source, A);
    snprintf(port, sizeof(port), "port = %d (%s), ", descriptor, kind);
    checkSays(source, port);
    close(descriptor);
    snprintf(port, sizeof(port), "port = %d (closed), ", descriptor);
    checkSays(source, port);
    CFRunLoopSourceInvalidate(source);
    CFRelease(source);
}

TEST(S2_a_printed_source_names_its_port,
     "A version 1 source shows the number of its descriptor, and whether that is an eventfd, a pipe, a socket, or closed") {
    int pipes[2], sockets[2];
    CHECK_EQ_INT(pipe(pipes), 0);
    CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    checkPort(eventfd(0, 0), "eventfd");
    checkPort(pipes[0], "pipe");
    checkPort(sockets[0], "socket");
    checkPort(open("/dev/null", O_RDONLY), "/dev/null");
}

// MARK: - Addresses

// A description is made from copies, because describing an item may call the client, and the copies are made with the lock held. The
// defect: it printed the addresses of the copies, which were the same for two modes, because the second copy reused the memory of the
// first.
TEST(S2_collections_are_printed_under_their_own_addresses, "The sets and arrays in a loop's description have their real addresses") {
    CFRunLoopAddTimer(LOOP, MakeTimer("t", 1e6, 0, NULL), COMMON);
    CFRunLoopAddTimer(LOOP, MakeTimer("u", 1e6, 0, NULL), A);
    KeepAlive(LOOP, A);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopExit, ^(CFRunLoopActivity activity) {}), A);
    CFRunLoopModeRef mode = ModeNamed(LOOP, A), defaultMode = ModeNamed(LOOP, DEFAULT);
    struct {
        const char *before;
        const void *address;
    } shown[] = {
        {"common modes = <CFBasicHash", LOOP->_commonModes}, {"common mode items = <CFBasicHash", LOOP->_commonModeItems},
        {"modes = <CFBasicHash", LOOP->_modes},              {"sources0 = <CFBasicHash", mode->_sources0},
        {"sources1 = <CFBasicHash", mode->_sources1},        {"observers = <CFArray", mode->_observers},
        {"timers = <CFArray", mode->_timers},                {"timers = <CFArray", defaultMode->_timers},
    };
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        char part[96];
        snprintf(part, sizeof(part), "%s %p [", shown[i].before, shown[i].address);
        checkSays(LOOP, part);
    }
}
