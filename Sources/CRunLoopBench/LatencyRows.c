/// LatencyRows.c: the time from a signal and a wake-up on one thread until a sleeping loop on another thread performs the source. It is
/// measured by the clock, so other programs affect it. In some rows, other loops sleep at the same time.
#include "Ends.h"
#include "Rows.h"

typedef struct {
    EndThread receiver;
    EndThread *others;
    sem_t hasArrived;
    double arrival; // the time when the source was performed; written before hasArrived is posted
    double *samples;
} Latency;

enum { mostSamples = 10000 };

static bool recordArrival(End *end) {
    Latency *l = end->info;
    l->arrival = BenchWallTime();
    sem_post(&l->hasArrived);
    return true;
}

static bool keepWaiting(End *end) { return true; }

static void setUpLatency(Bench *bench) {
    Latency *l = bench->state = calloc(1, sizeof(*l));
    l->samples = calloc(mostSamples, sizeof(double));
    sem_init(&l->hasArrived, 0, 0);
    BenchAllowDescriptors(bench, (bench->size + 1) * EndDescriptorCount(bench));
    l->others = calloc((size_t)bench->size, sizeof(EndThread));
    for (long i = 0; i < bench->size; i++) {
        l->others[i].end = (End){.bench = bench, .arrived = keepWaiting};
        EndThreadStart(&l->others[i]);
    }
    l->receiver.end = (End){.bench = bench, .arrived = recordArrival, .info = l};
    EndThreadStart(&l->receiver);
}

static int compareTimes(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, long count, double part) { return sorted[(long)(part * (double)(count - 1) + 0.5)]; }

/// Gives the receiver time to fall asleep before each signal.
static void measureLatency(Bench *bench, double *costs) {
    Latency *l = bench->state;
    for (long i = 0; i < bench->count; i++) {
        usleep(50);
        double start = BenchWallTime();
        EndSend(&l->receiver.end);
        sem_wait(&l->hasArrived);
        l->samples[i] = l->arrival - start;
    }
    qsort(l->samples, (size_t)bench->count, sizeof(double), compareTimes);
    costs[0] = quantile(l->samples, bench->count, 0.5);
    costs[1] = quantile(l->samples, bench->count, 0.99);
    costs[2] = quantile(l->samples, bench->count, 0.999);
}

#define LATENCY(NAME, WHERE, SIZE, PROCESSORS) { \
    .name = "latency", .rowCount = 3, .size = SIZE, .processors = PROCESSORS, .mostOperations = mostSamples, .leastOperations = 2000, \
    .rows = { \
        {"latency-" NAME, "wake-up to perform, " WHERE ": median (time)", BenchSeconds, {}}, \
        {"latency-" NAME "-99", "wake-up to perform, " WHERE ": 99 % (time)", BenchSeconds, {}}, \
        {"latency-" NAME "-999", "wake-up to perform, " WHERE ": 99.9 % (time)", BenchSeconds, {}}, \
    }, \
    END_ROWS(setUpLatency, measureLatency), \
}
const BenchGroup BenchLatencyOneCore = LATENCY("1-core", "one core", 0, 1);
const BenchGroup BenchLatencyTwoCores = LATENCY("2-cores", "two cores", 0, 2);
const BenchGroup BenchLatencyAmongOneCore = LATENCY("among-1000-1-core", "1,000 loops, one core", 1000, 1);
const BenchGroup BenchLatencyAmongTwoCores = LATENCY("among-1000-2-cores", "1,000 loops, two cores", 1000, 2);
