/// LoopSupport.c: the vocabulary of Items.h for the tests of our loop, names of its internals, and threads with loops. See the header.
#include "LoopSupport.h"
#include "Checker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

bool ChecksLoops = true;

static void checkCurrentLoop(void) {
    if (ChecksLoops) CheckLoop(CFRunLoopGetCurrent());
}

#define BODY_BEGINS() checkCurrentLoop()
#define BODY_ENDS() checkCurrentLoop()
#define RUN_BEGINS() checkCurrentLoop()
#include "../../Programs/Conformance/Items.c"

// MARK: - Names

char *TakeText(CFStringRef string) {
    CFIndex size = CFStringGetMaximumSizeForEncoding(CFStringGetLength(string), kCFStringEncodingUTF8) + 1;
    char *text = malloc((size_t)size);
    CHECK(CFStringGetCString(string, text, size, kCFStringEncodingUTF8));
    CFRelease(string);
    return text;
}

char *DescriptionOf(CFTypeRef object) { return TakeText(CFCopyDescription(object)); }

bool DescriptionHas(CFTypeRef object, const char *text) {
    char *description = DescriptionOf(object);
    bool isThere = strstr(description, text) != NULL;
    free(description);
    return isThere;
}

CFRunLoopModeRef ModeNamed(CFRunLoopRef loop, CFStringRef name) {
    __CFRunLoopLock(loop);
    CFRunLoopModeRef mode = __CFRunLoopFindMode(loop, name, false);
    if (mode) __CFRunLoopModeUnlock(mode);
    __CFRunLoopUnlock(loop);
    if (!mode) FAIL("the loop has no mode %s", Text(name));
    return mode;
}

void LogWakeUps(CFStringRef mode) {
    CFRunLoopAddObserver(LOOP, MakeObserver("woken", kCFRunLoopAfterWaiting, 0, NULL), mode);
}

// MARK: - Runs and threads

extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

void IgnoreLeaksBegin(void) {
    if (__lsan_disable) __lsan_disable();
}

void IgnoreLeaksEnd(void) {
    if (__lsan_enable) __lsan_enable();
}

char ThreadState(pid_t thread) {
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "re");
    if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '?';
    if (file) fclose(file);
    return state;
}

SInt32 RunAndWhenAsleep(CFStringRef mode, CFTimeInterval seconds, Boolean once, Body body) {
    CFRunLoopRef loop = LOOP;
    pthread_t thread = StartThread(^{
        WaitUntilAsleep(loop);
        body();
    });
    SInt32 result = Run(mode, seconds, once);
    JoinThread(thread);
    return result;
}

static void *threadBody(void *body) {
    ((Body)body)();
    _Block_release(body);
    return NULL;
}

pthread_t StartThread(Body body) {
    pthread_t thread;
    int error = pthread_create(&thread, NULL, threadBody, _Block_copy((const void *)body));
    if (error) FAIL("no thread: %s", strerror(error));
    return thread;
}

void JoinThread(pthread_t thread) { CHECK_EQ_INT(pthread_join(thread, NULL), 0); }

void OnNewThreadWithStack(size_t size, void *stack, Body body) {
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK_EQ_INT(pthread_attr_init(&attributes), 0);
    CHECK_EQ_INT(stack ? pthread_attr_setstack(&attributes, stack, size) : pthread_attr_setstacksize(&attributes, size), 0);
    CHECK_EQ_INT(pthread_create(&thread, &attributes, threadBody, _Block_copy((const void *)body)), 0);
    JoinThread(thread);
    pthread_attr_destroy(&attributes);
}

/// A stop from outside could come between two runs and be lost. So a block ends the thread, because a block waits for a run.
LoopThread *StartLoopThread(CFStringRef mode, Body setUp) {
    LoopThread *made = calloc(1, sizeof(*made));
    _Atomic(Boolean) isUp = false, *up = &isUp;
    made->mode = mode;
    made->thread = StartThread(^{
        made->loop = (CFRunLoopRef)CFRetain(CFRunLoopGetCurrent());
        KeepAlive(made->loop, mode);
        if (setUp) setUp();
        CFRunLoopPerformBlock(made->loop, mode, ^{ atomic_store(up, true); });
        while (!made->ends) CFRunLoopRunInMode(mode, 1e10, false);
    });
    CHECK(WAIT_UNTIL(atomic_load(up), 10));
    return made;
}

void EndLoopThread(LoopThread *thread) {
    CFRunLoopPerformBlock(thread->loop, thread->mode, ^{
        thread->ends = true;
        CFRunLoopStop(CFRunLoopGetCurrent());
    });
    CFRunLoopWakeUp(thread->loop);
    JoinThread(thread->thread);
    CFRelease(thread->loop);
    free(thread);
}

void WaitUntilAsleep(CFRunLoopRef loop) { CHECK(WAIT_UNTIL(CFRunLoopIsWaiting(loop), 10)); }

void OnLoop(CFRunLoopRef loop, CFStringRef mode, Body body) {
    _Atomic(Boolean) isDone = false, *done = &isDone;
    CFRunLoopPerformBlock(loop, mode, ^{
        body();
        atomic_store(done, true);
    });
    CFRunLoopWakeUp(loop);
    CHECK(WAIT_UNTIL(atomic_load(done), 10));
}
