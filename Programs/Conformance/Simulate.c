/// Simulate.c: random programs by the million on the simulated kernel. A process of ours performs thousands of them, because each simulation begins
/// with a process of its own. If one fails, or ends abnormally, the parent shrinks it, each attempt in another process, and goes on behind it.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "Simulate.h"
#include "Simulated.h"
#include "Threads.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    modelled = 64,         // one seed in so many makes programs for the model
    patience = 20,         // seconds until a program counts as endless
    shortPatience = 2,     // the same for one that is to be shorter
    batch = 512,           // programs between two looks at the clock
    mostFailures = 3, mostProcesses = 64,
};

/// The seed that decides who goes first; 0, each thread runs until it waits, for one program in four.
static uint64_t order(uint64_t seed) { return seed % 4 ? seed : 0; }

// MARK: - One seed

/// Performs what a seed makes. Returns how many programs that were, or -1 if one has failed.
static int perform(uint64_t seed) {
    static LoopProgram program;
    if (seed % modelled == 0) return simulateModelled(seed / modelled);
    threadsMake(&program, seed);
    return simulateThreads(&program, order(seed)) ? -1 : 1;
}

// MARK: - Shrinking

static const char endless[] = "does not end\n";

/// Returns how a program fails with an order of its threads, in a process of its own that gets so many seconds, and NULL if it does not. The
/// caller frees the words.
static char *failure(const LoopProgram *program, uint64_t order, unsigned seconds) {
    enum { mostWords = 1 << 16 };
    char *words = mmap(NULL, mostWords, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), *result = NULL;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        alarm(seconds);
        char *problem = simulateThreads(program, order);
        if (problem) snprintf(words, mostWords, "%s", problem);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        if (asprintf(&result, WTERMSIG(status) == SIGALRM ? endless : "ends by the signal %d\n", WTERMSIG(status)) < 0) abort();
    } else if (words[0]) result = strdup(words);
    munmap(words, mostWords);
    return result;
}

/// Removes `count` actions from `first` on, and what belongs to the last of them: a wake-up, or the invalidation behind a close. Returns false if none was left to remove.
static bool removeActions(LoopProgram *program, int first, int count) {
    int end = first + count;
    if (first >= program->actionCount) return false;
    while (end < program->actionCount && program->actions[end].place == program->actions[end - 1].place
           && (program->actions[end].verb == doWake || program->actions[end - 1].verb == doClose)) end++;
    if (end > program->actionCount) end = program->actionCount;
    memmove(&program->actions[first], &program->actions[end], (size_t)(program->actionCount - end) * sizeof program->actions[0]);
    program->actionCount -= end - first;
    return true;
}

/// Makes a program what its text is read as: without the items and threads that nothing is about, and the places without actions.
static bool readAgain(LoopProgram *program) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    loopProgramWrite(out, program);
    fclose(out);
    bool isRead = loopProgramRead(program, text);
    free(text);
    return isRead;
}

/// A program that fails, and the order of its threads.
struct Failing {
    LoopProgram program;
    uint64_t order;
    bool isEndless; // if not, an endless program fails in another way
};

static bool failsAsWell(const struct Failing *failing, const LoopProgram *program, uint64_t order) {
    char *words = failure(program, order, shortPatience);
    bool fails = words && (strcmp(words, endless) == 0) == failing->isEndless;
    free(words);
    return fails;
}

/// Takes a program instead if it fails as well, with the same order or without one.
static bool takeIfItFails(struct Failing *failing, LoopProgram *shorter) {
    if (!readAgain(shorter)) return false;
    for (int i = 0; i < 2; i++) {
        uint64_t order = i ? 0 : failing->order;
        if ((i && !failing->order) || !failsAsWell(failing, shorter, order)) continue;
        failing->program = *shorter;
        failing->order = order;
        return true;
    }
    return false;
}

/// Takes the smallest order with which the program fails.
static void simplifyOrder(struct Failing *failing) {
    enum { most = 100 };
    for (uint64_t order = 0; order < most && order < failing->order; order++)
        if (failsAsWell(failing, &failing->program, order)) failing->order = order;
}

/// Leaves out actions as long as the program still fails.
static void leaveOut(struct Failing *failing) {
    static LoopProgram shorter;
    for (int size = failing->program.actionCount > 1 ? failing->program.actionCount / 2 : 1; size >= 1;) {
        bool any = false;
        for (int first = 0; shorter = failing->program, removeActions(&shorter, first, size);) {
            if (takeIfItFails(failing, &shorter)) any = true;
            else first += size;
        }
        if (size > 1) size /= 2;
        else if (!any) break;
    }
}

static void report(uint64_t seed) {
    static struct Failing failing;
    printf("FAILED  seed %llu", (unsigned long long)seed);
    if (seed % modelled == 0) {
        printf(", a program for the model\n");
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(patience);
            simulateReport(seed / modelled);
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        return;
    }
    threadsMake(&failing.program, seed);
    failing.order = order(seed);
    char *words = failure(&failing.program, failing.order, patience);
    failing.isEndless = words && strcmp(words, endless) == 0;
    if (words) leaveOut(&failing);
    if (words) simplifyOrder(&failing);
    free(words);
    words = failure(&failing.program, failing.order, patience);
    printf(". With RunLoopLab play --seed %llu:\n\n", (unsigned long long)failing.order);
    loopProgramWrite(stdout, &failing.program);
    printf("\n%s", words ? words : "It fails only behind other programs in the same process.\n");
    fflush(stdout);
    free(words);
}

void simulatePrint(uint64_t seed) {
    static LoopProgram program;
    threadsMake(&program, seed);
    printf("# RunLoopLab play --seed %llu\n", (unsigned long long)order(seed));
    loopProgramWrite(stdout, &program);
}

// MARK: - Many seeds

/// What a process tells its parent: it performs the seed `next`; or has ended, and `next` is behind its last one.
struct Worker {
    pid_t process;
    uint64_t next;
    long programs;
};

static void work(struct Worker *worker, uint64_t to, uint64_t step) {
    for (long done = 0; worker->next <= to; worker->next += step, done++) {
        if (done % batch == 0) alarm(patience);
        int programs = perform(worker->next);
        if (programs < 0) _exit(1);
        worker->programs += programs;
    }
    _exit(0);
}

static volatile sig_atomic_t isStopped; // Ctrl-C, or the end of the time that `timeout` gives

static void stop(int number) {
    (void)number;
    isStopped = 1;
}

static void start(struct Worker *worker, uint64_t to, uint64_t step) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGINT, SIG_IGN); // the parent's
        signal(SIGTERM, SIG_DFL);
        work(worker, to, step);
    }
    worker->process = child;
}

long simulate(uint64_t from, uint64_t to) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN), count = processors < mostProcesses ? processors : mostProcesses, failures = 0, programs = 0;
    struct Worker *workers = mmap(NULL, mostProcesses * sizeof *workers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (long i = 0; i < count; i++) {
        workers[i].next = from + (uint64_t)i;
        start(&workers[i], to, (uint64_t)count);
    }
    sigaction(SIGINT, &(struct sigaction){.sa_handler = stop}, NULL); // without SA_RESTART: it ends `wait`
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
    for (long running = count; running > 0;) {
        int status;
        pid_t ended = isStopped ? -1 : wait(&status);
        if (ended < 0 && isStopped) break;
        if (ended < 0) continue;
        struct Worker *worker = workers;
        while (worker->process != ended) worker++;
        worker->process = 0;
        running--;
        if (status == 0) continue;
        if (++failures <= mostFailures) report(worker->next);
        if (failures > mostFailures) {
            worker->next = to + 1;
            continue;
        }
        worker->next += (uint64_t)count;
        start(worker, to, (uint64_t)count);
        running++;
    }
    uint64_t behind = to + 1; // the first seed that has not been performed, if the command was stopped
    for (long i = 0; isStopped && i < count; i++) {
        if (workers[i].process) kill(workers[i].process, SIGKILL);
        if (workers[i].next < behind) behind = workers[i].next;
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    for (long i = 0; i < count; i++) programs += workers[i].programs;
    double seconds = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    printf("programs on the simulated kernel: %ld as they should be, %ld not; %.0f s, %.0f in a minute\n", programs, failures, seconds,
           (double)programs / seconds * 60);
    if (isStopped) printf("stopped at seed %llu\n", (unsigned long long)behind);
    munmap(workers, mostProcesses * sizeof *workers);
    return failures;
}
