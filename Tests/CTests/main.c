/// main.c: the program CTests: lists the cases and runs them, each in a process of its own.
///
/// SwiftPM on Linux builds no test target in C, so this is an ordinary executable. Under `swift test`, each case is a test of XCTest, which
/// runs this program (Tests/SwiftTests/CTest.swift); you can do the same with `.build/debug/CTests run NAME`.
///
/// The process of a case executes this program again instead of only forking it. So the case starts fresh: it inherits no locks and no
/// thread-specific data from this process.
#include "CTests.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "CTests list              every case: its name, a tab, a sentence\n"
    "CTests run [NAME...]     runs these cases, or all, each in a process of its own; says which passed\n"
    "CTests case NAME         runs one case in this very process, as a debugger wants it\n"
    "CTests scenario [NAME]   lists the scenarios (programs that tests run), or runs one in this very process\n"
    "\n"
    "CTESTS_TIME_LIMIT=SECONDS  how long a case may take (60)\n"
    "CTESTS_TIME_SCALE=FACTOR   how much longer everything may take here, under a sanitizer for example (1)\n";

enum { statusFailed = 1, statusUsage = 2 };

// MARK: - The cases

static const CTest **tests;
static int testCount;
const CTest *CTestsRunning;

/// Keeps `tests` sorted by name. Aborts if two cases have the same name, before any case runs.
void CTestsRegister(const CTest *test) {
    tests = realloc(tests, sizeof(*tests) * (size_t)(testCount + 1));
    int place = testCount;
    while (place > 0 && strcmp(tests[place - 1]->name, test->name) > 0) place--;
    if (place > 0 && strcmp(tests[place - 1]->name, test->name) == 0) {
        fprintf(stderr, "CTests: two cases are named %s\n", test->name);
        exit(statusUsage);
    }
    memmove(tests + place + 1, tests + place, sizeof(*tests) * (size_t)(testCount - place));
    tests[place] = test;
    testCount++;
}

static void listTests(bool hidden) {
    for (int i = 0; i < testCount; i++) {
        if (tests[i]->hidden == hidden) printf("%s\t%s\n", tests[i]->name, tests[i]->sentence);
    }
}

// MARK: - Unknown words

/// Says that there is no `kind` named `word`, and which command lists them, and ends the program.
static void __attribute__((noreturn)) unknown(const char *kind, const char *word) {
    const char *list = strcmp(kind, "case") == 0 ? "list" : strcmp(kind, "scenario") == 0 ? "scenario" : "--help";
    fprintf(stderr, "CTests: there is no %s \"%s\"; CTests %s has them\n", kind, word, list);
    exit(statusUsage);
}

static const CTest *testNamed(const char *kind, const char *name) {
    for (int i = 0; i < testCount; i++) {
        if (strcmp(tests[i]->name, name) == 0) return tests[i];
    }
    unknown(name[0] == '-' ? "option" : kind, name);
}

// MARK: - The process of a case

/// The value of the environment variable, a positive number, or `otherwise` if it is not set.
static double numberFromEnvironment(const char *variable, double otherwise) {
    const char *text = getenv(variable);
    if (!text) return otherwise;
    char *end;
    double number = strtod(text, &end);
    if (end != text && *end == 0 && number > 0) return number;
    fprintf(stderr, "CTests: %s is \"%s\"; it must be a positive number\n", variable, text);
    exit(statusUsage);
}

/// Runs the case on the calling thread, the process's main thread. stdout is line-buffered, so that its lines and those of stderr keep
/// their order.
static int runHere(const CTest *test) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    CTestsRunning = test;
    test->body();
    return 0;
}

/// In the child: executes this program again for one case. The case gets no input, writes no core file, dies with its runner, and begins
/// with no signal blocked.
static void __attribute__((noreturn)) becomeCase(const CTest *test, int output) {
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execl("/proc/self/exe", "CTests", "case", test->name, NULL);
    dprintf(STDERR_FILENO, "CTests: cannot start itself: %m\n");
    _exit(statusUsage);
}

/// Waits until `deadline` for the child to end, and returns whether it has. The child is not reaped yet.
static bool waitUntilEnded(pid_t child, double deadline) {
    sigset_t childEnded;
    sigemptyset(&childEnded);
    sigaddset(&childEnded, SIGCHLD); // blocked since main, so none is missed
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == child) return true;
        double left = deadline - SecondsNow();
        if (left <= 0) return false;
        struct timespec limit = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        sigtimedwait(&childEnded, NULL, &limit);
    }
}

/// Appends one line for each thread of a hanging case: its state, and the kernel function in which it waits.
static void describeThreads(pid_t child, FILE *output) {
    char path[300], name[64] = "", state[256] = "", place[128] = "";
    snprintf(path, sizeof path, "/proc/%d/task", child);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", child, entry->d_name);
        FILE *file = fopen(path, "re");
        if (!file) continue;
        if (fscanf(file, "%*d (%63[^)]) %1s", name, state) != 2) strcpy(state, "?");
        fclose(file);
        snprintf(path, sizeof path, "/proc/%d/task/%s/wchan", child, entry->d_name);
        file = fopen(path, "re");
        if (!file || fscanf(file, "%127s", place) != 1) strcpy(place, "?");
        if (file) fclose(file);
        fprintf(output, "thread %s (%s): state %s, waits in %s\n", entry->d_name, name, state, place);
    }
    if (threads) closedir(threads);
}

/// The message for a case that skipped itself, which is no failure.
static const char skipped[] = "skipped";

/// Describes how the case ended; empty if it passed.
static void describeEnd(int status, char *words, size_t size) {
    words[0] = 0;
    if (WIFSIGNALED(status)) {
        snprintf(words, size, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) == CTestsStatusSkipped) {
        strcpy(words, skipped);
    } else if (WEXITSTATUS(status) != 0) {
        snprintf(words, size, "exited with status %d", WEXITSTATUS(status));
    }
}

/// Runs the case in its own process group and describes in `words` how it ended; empty if it passed. Afterwards, ends all processes that
/// are left in the group.
static void runApart(const CTest *test, int output, char *words, size_t size) {
    double limit = numberFromEnvironment("CTESTS_TIME_LIMIT", 60) * numberFromEnvironment("CTESTS_TIME_SCALE", 1);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        snprintf(words, size, "not run: %s", strerror(errno));
        return;
    }
    if (child == 0) becomeCase(test, output);
    setpgid(child, child); // parent and child both do this, because either may be first
    bool ended = waitUntilEnded(child, SecondsNow() + limit);
    if (!ended) {
        FILE *file = fdopen(dup(output), "a");
        describeThreads(child, file);
        fclose(file);
    }
    int status = 0;
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
    if (ended) describeEnd(status, words, size);
    else snprintf(words, size, "hangs; ended after its time limit of %g s", limit);
}

static void printIndented(char *text) {
    for (char *line; (line = strsep(&text, "\n"));) {
        if (*line || text) printf("      | %s\n", line);
    }
}

static bool runAndReport(const CTest *test) {
    char words[200];
    double start = SecondsNow();
    int output = memfd_create("output of the case", MFD_CLOEXEC);
    runApart(test, output, words, sizeof words);
    bool isQuiet = !words[0], passed = isQuiet || strcmp(words, skipped) == 0;
    const char *verdict = isQuiet ? "ok  " : passed ? "skip" : "FAIL";
    printf("%s  %s (%.3f s)%s%s\n", verdict, test->name, SecondsNow() - start, isQuiet ? "" : ": ", words);
    if (!isQuiet) {
        char *text = CTestsReadAll(output);
        printIndented(text);
        free(text);
    }
    fflush(stdout);
    close(output);
    return passed;
}

// MARK: - Commands

/// Looks all names up before any case runs, so that a typo in the last one is reported at once.
static int runTests(char **names, int count) {
    const CTest *chosen[count + testCount + 1];
    int chosenCount = 0, passed = 0;
    for (int i = 0; i < count; i++) chosen[chosenCount++] = testNamed("case", names[i]);
    for (int i = 0; count == 0 && i < testCount; i++) {
        if (!tests[i]->hidden) chosen[chosenCount++] = tests[i];
    }
    for (int i = 0; i < chosenCount; i++) passed += runAndReport(chosen[i]);
    printf("%d passed, %d failed\n", passed, chosenCount - passed);
    return passed == chosenCount ? 0 : statusFailed;
}

static void blockChildSignal(void) {
    sigset_t childEnded;
    sigemptyset(&childEnded);
    sigaddset(&childEnded, SIGCHLD);
    signal(SIGCHLD, SIG_DFL); // if the parent process left it ignored, waitpid would find no children
    sigprocmask(SIG_BLOCK, &childEnded, NULL);
}

static int showUsage(FILE *file, int status) {
    fputs(usage, file);
    return status;
}

int main(int argc, char **argv) {
    static const char *commands[] = {"list", "run", "case", "scenario", "--help"};
    const char *command = argc > 1 ? argv[1] : "";
    if (argc < 2) return showUsage(stderr, statusUsage);
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) return showUsage(stdout, 0);
    bool scenario = strcmp(command, "scenario") == 0;
    if (argc == 3 && (scenario || strcmp(command, "case") == 0)) return runHere(testNamed(command, argv[2]));
    if (strcmp(command, "run") == 0) {
        blockChildSignal();
        return runTests(argv + 2, argc - 2);
    }
    if (argc == 2 && (scenario || strcmp(command, "list") == 0)) {
        listTests(scenario);
        return 0;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(command, commands[i]) == 0) return showUsage(stderr, statusUsage);
    }
    unknown(command[0] == '-' ? "option" : "command", command);
}
