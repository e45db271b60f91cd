/// recorded.h: what the programs share that Scripts/reading-edition records.
///
/// The recorder steps a program from theRecordingBegins to theRecordingEnds, line by line. A second thread calls waitForItsTurn and stops
/// there until the recorder's schedule (recordings.py) says that it goes on. The recorder reads the program's global variables of the types
/// CFRunLoopRef, CFRunLoopSourceRef, CFRunLoopTimerRef and CFRunLoopObserverRef, and calls the objects by the variables' names.
#if !defined(RECORDED_H)
#define RECORDED_H 1

#define _GNU_SOURCE
#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <unistd.h>

/// The recorder has a breakpoint at each of these three.
__attribute__((noinline)) void theRecordingBegins(void) { __asm__ volatile(""); }
__attribute__((noinline)) void theRecordingEnds(void) { __asm__ volatile(""); }
__attribute__((noinline)) void waitForItsTurn(void) { __asm__ volatile(""); }

/// A version 0 source with this perform.
static inline CFRunLoopSourceRef makeSource0(void (*perform)(void *info)) {
    CFRunLoopSourceContext context = {.perform = perform};
    return CFRunLoopSourceCreate(NULL, 0, &context);
}

static inline CFRunLoopTimerRef makeTimer(CFTimeInterval seconds, CFTimeInterval interval, CFRunLoopTimerCallBack fire) {
    return CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + seconds, interval, 0, 0, fire, NULL);
}

/// The first wait of a mode opens its port set, and the records of passes get their memory. A recording begins after that.
static inline void warmUp(CFStringRef mode) {
    CFRunLoopRunInMode(mode, 0.001, false);
}

/// Starts a thread with a name, which the recording shows.
static inline pthread_t startThread(const char *name, void *(*part)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, part, NULL);
    pthread_setname_np(thread, name);
    return thread;
}

#endif
