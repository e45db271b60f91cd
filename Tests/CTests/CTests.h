/// CTests.h: the macros for test cases in C. Include it before any other header.
///
/// A case is a function with a name and a sentence. It runs on the main thread of its own process, so it may crash, hang, leave threads
/// behind or use up the main run loop without affecting the next case. The first check that fails ends the process: it prints file, line
/// and both values, on whichever thread it fails.
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
    bool hidden; // a CHILD, which runs only by name
} CTest;

/// Called before main, once for each TEST and CHILD, and for each program of Programs/Cases (Programs.c).
void CTestsRegister(const CTest *test);

/// The case that this process runs.
extern const CTest *CTestsRunning;

/// Defines a case. `name` is an identifier, unique among all cases; it begins with the id of the claim that the case tests, if there is
/// one. `sentence` says what the case shows.
#define TEST(name, sentence) CTESTS_DEFINE(name, sentence, false)

/// Defines a program that is not a test itself but that a test runs: in a debugger, or to make it fail on purpose. It is not in the list.
#define CHILD(name, sentence) CTESTS_DEFINE(name, sentence, true)

#define CTESTS_DEFINE(name, sentence, hidden)                                       \
    static void test_##name(void);                                                  \
    __attribute__((constructor)) static void test_##name##_register(void) {         \
        static const CTest test = {#name, sentence, test_##name, hidden};           \
        CTestsRegister(&test);                                                      \
    }                                                                               \
    static void test_##name(void)

// MARK: - Checks (Checks.c). Each ends the case if it fails.

/// Always fails.
#define FAIL(...) CTestsFail(__FILE__, __LINE__, __VA_ARGS__)

/// Ends the case because it cannot run here, and prints the reason. The case counts as passed.
#define SKIP(...) CTestsSkip(__VA_ARGS__)

/// Checks that `cond` is true.
#define CHECK(cond)                                                                 \
    do {                                                                            \
        if (!(cond)) CTestsFail(__FILE__, __LINE__, "CHECK(%s): it does not hold", #cond); \
    } while (0)

/// Checks two integers (converted to long long), two strings (either may be NULL) or two pointers.
#define CHECK_EQ_INT(actual, expected) CTESTS_CHECK(Int, #actual " == " #expected, actual, "==", expected)
#define CHECK_LE(actual, limit) CTESTS_CHECK(Int, #actual " <= " #limit, actual, "<=", limit)
#define CHECK_GE(actual, limit) CTESTS_CHECK(Int, #actual " >= " #limit, actual, ">=", limit)
#define CHECK_EQ_STR(actual, expected) CTESTS_CHECK(String, #actual " == " #expected, actual, "==", expected)
#define CHECK_EQ_PTR(actual, expected) CTESTS_CHECK(Pointer, #actual " == " #expected, actual, "==", expected)

/// Checks that two doubles differ by at most `eps`. A NaN equals nothing.
#define CHECK_EQ_DOUBLE(actual, expected, eps)                                      \
    CTestsCheckDouble(__FILE__, __LINE__, #actual " == " #expected, actual, expected, eps)

#define CTESTS_CHECK(type, what, actual, relation, expected)                        \
    CTestsCheck##type(__FILE__, __LINE__, what, actual, relation, expected)

/// Runs the block of statements in a child of fork. Checks that SIGABRT ends the child, and that `part` is in what the child wrote to
/// stderr.
///
/// A child of fork may not use a run loop that its parent has used, so put this check before the first run loop of the case.
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

/// Checks that the whole log is `expected`, with a newline between two events. Prints a difference line by line.
#define CHECK_LOG(expected) CTestsCheckLog(__FILE__, __LINE__, expected)

/// Returns the log as one string, with a newline between two events. The caller frees it.
char *LogCopy(void);

// MARK: - Descriptors and threads of the process (Checks.c)

/// Waits until `cond` is true or `seconds` (scaled, see TimeScale) have passed, and looks every millisecond. Its value is whether `cond`
/// became true.
#define WAIT_UNTIL(cond, seconds)                                                   \
    ({                                                                              \
        double deadline_ = SecondsNow() + (seconds) * TimeScale();                  \
        bool met_;                                                                  \
        while (!(met_ = (cond)) && SecondsNow() < deadline_) CTestsNap();           \
        CTestsAnswer(met_);                                                         \
    })

/// Whether `cond` stays true for `milliseconds`; looks every millisecond. Use it for what must not happen. No event announces that, so the
/// test waits for some time. A slow machine may miss a fault, but it never fails a correct program. For what must happen, use WAIT_UNTIL.
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

/// By how much longer things may take here than usual: CTESTS_TIME_SCALE, 1 unless set. Multiply upper limits on time by it.
double TimeScale(void);

/// The number of descriptors that this process has open.
int OpenDescriptorCount(void);

/// The number of threads in this process. A sanitizer may run its own thread, so compare before and after.
int ThreadCount(void);

/// Whether this is a build with ThreadSanitizer, which removes its own data of an ending thread before pthread's last round of destructors.
/// No instrumented code may run in that round.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER 1
#endif
#endif
#if !defined(UNDER_THREAD_SANITIZER)
#define UNDER_THREAD_SANITIZER 0
#endif

/// Whether this is a build with AddressSanitizer.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(UNDER_ADDRESS_SANITIZER)
#define UNDER_ADDRESS_SANITIZER 0
#endif

// MARK: - Behind the macros

typedef struct CTestsChild {
    pid_t pid;  // 0 in the child itself
    int output; // a file with what it wrote to stderr
} CTestsChild;

/// The exit status of a process whose case was skipped.
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
void CTestsChildSurvived(void) __attribute__((noreturn));
/// Returns what the child wrote; valid until the next call.
const char *CTestsCheckHalted(const char *file, int line, const char *part, CTestsChild child);
void CTestsLog(const char *format, ...) __attribute__((format(printf, 1, 2)));
void CTestsLogClear(void);
void CTestsCheckLog(const char *file, int line, const char *expected);
void CTestsNap(void);
static inline bool CTestsAnswer(bool met) { return met; } // the compiler warns about an unused value, but not about an unused result of a call

/// Runs this program with `arguments` in a shell, after `environment`. Returns everything that it wrote, which the caller frees. Stores its
/// exit status or, if a signal ended it, 128 plus the signal's number.
char *RunCTests(const char *environment, const char *arguments, int *status);

/// Waits for the child's end. Returns its status of waitpid, and what it wrote to stderr, which the caller frees.
int CTestsEndOf(CTestsChild child, char **output);

/// The status of a child of fork at its end.
int StatusOf(pid_t child);

/// Runs `body` in a child of fork. Returns what it wrote to the file that it was given, which the caller frees, and stores its status.
char *FileOfChild(int *status, void (^body)(int file));

/// Returns the contents of the file `fd` from its start, as a string that the caller frees (main.c uses it, too).
char *CTestsReadAll(int fd);

#endif
