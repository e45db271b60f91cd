/// Stage.h: a stage is where a program is performed: one run loop's table, and a log. Every thread of a performance is on its stage, so
/// that several performances can run at the same time in one process.
#if !defined(STAGE_H)
#define STAGE_H 1

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <CFRunLoopTable.h>
#include <pthread.h>

/// The two run loops.
typedef enum { original, ours, sideCount } Side;

/// Lines of text, to which any thread may add.
typedef struct {
    pthread_mutex_t lock;
    char *text;
    size_t length, capacity;
    int copyTo; // a descriptor to which every line is written at once, too; -1 for none
} Log;

typedef struct Stage {
    const CFRunLoopTable *table;
    Side side;
    char title[64]; // the title of the program or scenario, for messages
    Log log;
} Stage;

/// The calling thread's stage; NULL on a thread that belongs to no performance.
extern _Thread_local Stage *stage;
/// The number of callbacks around the current call on this thread.
extern _Thread_local int stageDepth;

const char *sideName(Side side);
/// The table of a side; NULL if the original is not installed.
const CFRunLoopTable *sideTable(Side side);

/// Creates a stage; the caller frees it with stageFree.
Stage *stageMake(Side side, const char *title);
void stageFree(Stage *stage);
/// Moves the log's text out of the stage: the caller frees it.
char *stageTakeLog(Stage *stage);

/// Adds a line to the log of the calling thread's stage, indented by stageDepth.
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/// Adds a line to a log. The text of an empty log is "".
void logAdd(Log *log, int depth, const char *line);

/// The string of the current table with this text: always the same object, which is never released.
CFStringRef stageString(const char *text);

/// Starts a thread on the calling thread's stage, or on `where`. The block is copied. The caller joins the thread.
pthread_t stageStartThread(void (^body)(void));
pthread_t stageStartThreadOn(Stage *where, void (^body)(void));

/// Starts the watchdog: if a stage has been in use for longer than `seconds`, or the process crashes, it ends the process with a message
/// that names the program, the side, and the log so far. Call it once, before any stage is created.
void stageWatchOverAll(int seconds);

#endif
