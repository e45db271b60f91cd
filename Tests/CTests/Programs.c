/// Programs.c: the cases of Programs/Cases, which are programs in a language of their own (Documentation/Reference/programs.md).
///
/// Nothing here says what a program does. Our loop performs it on the simulated kernel, where the log must be the model's with all its times and
/// nothing may leak. On Linux, which takes no orders for faults, the log must be the model's without times; all invariants are checked before each action, and at the end nobody else
/// may have a reference to an item. The model is not the only judge: `Conformance cases` performs the same programs on the toolchain's loop, and the
/// digest of the log that this loop wrote stands in the case. So where there is no such loop (aarch64 in an emulator), the log is compared with the
/// model's and with the digest; where there is no model either, because musl has no ucontext, the log on Linux is compared with the digest.
#include "CTests.h"
#include "Checker.h"
#include "Programs.h"
#include <CoreFoundation/CoreFoundation.h>

static void checkBefore(int thread);
#define PERFORM_BEGINS(action, thread) checkBefore(thread)
#define PERFORM_RELEASES(item) CHECK_EQ_INT(CFGetRetainCount(item), 1)
#include "../../Programs/CRunLoopTable/include/CFRunLoopTable.h"
#include "../../Programs/CRunLoopPrograms/PerformProgram.c"
#include "../../Programs/CRunLoopModel/LoopCases.h"
#if defined(__GLIBC__)
#include "../../Programs/CRunLoopModel/include/Model.h"
#include "../../Programs/CRunLoopModel/include/Prediction.h"
#endif

static LoopCase cases[mostCases];
static LoopProgram program;

/// Checks the loop of a thread that is about to act.
static void checkBefore(int thread) {
    if (thread >= 0 && performIsOwn(performance.performers[thread].loop)) CheckLoop(performance.performers[thread].loop);
}

#define FAIL_AT(of, ...) CTestsFail((of)->path, (of)->line, __VA_ARGS__)

// MARK: - On Linux

/// Performs the program on Linux, in a child, because a program begins with a new process. Returns its log by thread, without times.
static char *logOnLinux(const LoopCase *of, double unit) {
    int status;
    char *log = FileOfChild(&status, ^(int file) {
        struct PerformReal real = {.out = fdopen(file, "w")};
        loopProgramScale(&program, unit);
        performReally(&program, &real);
        exit(0); // with a leak check
    });
    if (status) FAIL_AT(of, "%s\n%s\non Linux ends with the status %x", of->sentence, of->text, status);
    char *sorted = loopLogByThread(log, false);
    free(log);
    return sorted;
}

/// Checks the log on Linux. If the machine is busy, events come late and a log differs, so the program gets more time.
static void checkOnLinux(const LoopCase *of, bool (^isRight)(const char *log), void (^fail)(const char *log)) {
    static const double units[] = {0.01, 0.05, 0.25};
    char *log = NULL;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        free(log);
        log = logOnLinux(of, units[i] * TimeScale());
        if (isRight(log)) return free(log);
    }
    fail(log);
}

// MARK: - Cases

#if defined(__GLIBC__)

static void failWith(const LoopCase *of, const char *leftTitle, const char *left, const char *rightTitle, const char *right) {
    loopCasePrint(stderr, of, leftTitle, left, rightTitle, right);
    FAIL_AT(of, "the logs differ");
}

/// The model's log, which the caller frees.
static char *logOfModel(const LoopCase *of) {
    char *log;
    size_t size;
    FILE *out = open_memstream(&log, &size);
    ModelResult result = modelWriteLog(&program, 0, out);
    fclose(out);
    if (result.reason) FAIL_AT(of, "%s\nline %d of the program is not determined: %s", of->text, result.line, modelReason(result.reason));
    return log;
}

static void perform(const LoopCase *of) {
    char *simulated = LogOnSimulatedKernel(&program), *model = logOfModel(of);
    char *one = loopLogByThread(simulated, true), *other = loopLogByThread(model, true), *log = loopLogByThread(model, false);
    if (strcmp(one, other) != 0) failWith(of, "on the simulated kernel", one, "the model", other);
    if (!of->isSimulatedAlone) checkOnLinux(of, ^bool(const char *ours) { return strcmp(ours, log) == 0; }, ^(const char *ours) { failWith(of, "on Linux", ours, "the model", log); });
    if (loopLogDigest(log) != of->recorded) FAIL_AT(of, "%s\n%s\nThis is not the recorded log. If the toolchain's loop agrees: # log %08x", of->text, log, loopLogDigest(log));
    char *all[] = {simulated, model, one, other, log};
    for (int i = 0; i < 5; i++) free(all[i]);
}

// MARK: - Random programs

/// What the model says of a program that real time performs. The caller frees it.
static char *logInRealTime(void) {
    char *log;
    size_t size;
    ModelLog written = {open_memstream(&log, &size), &program, false};
    ModelOptions options = {.isForRealTime = true, .closeness = 250000000, .happens = modelWriteEvent, .context = &written};
    modelPerform(&program, &options);
    fclose(written.out);
    char *sorted = loopLogByThread(log, false);
    free(log);
    return sorted;
}

/// Lets a program take no time, so that it does the same on a busy machine: no run waits, and what is not due yet is days away.
static void makeTimeless(LoopProgram *of) {
    const double day = 86400;
    for (int i = 0; i < of->itemCount; i++) {
        if (of->items[i].isAfterNow) of->items[i].first += 3 * day;
        if (of->items[i].interval) of->items[i].interval = 30 * day;
    }
    for (int i = 0; i < of->actionCount; i++) {
        if (of->actions[i].verb == doRun) of->actions[i].seconds = 0;
        if (of->actions[i].isAfterNow) of->actions[i].seconds += 3 * day;
    }
}

/// Performs the program of a seed on Linux, without what the model cannot know.
static void performSeed(uint64_t seed) {
    static Program made;
    LoopCase of = {.path = __FILE__, .line = __LINE__};
    size_t size;
    snprintf(of.sentence, sizeof of.sentence, "The program of seed %llu", (unsigned long long)seed);
    programMake(&made, seed);
    made.withoutOriginal = true;
    makeTimeless(&made.loop);
    free(programDetermine(&made, NULL, NULL));
    program = made.loop;
    FILE *out = open_memstream(&of.text, &size);
    loopProgramWrite(out, &program);
    fclose(out);
    char *model = logInRealTime();
    checkOnLinux(&of, ^bool(const char *ours) { return strcmp(ours, model) == 0; }, ^(const char *ours) { failWith(&of, "on Linux", ours, "the model", model); });
    free(model);
    free(of.text);
}

TEST(E5_a_descriptor_is_readable_exactly_if_there_is_something_to_do,
     "Random programs that embed modes, serve them in any place and ask whether their descriptors are readable do on Linux what the model says") {
    enum { last = 1000, hosts = 5 }; // each fifth seed has hosts
    for (uint64_t seed = hosts; seed <= last; seed += hosts) performSeed(seed);
}

#else

static void perform(const LoopCase *of) {
    if (of->isSimulatedAlone) SKIP("there is no simulated kernel here");
    checkOnLinux(of, ^bool(const char *ours) { return loopLogDigest(ours) == of->recorded; },
                 ^(const char *ours) { FAIL_AT(of, "%s\n%s\nThis is not the recorded log", of->text, ours); });
}

#endif

static void performRunning(void) {
    const LoopCase *of = cases;
    while (strcmp(of->name, CTestsRunning->name) != 0) of++;
    if (!loopProgramRead(&program, of->text)) FAIL_AT(of, "%s in:\n%s", program.error, of->text);
    perform(of);
}

__attribute__((constructor)) static void registerCases(void) {
    static CTest tests[mostCases];
    int count = loopCasesRead(__FILE__, "../../Programs/Cases", cases);
    for (int i = 0; i < count; i++) {
        tests[i] = (CTest){cases[i].name, cases[i].sentence, performRunning, false};
        CTestsRegister(&tests[i]);
    }
}
