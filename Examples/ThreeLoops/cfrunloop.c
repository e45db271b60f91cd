// The tasks of tasks.txt on this project's loop. It prints the tasks in the order in which they run, "turn" where a pass begins, and "sleep" where
// the loop is about to sleep.

#include <CoreFoundation/CoreFoundation.h>
#include <unistd.h>

#include "script.h"

static int pipeEnds[2];

static void timerFires(CFRunLoopTimerRef timer, void *task) {
    perform(task);
    if (strcmp(((Task *)task)->name, "Z") == 0) CFRunLoopStop(CFRunLoopGetCurrent());
}

static void source0Performs(void *task) { perform(task); }

static int portOfPipe(void *task) { return pipeEnds[0]; }

static void inputArrives(void *task) {
    char byte;
    if (read(pipeEnds[0], &byte, 1) == 1) perform(task);
}

static void observe(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    puts(activity == kCFRunLoopBeforeTimers ? "turn" : "sleep");
}

static void ask(Work work, Task *task) {
    CFRunLoopRef loop = CFRunLoopGetCurrent();
    switch (work) {
    case workMicro:
        CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, ^{ perform(task); });
        break;
    case workTimer:
    case workLater: {
        CFRunLoopTimerContext context = {.info = task};
        CFAbsoluteTime date = CFAbsoluteTimeGetCurrent() + (work == workLater ? 0.05 : 0);
        CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, date, 0, 0, 0, timerFires, &context);
        CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode);
        CFRelease(timer);
        break;
    }
    case workSoon: {
        CFRunLoopSourceContext context = {.info = task, .perform = source0Performs};
        CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode);
        CFRunLoopSourceSignal(source);
        CFRelease(source);
        break;
    }
    case workInput: {
        if (pipe(pipeEnds) != 0 || write(pipeEnds[1], "", 1) != 1) exit(1);
        CFRunLoopSourceContext1 context = {.version = 1, .info = task, .getPort = portOfPipe, .perform = inputArrives};
        CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
        CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode);
        CFRelease(source);
        break;
    }
    }
}

int main(int argumentCount, char **arguments) {
    if (argumentCount != 2) return 2;
    readScript(arguments[1]);
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, kCFRunLoopBeforeTimers | kCFRunLoopBeforeWaiting, true, 0, observe, NULL);
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode);
    CFRelease(observer);
    perform(&tasks[taskNamed("start")]);
    workForAWhile();
    CFRunLoopRun();
}
