/// Stage.c: stages, their logs, and the watchdog, which reports a performance that hangs or crashes, with its log so far.
#include "Stage.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

_Thread_local Stage *stage;
_Thread_local int stageDepth;

const char *sideName(Side side) { return side == original ? "original" : "ours"; }

const CFRunLoopTable *sideTable(Side side) { return side == ours ? CFRunLoopTableOurs() : CFRunLoopTableOriginal(NULL); }

// MARK: - Logs

void logAdd(Log *log, int depth, const char *line) {
    pthread_mutex_lock(&log->lock);
    size_t needed = log->length + (size_t)depth * 2 + strlen(line) + 2;
    if (needed > log->capacity) {
        log->capacity = needed * 2;
        log->text = realloc(log->text, log->capacity);
    }
    int added = sprintf(log->text + log->length, "%*s%s\n", depth * 2, "", line);
    if (log->copyTo >= 0 && write(log->copyTo, log->text + log->length, (size_t)added) < 0) log->copyTo = -1;
    log->length += (size_t)added;
    pthread_mutex_unlock(&log->lock);
}

void say(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    logAdd(&stage->log, stageDepth, line);
}

// MARK: - The stages in use

enum { mostStages = 64 };
static pthread_mutex_t stagesLock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    Stage *stage;
    time_t since;
} inUse[mostStages];

static void setInUse(Stage *from, Stage *to) {
    pthread_mutex_lock(&stagesLock);
    int i = 0;
    while (i < mostStages && inUse[i].stage != from) i++;
    if (i < mostStages) inUse[i].stage = to, inUse[i].since = time(NULL);
    pthread_mutex_unlock(&stagesLock);
}

Stage *stageMake(Side side, const char *title) {
    Stage *made = calloc(1, sizeof *made);
    made->table = sideTable(side);
    made->side = side;
    snprintf(made->title, sizeof made->title, "%s", title);
    pthread_mutex_init(&made->log.lock, NULL);
    made->log.copyTo = -1;
    made->log.text = calloc(1, made->log.capacity = 4096);
    setInUse(NULL, made);
    return made;
}

void stageFree(Stage *stage) {
    setInUse(stage, NULL);
    free(stage->log.text);
    pthread_mutex_destroy(&stage->log.lock);
    free(stage);
}

char *stageTakeLog(Stage *stage) {
    char *text = stage->log.text;
    stage->log.text = NULL;
    return text;
}

// MARK: - Strings

typedef struct Known {
    struct Known *next;
    const CFRunLoopTable *table;
    char *text;
    CFStringRef string;
} Known;

CFStringRef stageString(const char *text) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static Known *all;
    pthread_mutex_lock(&lock);
    Known *known = all;
    while (known && (known->table != stage->table || strcmp(known->text, text))) known = known->next;
    if (!known) {
        known = malloc(sizeof *known);
        *known = (Known){all, stage->table, strdup(text), stage->table->CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8)};
        all = known;
    }
    pthread_mutex_unlock(&lock);
    return known->string;
}

// MARK: - Threads

typedef struct {
    Stage *stage;
    void (^body)(void);
} Start;

static void *threadMain(void *argument) {
    Start start = *(Start *)argument;
    free(argument);
    stage = start.stage;
    start.body();
    _Block_release((const void *)start.body);
    return NULL;
}

pthread_t stageStartThreadOn(Stage *where, void (^body)(void)) {
    Start *start = malloc(sizeof *start);
    *start = (Start){where, (void (^)(void))_Block_copy((const void *)body)};
    pthread_t thread;
    int problem = pthread_create(&thread, NULL, threadMain, start);
    if (problem) {
        fprintf(stderr, "Conformance: no thread: %s\n", strerror(problem));
        abort();
    }
    return thread;
}

pthread_t stageStartThread(void (^body)(void)) { return stageStartThreadOn(stage, body); }

// MARK: - The watch

static void tell(const Stage *about, const char *what) {
    dprintf(STDERR_FILENO, "Conformance: %s %s on the side of %s. Its log:\n%.*s", about->title, what, sideName(about->side),
            (int)about->log.length, about->log.text ? about->log.text : "");
}

static void crashed(int number) {
    char what[64];
    snprintf(what, sizeof what, "crashed (signal %d)", number);
    if (stage) tell(stage, what);
    signal(number, SIG_DFL);
    raise(number);
}

static void *watchAll(void *seconds) {
    for (;;) {
        sleep(1);
        pthread_mutex_lock(&stagesLock);
        for (int i = 0; i < mostStages; i++) {
            if (!inUse[i].stage || time(NULL) - inUse[i].since < (intptr_t)seconds) continue;
            tell(inUse[i].stage, "does not end");
            _exit(3);
        }
        pthread_mutex_unlock(&stagesLock);
    }
}

void stageWatchOverAll(int seconds) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) signal(signals[i], crashed);
    pthread_t thread;
    if (pthread_create(&thread, NULL, watchAll, (void *)(intptr_t)seconds) == 0) pthread_detach(thread);
}
