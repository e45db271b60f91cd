/// ManyRows.c: 10,000 threads, each with a sleeping loop: the cost of starting and of ending one, and what they hold meanwhile.
#include "Ends.h"
#include "Rows.h"
#include <sys/mman.h>
#include <time.h>

enum { started, ended, memory, descriptors, measures };

static bool stop(End *end) { return false; }

/// The process's memory that is resident, including stacks.
static double residentBytes(const Bench *bench) {
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0, residentPages = 0;
    if (!file || fscanf(file, "%ld %ld", &pages, &residentPages) != 2) BenchFail(bench, "/proc/self/statm cannot be read");
    fclose(file);
    return (double)residentPages * (double)sysconf(_SC_PAGESIZE);
}

/// What a process with the threads shares with its parent. Each has its own, because the parent lets them end one after another.
typedef struct {
    sem_t hasStarted, mayEnd;
} Gate;

/// Starts `count` threads one after another; they fall asleep. When all processes have done so, stops and joins them.
static void startAndEnd(Bench *bench, long count, Gate *gate, double *costs) {
    BenchAllowDescriptors(bench, count * EndDescriptorCount(bench));
    EndThread *threads = calloc((size_t)count, sizeof(EndThread));
    for (long i = 0; i < count; i++) threads[i].end = (End){.bench = bench, .arrived = stop};

    double memoryBefore = residentBytes(bench), descriptorsBefore = BenchOpenDescriptorCount(), before = BenchProcessTime();
    for (long i = 0; i < count; i++) EndThreadStart(&threads[i]);
    usleep(100000); // waits until the last of them sleep
    costs[started] = (BenchProcessTime() - before) / (double)count;
    costs[memory] = (residentBytes(bench) - memoryBefore) / (double)count;
    costs[descriptors] = (BenchOpenDescriptorCount() - descriptorsBefore) / (double)count;
    sem_post(&gate->hasStarted);
    sem_wait(&gate->mayEnd);

    before = BenchProcessTime();
    for (long i = 0; i < count; i++) EndSend(&threads[i].end);
    for (long i = 0; i < count; i++) pthread_join(threads[i].thread, NULL);
    costs[ended] = (BenchProcessTime() - before) / (double)count;
    long left = (long)(BenchOpenDescriptorCount() - descriptorsBefore);
    if (left > 100) BenchFail(bench, "%ld descriptors are left open", left); // libraries keep a few open
}

/// Uses children, so that no side finds memory that another side has freed; as many as the limit of descriptors requires.
static void manyLoops(Bench *bench, double *costs) {
    enum { mostProcesses = 100 };
    double *shared[mostProcesses];
    int children[mostProcesses];
    long processes = 1 + bench->size * EndDescriptorCount(bench) / (BenchMostDescriptors() - 100);
    if (processes > mostProcesses) BenchFail(bench, "the system allows %ld descriptors a process: see ulimit -Hn", BenchMostDescriptors());
    Gate *gates = mmap(NULL, mostProcesses * sizeof(*gates), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (gates == MAP_FAILED) BenchFail(bench, "no memory: %m");
    for (int i = 0; i < processes; i++) {
        Gate *gate = &gates[i];
        sem_init(&gate->hasStarted, 1, 0);
        sem_init(&gate->mayEnd, 1, 0);
        double *costsOfChild = shared[i] = BenchSharedCosts();
        close(BenchStartChild(^(int output) { startAndEnd(bench, bench->size / processes, gate, costsOfChild); }, &children[i]));
        struct timespec limit;
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += 100;
        if (sem_timedwait(&gate->hasStarted, &limit)) BenchFail(bench, "a process does not start its threads");
    }
    for (int row = 0; row < measures; row++) costs[row] = 0;
    for (int i = 0; i < processes; i++) {
        sem_post(&gates[i].mayEnd);
        if (BenchWaitForChild(children[i])) BenchFail(bench, "a process with threads has failed");
        double ofChild[BenchMostRows];
        BenchTakeSharedCosts(shared[i], ofChild);
        for (int row = 0; row < measures; row++) costs[row] += ofChild[row] / (double)processes;
    }
    munmap(gates, mostProcesses * sizeof(*gates));
}

const BenchGroup BenchManyLoops = {
    .name = "many", .rowCount = measures, .size = 10000, .processors = 1, .mostOperations = 1, .isCounted = true,
    .rows = {
        {"many-start", "10,000 threads with a loop: start, each (CPU)", BenchSeconds, {}},
        {"many-end", "10,000 threads with a loop: end, each (CPU)", BenchSeconds, {}},
        {"many-memory", "10,000 threads with a loop: memory, each", BenchBytes, {}},
        {"many-descriptors", "10,000 threads with a loop: descriptors, each", BenchDescriptors, {}},
    },
    END_ROWS(NULL, manyLoops),
};
