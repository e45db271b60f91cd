/// Stress.h: counting for the stress tests. An event is counted where it arrives, and at the end as many have arrived as were sent.
///
/// A case makes a few thousand events, in a second or so. Scripts/stress asks for more by CTESTS_EVENTS; then the case says now and then
/// how far it is, and in the end how many there were.
#if !defined(STRESS_H)
#define STRESS_H 1

#include <semaphore.h>

enum { stressThreadCount = 8 };

/// How many events to make: `few`, or what CTESTS_EVENTS says, in whole rounds of `round`. `what` names them, in the plural.
long StressBegin(long few, long round, const char *what);
/// One event has arrived. Any thread.
void StressCount(void);
/// How many have arrived.
long StressCounted(void);
/// Checks that as many have arrived as were to be made.
void StressEnd(void);

/// Waits for what must come; nothing on this machine takes so long but what is lost.
void Await(sem_t *semaphore, const char *what, long round);
/// The same, and nothing has come twice.
void AwaitOne(sem_t *semaphore, const char *what, long round);

/// Has eight threads do `body`, each with its number, at once, and waits for all of them.
void OnEightThreads(void (^body)(int number));

#endif
