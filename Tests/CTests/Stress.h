/// Stress.h: counts for the stress tests. Each event is counted where it arrives; in the end as many must have arrived as were sent.
///
/// A case makes a few thousand events, in a second or so. Scripts/stress requests more with CTESTS_EVENTS; then the case prints its
/// progress now and then, and the number of events at the end.
#if !defined(STRESS_H)
#define STRESS_H 1

#include <semaphore.h>

enum { stressThreadCount = 8 };

/// How many events to make: `few`, or the value of CTESTS_EVENTS, rounded up to whole rounds of `round`. `what` names the events, in the
/// plural.
long StressBegin(long few, long round, const char *what);
/// Counts one event. Any thread.
void StressCount(void);
/// Checks that as many events have arrived as were to be made.
void StressEnd(void);

/// Waits for an event. The time limit is so long that only a lost event reaches it.
void Await(sem_t *semaphore, const char *what, long round);
/// Waits for an event, and checks that none has come twice.
void AwaitOne(sem_t *semaphore, const char *what, long round);

/// Eight threads call `body` at the same time, each with its number. Returns when all have ended.
void OnEightThreads(void (^body)(int number));

#endif
