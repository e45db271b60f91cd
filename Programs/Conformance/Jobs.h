/// Jobs.h: many jobs that mostly wait, done a few at a time.
#if !defined(JOBS_H)
#define JOBS_H 1

/// Calls `job` with the numbers from 0 to `count` - 1, up to `workers` of them at a time, each on its own thread. Returns when all are
/// done.
void doJobs(long count, int workers, void (^job)(long number));

#endif
