/// Stage.h: where a program is performed: one run loop's table, and a log. Every thread of a performance stands on its stage, so
/// that several can go on at the same time in one process.
#if !defined(STAGE_H)
#define STAGE_H 1

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <CFRunLoopTable.h>
#include <pthread.h>

/// The two run loops.
typedef enum { original, ours, sideCount } Side;

/// Lines of text, added to by any thread.
typedef struct {
    pthread_mutex_t lock;
    char *text;
    size_t length, capacity;
    int copyTo; // a descriptor that gets every line as well, at once; -1: none
} Log;

typedef struct Stage {
    const CFRunLoopTable *table;
    Side side;
    char title[64]; // of what is performed, for words about it
    Log log;
} Stage;

/// The calling thread's stage; NULL on a thread that belongs to no performance.
extern _Thread_local Stage *stage;
/// How many callbacks the calling thread is inside of.
extern _Thread_local int stageDepth;

const char *sideName(Side side);
/// The table of a side; NULL if the original is not there.
const CFRunLoopTable *sideTable(Side side);

/// Makes a stage; the caller frees it with stageFree.
Stage *stageMake(Side side, const char *title);
void stageFree(Stage *stage);
/// Takes the log's text out of the stage: the caller frees it.
char *stageTakeLog(Stage *stage);

/// Adds a line to the log of the calling thread's stage, indented by stageDepth.
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/// Adds a line to a log. The text of an empty log is "".
void logAdd(Log *log, int depth, const char *line);

/// A string of the table in use: the same one for the same text, for good.
CFStringRef stageString(const char *text);

/// Starts a thread on the calling thread's stage, or on `where`. The block is copied. The caller joins it.
pthread_t stageStartThread(void (^body)(void));
pthread_t stageStartThreadOn(Stage *where, void (^body)(void));

/// Ends the process with words when a stage has been in use for longer than `seconds`, or when the process crashes: what was being
/// performed, on which side, and the log so far. To be called once, before any stage is made.
void stageWatchOverAll(int seconds);

#endif
