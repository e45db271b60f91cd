/// Judge.c: performs programs on the loop in YourLoop.c, and compares each log with the model's.
///
///     judge [--chinese] FILE…     a program each, or all programs in a document
///
/// It has the threads, the clock and the callbacks, and no step of a pass. Exit status 1 if a log
/// is not the model's, 2 if a file has no program.
#define _GNU_SOURCE 1
#include "YourLoop.h"
#include "../CRunLoopModel/include/Model.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static bool isChinese;
static const char *inWords(const char *english, const char *chinese) { return isChinese ? chinese : english; }

// MARK: - Threads and the clock

enum { mostLines = 2000, longestLine = 200, sizeOfAStack = 1 << 20 };

typedef struct {
    Loop *loop;
    int depth; // the runs and callbacks around it
    enum { canGoOn, sleeps, isBusy, hasEnded } state;
    Time until; // when it goes on
    bool isRung;
    ucontext_t context;
} Thread;

static const LoopProgram *program;
static Thread threads[mostNames];
static Item items[mostNames];
static int calls[mostNames], current; // the thread that goes on
static bool isDone[mostPlaces];       // a moment
static Time clockTime;
static ucontext_t scheduler;
static FILE *out; // the log

Time now(void) { return clockTime; }

bool servesMainQueue(Loop *loop, int mode) {
    return loop == threads[mainThreadIndex].loop && mode == defaultModeIndex;
}

static Thread *threadOf(const Loop *loop) {
    for (int i = 0; i < program->threadCount; i++)
        if (threads[i].loop == loop) return &threads[i];
    abort();
}

static void yield(Thread *thread) { swapcontext(&thread->context, &scheduler); }

void ring(Loop *loop) { threadOf(loop)->isRung = true; }

void sleepUntil(Loop *loop, Time moment) {
    Thread *thread = threadOf(loop);
    if (!thread->isRung && moment > clockTime) {
        thread->state = sleeps;
        thread->until = moment;
        yield(thread);
    }
    thread->isRung = false;
}

static Time nanoseconds(double seconds) { return (Time)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5)); }

__attribute__((format(printf, 3, 4)))
static void say(int depth, const char *name, const char *format, ...) {
    fprintf(out, "%.3f %s %*s", (double)clockTime / 1e9, name, 2 * depth, "");
    va_list words;
    va_start(words, format);
    vfprintf(out, format, words);
    va_end(words);
    fputc('\n', out);
    fflush(out);
}

// MARK: - A program

static void performRun(const LoopAction *action) {
    Thread *thread = &threads[current];
    int mode = __builtin_ctz(action->modes), number = current;
    thread->depth++;
    Time length = action->seconds < 0 ? forever : nanoseconds(action->seconds);
    int result = runLoop(thread->loop, mode, length, action->once);
    thread->depth--;
    current = number;
    say(thread->depth, program->threads[current], "run %s: %s", program->modes[mode], loopResultName(result));
}

static void perform(const LoopAction *action, const char *name) {
    Loop *loop = threads[action->thread >= 0 ? action->thread : name ? mainThreadIndex : current].loop;
    Item *item = action->item >= 0 ? &items[action->item] : NULL;
    if (item) loop = threads[program->items[action->item].thread].loop;
    switch (action->verb) {
    case doAdd: case doRemove:
        for (int mode = 0; mode < program->modeCount; mode++)
            if (action->modes & 1u << mode) (action->verb == doAdd ? addItem : removeItem)(loop, item, mode);
        break;
    case doSignal: signalSource(item); break;
    case doWake: wakeUp(loop); break;
    case doStop: stopLoop(loop); break;
    case doRun: performRun(action); break;
    case doSpend:
        threads[current].state = isBusy;
        threads[current].until = clockTime + nanoseconds(action->seconds);
        yield(&threads[current]);
        break;
    default: say(name ? 0 : threads[current].depth, name ? name : program->threads[current], "%s", action->text);
    }
}

/// `name` is that of the thread which acts at a moment; in a thread's own code or a callback, NULL.
static void performPlaces(int kind, int index, int call, const char *name) {
    for (int i = 0; i < program->placeCount; i++) {
        const LoopPlace *place = &program->places[i];
        bool isIt = kind == atMoment ? i == index : place->index == index && (!place->call || place->call == call);
        for (int j = 0; (int)place->kind == kind && isIt && j < program->actionCount; j++)
            if (program->actions[j].place == i) perform(&program->actions[j], name);
    }
}

void callOut(Item *item, unsigned activity) {
    int index = (int)(item - items), number = current;
    say(threads[current].depth, program->threads[current], "%s %s", program->items[index].name, loopCallName(program, index, activity));
    threads[current].depth++;
    performPlaces(inItem, index, ++calls[index], NULL);
    threads[number].depth--;
}

static void live(void) {
    int number = current;
    for (int i = 0; i < program->itemCount; i++) {
        const LoopItem *item = &program->items[i];
        if (item->thread != number) continue;
        Time date = nanoseconds(item->first) + (item->isAfterNow ? clockTime : 0);
        items[i] = (Item){.kind = item->kind == aSource ? source : item->kind == aTimer ? timer : observer,
                          .order = item->order, .activities = item->activities,
                          .isOnce = item->kind == aTimer ? item->interval <= 0 : item->once,
                          .date = date > clockTime ? date : clockTime, .interval = nanoseconds(item->interval)};
    }
    performPlaces(ofThread, number, 0, NULL);
    threads[number].state = hasEnded;
    setcontext(&scheduler);
}

static Time dateOf(const Thread *thread) {
    if (thread->state == hasEnded) return forever;
    return thread->state == canGoOn || (thread->state == sleeps && thread->isRung) ? clockTime : thread->until;
}

/// Lets the clock jump to the next moment. Returns false if nothing will happen any more.
static bool passTime(void) {
    Time next = forever;
    int moment = -1;
    for (int i = 0; i < program->threadCount; i++)
        if (dateOf(&threads[i]) < next) next = dateOf(&threads[i]);
    for (int i = 0; i < program->placeCount; i++) {
        const LoopPlace *place = &program->places[i];
        if (place->kind != atMoment || isDone[i] || nanoseconds(place->seconds) > next) continue;
        if (nanoseconds(place->seconds) == next && moment < 0) continue; // a thread is first
        next = nanoseconds(place->seconds);
        moment = i;
    }
    if (next >= forever / 2) return false;
    if (next > clockTime) clockTime = next;
    if (moment < 0) return true;
    isDone[moment] = true;
    performPlaces(atMoment, moment, 0, program->places[moment].name);
    return true;
}

static void performProgram(void) {
    for (int i = 0; i < program->threadCount; i++) {
        threads[i] = (Thread){.loop = makeLoop()};
        getcontext(&threads[i].context);
        threads[i].context.uc_stack.ss_sp = malloc(sizeOfAStack);
        threads[i].context.uc_stack.ss_size = sizeOfAStack;
        makecontext(&threads[i].context, live, 0);
    }
    do {
        for (int i = 0; i < program->threadCount; i++) {
            if (threads[i].state == hasEnded || dateOf(&threads[i]) > clockTime) continue;
            threads[i].state = canGoOn;
            current = i;
            swapcontext(&scheduler, &threads[i].context);
            i = -1; // the first one that can go on
        }
    } while (passTime());
}

// MARK: - What is asked

/// The first line with something that YourLoop.h does not have; 0: none.
static int lineBeyond(void) {
    int line = 0;
    for (int i = 0; i < program->actionCount; i++) {
        const LoopAction *action = &program->actions[i];
        int place = (int)program->places[action->place].kind;
        bool isKnown = action->verb == doAdd || action->verb == doRemove || action->verb == doSignal || action->verb == doWake || action->verb == doStop
                       || action->verb == doRun || action->verb == doSpend || action->verb == doSay;
        bool isOfModes = action->verb == doStop ? action->modes != 0 : action->modes & 1u << commonModesIndex;
        bool isPlain = place == ofThread || place == atMoment || place == inItem;
        const LoopItem *item = action->item >= 0 ? &program->items[action->item] : NULL;
        bool isItem = !item || (item->kind != aPort && item->tolerance == 0);
        if (isKnown && !isOfModes && isPlain && isItem && !action->elsewhere) continue;
        if (!line || action->line < line) line = action->line;
    }
    return line;
}

// MARK: - The two logs

typedef struct {
    char lines[mostLines][longestLine];
    int count;
} Log;

static Log yours, models;
static bool isEndless; // your loop has not returned, and would take as long with each program
static const char *steps[mostLines]; // of the model's lines

static const char *wordsOf(const ModelEvent *event) {
    int kind = event->kind == itemIsCalled ? (int)program->items[event->item].kind : -1;
    if (event->kind == runEnds)
        switch (event->answer) {
        case finished: return inWords("the run ends: its mode is empty, before step 1 or at the end of step 9", "运行结束：mode 空了（第 1 步之前，或者第 9 步末尾）");
        case stopped: return inWords("step 9: the run ends, because it was stopped", "第 9 步：运行被停止，所以结束");
        case timedOut: return inWords("step 9: the run ends, because its time is over", "第 9 步：到了超时时间，运行结束");
        default: return inWords("step 9: the run ends, because it has handled a source and was to return after one", "第 9 步：处理过 Source，而且要求处理一个就返回，运行结束");
        }
    if (kind == aSource) return inWords("step 4: a source that is signaled is performed", "第 4 步：执行被标记的 Source");
    if (kind == aTimer) return inWords("step 9.1: a timer that is due fires", "第 9.1 步：到期的 Timer 触发");
    if (kind != anObserver) return inWords("the program's own code", "程序自己的代码");
    switch (event->activity) {
    case entry: return inWords("step 1: observers are notified", "第 1 步：通知 Observer");
    case beforeTimers: return inWords("step 2: observers are notified", "第 2 步：通知 Observer");
    case beforeSources: return inWords("step 3: observers are notified", "第 3 步：通知 Observer");
    case beforeWaiting: return inWords("step 6: observers are notified, because the loop is about to sleep", "第 6 步：即将休眠，通知 Observer");
    case afterWaiting: return inWords("step 8: observers are notified, because the loop has woken up", "第 8 步：刚被唤醒，通知 Observer");
    default: return inWords("step 10: observers are notified", "第 10 步：通知 Observer");
    }
}

static void readLines(FILE *file, Log *log) {
    rewind(file);
    for (log->count = 0; log->count < mostLines && fgets(log->lines[log->count], longestLine, file); log->count++)
        log->lines[log->count][strcspn(log->lines[log->count], "\n")] = 0;
}

static void happens(const ModelEvent *event, void *log) {
    long before = ftell(((ModelLog *)log)->out);
    modelWriteEvent(event, log);
    if (ftell(((ModelLog *)log)->out) > before && models.count < mostLines) steps[models.count++] = wordsOf(event);
}

/// Returns whether the model says what the program does.
static bool askModel(void) {
    ModelLog log = {tmpfile(), program, false};
    models.count = 0;
    ModelResult result = modelPerform(program, &(ModelOptions){.happens = happens, .context = &log, .mostEvents = 100000});
    readLines(log.out, &models);
    fclose(log.out);
    return !result.reason;
}

/// Performs the program in a process of its own, because your loop may crash or never end. Returns
/// words for that; NULL: neither.
static const char *askYours(void) {
    out = tmpfile();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(2);
        performProgram();
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) abort();
    readLines(out, &yours);
    fclose(out);
    if (!WIFSIGNALED(status)) return NULL;
    isEndless = WTERMSIG(status) == SIGALRM;
    if (isEndless) return inWords("(it is still busy after two seconds: does each pass sleep in step 7?)", "（两秒后还在忙：每一轮都在第 7 步休眠了吗？）");
    return inWords("(it has crashed)", "（崩溃了）");
}

static void showDifference(int at, const char *end, const char *text) {
    const char *nothing = inWords("(nothing more)", "（没有了）");
    printf("\n%s\n", text);
    for (int i = at > 3 ? at - 3 : 0; i < at; i++) printf("              %s\n", models.lines[i]);
    printf("%s%s\n", inWords("  your loop:  ", "  你的：      "), at < yours.count ? yours.lines[at] : end ? end : nothing);
    printf("%s%s\n", inWords("  the model:  ", "  模型：      "), at < models.count ? models.lines[at] : nothing);
    if (at < models.count) printf("              %s\n", steps[at]);
    printf("\n");
}

static int asked, same;

static void judge(const char *title, const char *text) {
    static LoopProgram read;
    program = &read;
    if (!loopProgramRead(&read, text)) {
        printf("%s: %s\n", title, isChinese ? read.errorInChinese : read.error);
        exit(2);
    }
    int line = lineBeyond();
    if (line || !askModel()) return;
    asked++;
    const char *end = askYours();
    int at = 0;
    while (at < yours.count && at < models.count && strcmp(yours.lines[at], models.lines[at]) == 0) at++;
    bool isSame = at == yours.count && at == models.count && !end;
    same += isSame;
    printf("%s %s\n", isSame ? inWords("same ", "相同") : inWords("OTHER", "不同"), title);
    if (!isSame && asked == same + 1) showDifference(at, end, text); // the first one
    if (isEndless) exit(1);
}

/// All programs in a document, each with the heading above it; in another file, the file.
static bool judgeFile(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL, title[256];
    size_t size = 0;
    if (!file || getdelim(&text, &size, 0, file) < 0) return false;
    fclose(file);
    bool isDocument = strlen(path) > 3 && strcmp(path + strlen(path) - 3, ".md") == 0;
    if (!isDocument) judge(path, text);
    const char *fence = "```program", *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(title, sizeof title, "%s", name);
    for (char *line = text, *next; isDocument && (next = strchr(line, '\n')); line = next + 1) {
        const char *words = line + strspn(line, "# ");
        if (line[0] == '#' && words[-1] == ' ') snprintf(title, sizeof title, "%s: %.*s", name, (int)(next - words), words);
        if (strncmp(line, fence, strlen(fence)) != 0) continue;
        char *end = strstr(next, "\n```\n");
        if (!end) return false;
        end[1] = 0;
        judge(title, next + 1);
        next = end + 4;
    }
    free(text);
    return true;
}

int main(int count, char **words) {
    int first = 1;
    if (count > 1 && strcmp(words[1], "--chinese") == 0) isChinese = first++;
    for (int i = first; i < count; i++) {
        if (judgeFile(words[i])) continue;
        fprintf(stderr, inWords("cannot read a program in %s\n", "无法读取 %s 里的程序\n"), words[i]);
        return 2;
    }
    printf(inWords("%d of %d programs have the model's log\n", "%2$d 个程序里有 %1$d 个的日志与模型相同\n"), same, asked);
    return same < asked;
}
