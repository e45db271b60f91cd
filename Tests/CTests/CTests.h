/// CTests.h: what a test case in C is written with. Include it before any other header.
///
/// A case is a function with a name and a sentence. It runs on the main thread of a process of its own, so it may crash, hang,
/// leave threads behind or use up the main run loop without harm to the next. The first check that does not hold ends the
/// process: it prints file, line and both values, from whatever thread it is called on.
///
///     TEST(L2_empty_mode_finishes, "Running a mode that holds nothing returns Finished at once") {
///         CHECK_EQ_INT(CFRunLoopRunInMode(CFSTR("empty"), 1, false), kCFRunLoopRunFinished);
///     }
#if !defined(CTESTS_H)
#define CTESTS_H 1

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// MARK: - Cases (main.c)

typedef struct CTest {
    const char *name;
    const char *sentence;
    void (*body)(void);
    bool hidden; // a scenario: run only when it is asked for by name
} CTest;

/// Called before main, once for each TEST and SCENARIO.
void CTestsRegister(const CTest *test);

/// Defines a case. `name` is an identifier, unique among all cases; it begins with the id from CLAIMS.md where there is one.
/// `sentence` says what holds.
#define TEST(name, sentence) CTESTS_DEFINE(name, sentence, false)

/// Defines a program that is no test by itself but is run by one: under a debugger, or to fail on purpose. Not in the list.
#define SCENARIO(name, sentence) CTESTS_DEFINE(name, sentence, true)

#define CTESTS_DEFINE(name, sentence, hidden)                                       \
    static void test_##name(void);                                                  \
    __attribute__((constructor)) static void test_##name##_register(void) {         \
        static const CTest test = {#name, sentence, test_##name, hidden};           \
        CTestsRegister(&test);                                                      \
    }                                                                               \
    static void test_##name(void)

// MARK: - Checks (Checks.c). Each ends the case when it does not hold.

/// Fails always.
#define FAIL(...) CTestsFail(__FILE__, __LINE__, __VA_ARGS__)

/// Ends the case: it cannot hold here, and the reason is shown. It counts as passed.
#define SKIP(...) CTestsSkip(__VA_ARGS__)

/// `cond` holds.
#define CHECK(cond)                                                                 \
    do {                                                                            \
        if (!(cond)) CTestsFail(__FILE__, __LINE__, "CHECK(%s): it does not hold", #cond); \
    } while (0)

/// Two integers (converted to long long), strings (either may be NULL), pointers.
#define CHECK_EQ_INT(actual, expected) CTESTS_CHECK(Int, #actual " == " #expected, actual, "==", expected)
#define CHECK_LE(actual, limit) CTESTS_CHECK(Int, #actual " <= " #limit, actual, "<=", limit)
#define CHECK_GE(actual, limit) CTESTS_CHECK(Int, #actual " >= " #limit, actual, ">=", limit)
#define CHECK_EQ_STR(actual, expected) CTESTS_CHECK(String, #actual " == " #expected, actual, "==", expected)
#define CHECK_EQ_PTR(actual, expected) CTESTS_CHECK(Pointer, #actual " == " #expected, actual, "==", expected)

/// Two doubles no further apart than `eps`. A NaN equals nothing.
#define CHECK_EQ_DOUBLE(actual, expected, eps)                                      \
    CTestsCheckDouble(__FILE__, __LINE__, #actual " == " #expected, actual, expected, eps)

#define CTESTS_CHECK(type, what, actual, relation, expected)                        \
    CTestsCheck##type(__FILE__, __LINE__, what, actual, relation, expected)

/// The block of statements, run in a child of fork, ends the child by SIGABRT, and `part` stands in what it wrote to stderr.
///
/// A child of fork may not use a run loop that its parent has used: keep this ahead of anything in the case that makes one.
#define CHECK_HALTS(part, ...)                                                      \
    do {                                                                            \
        CTestsChild child_ = CTestsFork();                                          \
        if (child_.pid == 0) {                                                      \
            __VA_ARGS__;                                                            \
            CTestsChildSurvived();                                                  \
        }                                                                           \
        CTestsCheckHalted(__FILE__, __LINE__, part, child_);                        \
    } while (0)

// MARK: - The event log (Checks.c)

/// Appends one event to the log: a printf format and its arguments. Any thread.
#define LOG(...) CTestsLog(__VA_ARGS__)

/// Empties the log.
#define LOG_EVENT_CLEAR() CTestsLogClear()

/// The whole log is `expected`, its events parted by newlines. A difference is shown line by line.
#define CHECK_LOG(expected) CTestsCheckLog(__FILE__, __LINE__, expected)

/// The log as one string, its events parted by newlines. The caller frees it.
char *LogCopy(void);

// MARK: - Looking around (Checks.c)

/// Waits, looking every millisecond, until `cond` holds or `seconds` (scaled, see TimeScale) have passed. Its value says which.
#define WAIT_UNTIL(cond, seconds)                                                   \
    ({                                                                              \
        double deadline_ = SecondsNow() + (seconds) * TimeScale();                  \
        bool met_;                                                                  \
        while (!(met_ = (cond)) && SecondsNow() < deadline_) CTestsNap();           \
        CTestsAnswer(met_);                                                         \
    })

/// Whether `cond` holds all the time for `milliseconds`, looking every millisecond: for what must not happen. No event tells that, so a
/// test gives it some time; on a slow machine a fault may be missed, but nothing that is right fails. What is to happen, WAIT_UNTIL waits for.
#define STAYS_FOR(cond, milliseconds)                                               \
    ({                                                                              \
        bool stays_ = (cond);                                                       \
        for (int left_ = (milliseconds); stays_ && left_ > 0; left_--) {            \
            CTestsNap();                                                            \
            stays_ = (cond);                                                        \
        }                                                                           \
        CTestsAnswer(stays_);                                                       \
    })

/// Seconds on the monotonic clock.
double SecondsNow(void);

/// How much longer than usual things may take here: CTESTS_TIME_SCALE, 1 unless set. Upper limits on time are multiplied by it.
double TimeScale(void);

/// The number of descriptors that this process has open.
int OpenDescriptorCount(void);

/// The number of threads in this process. A sanitizer may have one of its own: compare before and after.
int ThreadCount(void);

/// Whether this is a build with ThreadSanitizer. That one takes its own data of an ending thread away before the last round of
/// pthread's destructors: no code built with it may run in that round.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER 1
#endif
#endif
#if !defined(UNDER_THREAD_SANITIZER)
#define UNDER_THREAD_SANITIZER 0
#endif

// MARK: - Behind the macros

typedef struct CTestsChild {
    pid_t pid;  // 0 in the child itself
    int output; // a file with what it wrote to stderr
} CTestsChild;

/// What a process exits with whose case was skipped.
enum { CTestsStatusSkipped = 77 };

void CTestsFail(const char *file, int line, const char *format, ...) __attribute__((noreturn, cold, format(printf, 3, 4)));
void CTestsSkip(const char *format, ...) __attribute__((noreturn, cold, format(printf, 1, 2)));
void CTestsCheckInt(const char *file, int line, const char *what, long long actual, const char *relation, long long expected);
void CTestsCheckString(const char *file, int line, const char *what, const char *actual, const char *relation,
                       const char *expected);
void CTestsCheckPointer(const char *file, int line, const char *what, const void *actual, const char *relation,
                        const void *expected);
void CTestsCheckDouble(const char *file, int line, const char *what, double actual, double expected, double eps);
CTestsChild CTestsFork(void);
CTestsChild CTestsForkBy(pid_t (*makeChild)(void)); // fork, or another call like it
void CTestsChildSurvived(void) __attribute__((noreturn));
void CTestsCheckHalted(const char *file, int line, const char *part, CTestsChild child);
void CTestsLog(const char *format, ...) __attribute__((format(printf, 1, 2)));
void CTestsLogClear(void);
void CTestsCheckLog(const char *file, int line, const char *expected);
void CTestsNap(void);
static inline bool CTestsAnswer(bool met) { return met; } // a call may be ignored without a warning, a bare value may not

/// Runs this program with `arguments` in a shell, after `environment`. Returns everything that it wrote, which the caller frees, and stores
/// its exit status, or 128 and the number of the signal that ended it.
char *RunCTests(const char *environment, const char *arguments, int *status);

/// Everything in the file `fd` from its start, as a string that the caller frees (main.c uses it too).
char *CTestsReadAll(int fd);

#endif
