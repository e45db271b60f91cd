/// LoopProgram.c: reads the text of a program. Each function reads one rule of the grammar, whose
/// words stand above it. After an error no function reads anything more.
#include "include/LoopProgram.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    LoopProgram *program;
    const char *line, *at, *end; // the line that is read, up to its comment
    int number;
    int place, thread; // of the actions and items that are read
    bool hasBody;      // indented lines belong to `place`
    int firstAction;   // of the line
} Reader;

// MARK: - What a line may have to have

/// In English and in Chinese, as an error says it.
typedef const char *Words[2];

static const Words aMode = {"a mode", "mode 的名字"};
static const Words aName = {"a name", "名字"};
static const Words aNumber = {"a number", "数字"};
static const Words aWait = {"the number of a wait, from 1 on", "第几次等待，从 1 开始"};
static const Words aPass = {"the number of a pass, from 1 on", "第几轮，从 1 开始"};
static const Words aStep = {"a step of a pass, from 2 to 9", "一轮里的步骤，从 2 到 9"};
static const Words aWaitOrStep = {"wait or step", "wait 或 step"};
static const Words anItemAbove = {"an item from a line above", "上面某一行里的 item"};
static const Words aSourceAbove = {"a source from a line above", "上面某一行里的 source"};
static const Words aPortAbove = {"a port from a line above", "上面某一行里的 port"};
static const Words aTimerAbove = {"a timer from a line above", "上面某一行里的 timer"};
static const Words aThreadAbove = {"a thread from a line above", "上面某一行里的线程"};
static const Words anItemOrBlock = {"an item from a line above, or a block and \"runs\"",
                                    "上面某一行里的 item，或者 block 的名字和 runs"};
static const Words aBlockName = {"the block's name", "block 的名字"};
static const Words aFunctionName = {"the function's name", "函数的名字"};
static const Words anItemName = {"the item's name", "item 的名字"};
static const Words aNewName = {"a name that no other item has", "没有被其他 item 用过的名字"};
static const Words aThreadName = {"the thread's name", "线程的名字"};
static const Words aTime = {"a time such as 2.5s or 300ms", "时间，例如 2.5s 或 300ms"};
static const Words aShorterTime = {"a time of less than 1000000000s", "小于 1000000000s 的时间"};
static const Words anInterval = {"a time of more than 0s", "大于 0s 的时间"};
static const Words aText = {"a text in quotation marks, of at most 61 bytes",
                            "双引号里的文字，最多 61 字节"};
static const Words anActivity = {"an activity, such as BeforeWaiting, or everything",
                                 "状态（例如 BeforeWaiting）或 everything"};
static const Words anAction = {"an action, such as run, add, signal or say",
                               "动作，例如 run、add、signal 或 say"};
static const Words anActionAtOnce = {
    "an action that does not wait, because this thread has no loop in the program",
    "不等待的动作，因为这个线程在程序里没有 RunLoop"};
static const Words anActionOfAnyThread = {
    "an action of any thread, because only the loop's own thread is its host",
    "任何线程都能做的动作，因为只有 RunLoop 自己的线程是它的宿主"};
static const Words anActionWithoutLocks = {
    "signal, send, wake, stop or say, because the loop's locks are held at a step",
    "signal、send、wake、stop 或 say，因为在一个步骤的开头，RunLoop 的锁被占着"};
static const Words aHandlersAction = {
    "signal, send, wake, stop or say, because a signal handler can do no more",
    "signal、send、wake、stop 或 say，因为信号处理函数里只能做这些"};
static const Words aDate = {"at, in or every", "at、in 或 every"};
static const Words aFault = {"spurious, early, late, interrupt or ports",
                             "spurious、early、late、interrupt 或 ports"};
static const Words noIndentation = {
    "a line that is not indented, because no place with \":\" is above it",
    "不缩进的行，因为上面没有以“:”结尾的位置"};
static const Words aColon = {"\":\", or what happens", "“:”或者动作"};
static const Words anEnd = {"the line's end, or \"and\"", "行尾或 and"};
static const Words fewerNames = {"no more names of this kind",
                                 "已有的名字，因为这一类名字的个数到了上限"};
static const Words fewerItems = {"at most 32 items", "最多 32 个 item"};
static const Words fewerPlaces = {"at most 256 places", "最多 256 个位置"};
static const Words fewerActions = {"at most 512 actions", "最多 512 个动作"};

// MARK: - Words

static bool isWordByte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
           || (byte >= '0' && byte <= '9') || byte == '_' || byte == '.';
}

static bool isDigit(char byte) { return byte >= '0' && byte <= '9'; }

static bool isAscii(char byte) { return (unsigned char)byte < 0x80; }

/// Whether a character of UTF-8 goes on with this byte.
static bool isContinued(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

static bool hasFailed(const Reader *reader) { return reader->program->error[0] != 0; }

static void skipSpace(Reader *reader) {
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t')) reader->at++;
}

/// The length of the word, text in quotation marks, or sign that comes next; 0 at the end of the
/// line.
static int nextLength(Reader *reader) {
    skipSpace(reader);
    const char *at = reader->at;
    if (at < reader->end && *at == '"') {
        do at++;
        while (at < reader->end && *at != '"');
        return (int)(at - reader->at) + (at < reader->end);
    }
    if (at < reader->end && *at == '-') at++;
    while (at < reader->end && (isWordByte(*at) || !isAscii(*at))) at++;
    return at > reader->at ? (int)(at - reader->at) : at < reader->end;
}

/// In characters, from 1.
static int columnOf(const Reader *reader) {
    int column = 1;
    for (const char *at = reader->line; at < reader->at; at++) column += !isContinued(*at);
    return column;
}

/// Copies the next word, or as much of it as a message has room for.
static void copyNext(Reader *reader, char *to, size_t size) {
    size_t length = (size_t)nextLength(reader), most = size - sizeof "…";
    bool isLong = length > most;
    if (isLong) length = most;
    while (isLong && length && isContinued(reader->at[length])) length--;
    bool isPrintable = length == 0 || (unsigned char)*reader->at >= ' ';
    if (isPrintable) snprintf(to, size, "%.*s%s", (int)length, reader->at, isLong ? "…" : "");
    else snprintf(to, size, "\\x%02x", (unsigned char)*reader->at);
}

static void fail(Reader *reader, const Words expected) {
    if (hasFailed(reader)) return;
    LoopProgram *program = reader->program;
    char found[64], quoted[80] = "the line's end", *quotedInChinese = quoted;
    copyNext(reader, found, sizeof found);
    if (*found) snprintf(quoted, sizeof quoted, "\"%s\"", found);
    else quotedInChinese = "行尾";
    snprintf(program->error, sizeof program->error, "line %d, column %d: expected %s, found %s",
             reader->number, columnOf(reader), expected[0], quoted);
    snprintf(program->errorInChinese, sizeof program->errorInChinese,
             "第 %d 行第 %d 列，应为：%s；实际：%s", reader->number, columnOf(reader), expected[1],
             quotedInChinese);
}

static bool isNext(Reader *reader, const char *word) {
    int length = nextLength(reader);
    return length == (int)strlen(word) && strncmp(reader->at, word, (size_t)length) == 0;
}

/// Reads the word if it comes next.
static bool accept(Reader *reader, const char *word) {
    if (hasFailed(reader) || !isNext(reader, word)) return false;
    reader->at += strlen(word);
    return true;
}

/// The same for a verb, which may end in s: "B signals S".
static bool acceptVerb(Reader *reader, const char *verb) {
    char third[longestName];
    snprintf(third, sizeof third, "%ss", verb);
    return accept(reader, verb) || accept(reader, third);
}

static void expect(Reader *reader, const char *word) {
    char expected[longestName + 2];
    snprintf(expected, sizeof expected, "\"%s\"", word);
    if (!accept(reader, word)) fail(reader, (const Words){expected, expected});
}

static bool isAtEnd(Reader *reader) { return hasFailed(reader) || nextLength(reader) == 0; }

static void readName(Reader *reader, const Words expected, char *name) {
    int length = nextLength(reader);
    bool isName = length > 0 && length < longestName && !isDigit(*reader->at);
    for (int i = 0; i < length; i++) isName &= isWordByte(reader->at[i]);
    name[0] = 0;
    if (!isName) return fail(reader, expected);
    snprintf(name, longestName, "%.*s", length, reader->at);
    reader->at += length;
}

static int countDigits(const char *at, const char *end) {
    int count = 0;
    while (at + count < end && isDigit(at[count])) count++;
    return count;
}

/// TIME := 2.5s | 300ms
static double readTime(Reader *reader) {
    int length = nextLength(reader);
    const char *at = reader->at, *end = at + length;
    int whole = countDigits(at, end), fraction = 0;
    at += whole;
    if (at < end && *at == '.') fraction = countDigits(at + 1, end), at += 1 + fraction;
    bool isShort = end - at == 2 && strncmp(at, "ms", 2) == 0;
    bool hasUnit = isShort || (end - at == 1 && *at == 's');
    if (whole == 0 || !hasUnit || at[-1] == '.') return fail(reader, aTime), 0;
    if (whole > 9) return fail(reader, aShorterTime), 0;
    double value = strtod(reader->at, NULL); // decimal digits, up to the unit
    reader->at = end;
    return isShort ? value / 1000 : value;
}

/// MOMENT := [-]TIME: one before the program's beginning is a date that has passed.
static double readMoment(Reader *reader) {
    skipSpace(reader);
    if (reader->at == reader->end || *reader->at != '-') return readTime(reader);
    const char *start = reader->at++;
    double value = readTime(reader);
    if (!hasFailed(reader)) return -value;
    reader->at = start;
    return 0;
}

/// [-]DIGITS
static int readNumber(Reader *reader) {
    int length = nextLength(reader), sign = length > 0 && *reader->at == '-';
    int digits = countDigits(reader->at + sign, reader->at + length);
    long value = digits > 0 && digits <= 10 ? strtol(reader->at, NULL, 10) : LONG_MAX;
    bool isNumber = sign + digits == length && value >= INT_MIN && value <= INT_MAX;
    if (!isNumber) return fail(reader, aNumber), 0;
    reader->at += length;
    return (int)value;
}

/// The number of a call or a wait.
static int readCount(Reader *reader, const Words expected) {
    skipSpace(reader);
    const char *start = reader->at;
    int value = readNumber(reader);
    if (hasFailed(reader) || value > 0) return value;
    reader->at = start;
    return fail(reader, expected), 0;
}

// MARK: - Names of things

static int indexOf(const char (*names)[longestName], int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

/// The index of a name, which the first mention adds.
static int readNewOrOld(Reader *reader, const Words expected, char (*names)[longestName],
                        int *count, int most) {
    char name[longestName];
    readName(reader, expected, name);
    if (hasFailed(reader)) return 0;
    int index = indexOf((const char (*)[longestName])names, *count, name);
    if (index >= 0) return index;
    if (*count == most) return fail(reader, fewerNames), 0;
    strcpy(names[*count], name);
    return (*count)++;
}

static int findItem(const LoopProgram *program, const char *name) {
    for (int i = 0; i < program->itemCount; i++)
        if (strcmp(program->items[i].name, name) == 0) return i;
    return -1;
}

static int readItem(Reader *reader) {
    char name[longestName];
    skipSpace(reader);
    const char *start = reader->at;
    readName(reader, anItemAbove, name);
    int item = findItem(reader->program, name);
    if (item >= 0) return item;
    reader->at = start;
    return fail(reader, anItemAbove), 0;
}

static int readItemOfKind(Reader *reader, int kind) {
    const char *const *const expected = kind == aSource ? aSourceAbove
        : kind == aPort ? aPortAbove : aTimerAbove;
    char name[longestName];
    skipSpace(reader);
    const char *start = reader->at;
    readName(reader, expected, name);
    int item = findItem(reader->program, name);
    if (item >= 0 && (int)reader->program->items[item].kind == kind) return item;
    reader->at = start;
    return fail(reader, expected), 0;
}

/// The index of a thread that the program has; -1 if the next word is none.
static int acceptThread(Reader *reader) {
    LoopProgram *program = reader->program;
    for (int i = 0; i < program->threadCount; i++)
        if (accept(reader, program->threads[i])) return i;
    return -1;
}

static int readThread(Reader *reader) {
    int thread = acceptThread(reader);
    if (thread < 0) fail(reader, aThreadAbove);
    return thread;
}

static unsigned readMode(Reader *reader) {
    LoopProgram *program = reader->program;
    return 1u << readNewOrOld(reader, aMode, program->modes, &program->modeCount, mostNames);
}

/// MODES := MODE, MODE …
static unsigned readModes(Reader *reader) {
    unsigned modes = 0;
    do modes |= readMode(reader);
    while (accept(reader, ","));
    return modes;
}

// MARK: - Actions

static const struct {
    const char *name;
    unsigned bit;
} activities[] = {
    {"Entry", 1},         {"BeforeTimers", 2}, {"BeforeSources", 4},      {"BeforeWaiting", 32},
    {"AfterWaiting", 64}, {"Exit", 128},       {"everything", 0x0FFFFFFF}};

static LoopAction *newAction(Reader *reader, LoopVerb verb) {
    static LoopAction spare;
    LoopProgram *program = reader->program;
    if (program->actionCount == mostActions) fail(reader, fewerActions);
    LoopAction *action = hasFailed(reader) ? &spare : &program->actions[program->actionCount++];
    *action = (LoopAction){
        .verb = verb, .place = reader->place, .item = -1, .thread = -1, .line = reader->number};
    return action;
}

/// wake [THREAD], stop [THREAD] [in MODE]. Without a thread: that of the item that the same line
/// has named before, or the thread itself.
static void readThreadOf(Reader *reader, LoopAction *action) {
    const LoopProgram *program = reader->program;
    bool hasThread = !isAtEnd(reader) && !isNext(reader, "and")
                     && !(action->verb == doStop && isNext(reader, "in"));
    action->thread = hasThread ? readThread(reader) : -1;
    for (int i = program->actionCount - 2; action->thread < 0 && i >= reader->firstAction; i--) {
        int item = program->actions[i].item;
        if (item >= 0) action->thread = program->items[item].thread;
    }
}

/// run MODE [for TIME | once] [until a source]
static void readRun(Reader *reader) {
    LoopAction *action = newAction(reader, doRun);
    action->modes = readMode(reader);
    action->seconds = accept(reader, "for") ? readTime(reader) : accept(reader, "once") ? 0 : -1;
    if (!accept(reader, "until")) return;
    expect(reader, "a");
    expect(reader, "source");
    action->once = true;
}

/// is NAME in MODE | is THREAD waiting | is MODE (finished | readable) | how is NAME | which mode
/// | which modes | next timer of MODE
static bool readQuestion(Reader *reader) {
    if (accept(reader, "is")) {
        char name[longestName];
        Reader before = *reader;
        readName(reader, aName, name);
        bool isItem = isNext(reader, "in"), isThread = isNext(reader, "waiting");
        bool isHost = isNext(reader, "readable");
        LoopVerb verb = isItem ? doAskWhether : isThread ? doAskWaiting
            : isHost ? doAskReadable : doAskFinished;
        LoopAction *action = newAction(reader, verb);
        *reader = before;
        if (isItem) action->item = readItem(reader);
        if (isThread) action->thread = readThread(reader);
        if (isItem) expect(reader, "in");
        if (!isThread) action->modes = readMode(reader);
        if (!isItem) expect(reader, isThread ? "waiting" : isHost ? "readable" : "finished");
    } else if (accept(reader, "how")) {
        expect(reader, "is");
        newAction(reader, doAskHow)->item = readItem(reader);
    } else if (accept(reader, "which")) {
        bool all = accept(reader, "modes");
        if (!all) expect(reader, "mode");
        newAction(reader, all ? doAskModes : doAskMode);
    } else if (accept(reader, "next")) {
        expect(reader, "timer");
        expect(reader, "of");
        newAction(reader, doAskNext)->modes = readMode(reader);
    } else return false;
    return true;
}

static const struct { // by LoopFault
    const char *name;
    bool hasTime;
} faults[] = {{"spurious", false}, {"early", true}, {"late", true}, {"interrupt", true},
              {"ports", false}};

/// fault spurious | early TIME | late TIME | interrupt TIME | ports
static void readFault(Reader *reader) {
    LoopAction *action = newAction(reader, doFault);
    for (int i = 0; i < 5; i++) {
        if (!accept(reader, faults[i].name)) continue;
        action->fault = (LoopFault)i;
        if (faults[i].hasTime) action->seconds = readTime(reader);
        return;
    }
    fail(reader, aFault);
}

/// Whether the action takes none of the loop's locks.
static bool takesNoLock(const LoopAction *action) {
    return action->verb == doSignal || action->verb == doSend || action->verb == doWake
        || action->verb == doSay || (action->verb == doStop && !action->modes);
}

static void readAction(Reader *reader) {
    LoopProgram *program = reader->program;
    LoopAction *action;
    int first = program->actionCount, kind = program->places[reader->place].kind;
    bool elsewhere = accept(reader, "elsewhere");
    skipSpace(reader);
    const char *verb = reader->at;
    if (acceptVerb(reader, "add")) {
        (action = newAction(reader, doAdd))->item = readItem(reader);
        expect(reader, "to");
        action->modes = readModes(reader);
    } else if (acceptVerb(reader, "remove")) {
        (action = newAction(reader, doRemove))->item = readItem(reader);
        expect(reader, "from");
        action->modes = readModes(reader);
    } else if (acceptVerb(reader, "invalidate")) {
        newAction(reader, doInvalidate)->item = readItem(reader);
    } else if (acceptVerb(reader, "signal")) {
        newAction(reader, doSignal)->item = readItemOfKind(reader, aSource);
    } else if (acceptVerb(reader, "send")) {
        newAction(reader, doSend)->item = readItemOfKind(reader, aPort);
    } else if (acceptVerb(reader, "receive")) {
        newAction(reader, doReceive)->item = readItemOfKind(reader, aPort);
    } else if (acceptVerb(reader, "close")) {
        newAction(reader, doClose)->item = readItemOfKind(reader, aPort);
    } else if (acceptVerb(reader, "set")) {
        (action = newAction(reader, doSet))->item = readItemOfKind(reader, aTimer);
        action->isAfterNow = accept(reader, "in");
        if (!action->isAfterNow) expect(reader, "to");
        action->seconds = action->isAfterNow ? readTime(reader) : readMoment(reader);
    } else if (acceptVerb(reader, "wake")) {
        readThreadOf(reader, newAction(reader, doWake));
    } else if (acceptVerb(reader, "stop")) {
        readThreadOf(reader, action = newAction(reader, doStop));
        if (accept(reader, "in")) action->modes = readMode(reader);
    } else if (acceptVerb(reader, "block")) {
        (action = newAction(reader, doBlock))->block = readNewOrOld(
            reader, aBlockName, program->blocks, &program->blockCount, mostBlocks);
        expect(reader, "in");
        action->modes = readModes(reader);
        if (accept(reader, "of")) action->thread = readThread(reader);
    } else if (acceptVerb(reader, "queue")) {
        newAction(reader, doQueue)->block = readNewOrOld(
            reader, aFunctionName, program->blocks, &program->blockCount, mostBlocks);
    } else if (acceptVerb(reader, "declare")) {
        newAction(reader, doDeclare)->modes = readMode(reader);
        expect(reader, "common");
    } else if (acceptVerb(reader, "run")) {
        readRun(reader);
    } else if (acceptVerb(reader, "embed")) {
        newAction(reader, doEmbed)->modes = readMode(reader);
    } else if (acceptVerb(reader, "serve")) {
        newAction(reader, doServe)->modes = readMode(reader);
    } else if (acceptVerb(reader, "spend")) {
        newAction(reader, doSpend)->seconds = readTime(reader);
    } else if (acceptVerb(reader, "say")) {
        int length = nextLength(reader);
        action = newAction(reader, doSay);
        if (length < 2 || *reader->at != '"' || reader->at[length - 1] != '"'
            || length > (int)sizeof action->text)
            return fail(reader, aText);
        snprintf(action->text, sizeof action->text, "%.*s", length - 2, reader->at + 1);
        reader->at += length;
    } else if (accept(reader, "fault")) {
        readFault(reader);
    } else if (!readQuestion(reader)) {
        fail(reader, anAction);
    }
    if (hasFailed(reader)) return;
    action = &program->actions[first];
    action->elsewhere = elsewhere;
    bool waits = action->verb == doRun || action->verb == doSpend;
    bool isHosts = action->verb >= doEmbed;
    const char *after = reader->at;
    reader->at = verb;
    bool isFree = !elsewhere && takesNoLock(action);
    bool hasNoLoop = kind == atMoment || kind == inWait || kind == beforeWait;
    if (kind == inHandler && !isFree) fail(reader, aHandlersAction);
    if (kind == beforeStep && !isFree) fail(reader, anActionWithoutLocks);
    if (waits && (elsewhere || hasNoLoop)) fail(reader, anActionAtOnce);
    if (isHosts && (elsewhere || hasNoLoop)) fail(reader, anActionOfAnyThread);
    if (!hasFailed(reader)) reader->at = after;
}

/// ACTION and ACTION …
static void readActions(Reader *reader) {
    do readAction(reader);
    while (accept(reader, "and"));
}

// MARK: - Items

/// [in MODES]: the item's thread adds it before anything that comes after it.
static void readModesOfItem(Reader *reader, int item) {
    if (!accept(reader, "in")) return;
    LoopAction *action = newAction(reader, doAdd);
    action->item = item;
    action->modes = readModes(reader);
}

/// timer NAME (at MOMENT | in TIME | every TIME [from MOMENT]) [tolerance TIME]
static void readTimer(Reader *reader, LoopItem *item) {
    if (accept(reader, "every")) {
        skipSpace(reader);
        const char *start = reader->at;
        item->first = item->interval = readTime(reader);
        if (!hasFailed(reader) && item->interval < 1e-9) {
            reader->at = start;
            return fail(reader, anInterval);
        }
        item->isAfterNow = true;
        if (!accept(reader, "from")) return;
        item->isAfterNow = false;
        item->first = readMoment(reader);
    } else if (accept(reader, "in")) {
        item->isAfterNow = true;
        item->first = readTime(reader);
    } else if (accept(reader, "at")) {
        item->first = readMoment(reader);
    } else fail(reader, aDate);
}

/// observer NAME of ACTIVITY, ACTIVITY … [once]
static void readObserver(Reader *reader, LoopItem *item) {
    expect(reader, "of");
    do {
        unsigned before = item->activities;
        for (size_t i = 0; i < sizeof activities / sizeof activities[0]; i++)
            if (accept(reader, activities[i].name)) item->activities |= activities[i].bit;
        if (item->activities == before)
            fail(reader, anActivity);
    } while (accept(reader, ","));
    item->once = accept(reader, "once");
}

/// source NAME … | port NAME … | timer NAME … | observer NAME …
/// and then [tolerance TIME] [order NUMBER] [in MODES]
static bool readNewItem(Reader *reader) {
    static const char *const kinds[] = {"source", "port", "timer", "observer"};
    LoopProgram *program = reader->program;
    for (int kind = 0; kind < 4; kind++) {
        if (!accept(reader, kinds[kind])) continue;
        if (program->itemCount == mostNames) return fail(reader, fewerItems), true;
        LoopItem *item = &program->items[program->itemCount];
        *item = (LoopItem){.kind = kind, .thread = reader->thread};
        const char *start = reader->at;
        readName(reader, anItemName, item->name);
        if (!hasFailed(reader) && findItem(program, item->name) >= 0) {
            reader->at = start;
            return fail(reader, aNewName), true;
        }
        program->itemCount++;
        if (kind == aTimer) readTimer(reader, item);
        if (kind == anObserver) readObserver(reader, item);
        if (kind == aTimer && accept(reader, "tolerance")) item->tolerance = readTime(reader);
        if (accept(reader, "order")) item->order = readNumber(reader);
        readModesOfItem(reader, program->itemCount - 1);
        return true;
    }
    return false;
}

// MARK: - Places

static void newPlace(Reader *reader, LoopPlace place) {
    LoopProgram *program = reader->program;
    if (program->placeCount == mostPlaces) return fail(reader, fewerPlaces);
    place.line = reader->number;
    reader->place = program->placeCount;
    program->places[program->placeCount++] = place;
}

/// when BLOCK runs
static void readWhenBlock(Reader *reader) {
    LoopProgram *program = reader->program;
    char name[longestName];
    Reader before = *reader;
    readName(reader, anItemOrBlock, name);
    bool isBlock = isNext(reader, "runs");
    *reader = before;
    if (!isBlock) return fail(reader, anItemOrBlock);
    int block = readNewOrOld(reader, aBlockName, program->blocks, &program->blockCount, mostBlocks);
    expect(reader, "runs");
    newPlace(reader, (LoopPlace){.kind = inBlock, .index = block});
}

/// when interrupted | when BLOCK runs | when ITEM (performs | fires | observes) [NUMBER]
static void readWhen(Reader *reader) {
    LoopProgram *program = reader->program;
    char name[longestName];
    Reader before = *reader;
    readName(reader, anItemOrBlock, name);
    int item = findItem(program, name);
    if (item < 0 && strcmp(name, "interrupted") == 0 && !isNext(reader, "runs"))
        return newPlace(reader, (LoopPlace){.kind = inHandler});
    if (item < 0) {
        if (!hasFailed(reader)) *reader = before;
        return readWhenBlock(reader);
    }
    LoopPlace place = {.kind = inItem, .index = item};
    static const char *const verbs[] = {"performs", "performs", "fires", "observes"};
    expect(reader, verbs[program->items[item].kind]);
    if (!isNext(reader, ":") && isDigit(*reader->at)) place.call = readCount(reader, aNumber);
    newPlace(reader, place);
}

/// A place on another thread, which may have a name.
static void newPlaceOutside(Reader *reader, LoopPlace place) {
    strcpy(place.name, "outside");
    if (accept(reader, "thread")) readName(reader, aThreadName, place.name);
    newPlace(reader, place);
}

/// wait NUMBER [of THREAD] [thread NAME]
static void readWait(Reader *reader, int kind) {
    LoopPlace place = {.kind = kind};
    place.call = readCount(reader, aWait);
    if (accept(reader, "of")) place.index = readThread(reader);
    newPlaceOutside(reader, place);
}

/// step NUMBER of pass NUMBER [of THREAD] [thread NAME]
static void readStep(Reader *reader) {
    LoopPlace place = {.kind = beforeStep};
    skipSpace(reader);
    const char *start = reader->at;
    place.step = readNumber(reader);
    if (!hasFailed(reader) && (place.step < 2 || place.step > 9)) {
        reader->at = start;
        return fail(reader, aStep);
    }
    expect(reader, "of");
    expect(reader, "pass");
    place.call = readCount(reader, aPass);
    if (accept(reader, "of")) place.index = readThread(reader);
    newPlaceOutside(reader, place);
}

/// PLACE := at TIME [thread NAME] | when … | (in | before) wait … | before step … | thread NAME
static bool readPlace(Reader *reader) {
    LoopProgram *program = reader->program;
    if (accept(reader, "at")) {
        newPlaceOutside(reader, (LoopPlace){.kind = atMoment, .seconds = readTime(reader)});
    } else if (accept(reader, "when")) {
        readWhen(reader);
    } else if (accept(reader, "in")) {
        expect(reader, "wait");
        readWait(reader, inWait);
    } else if (accept(reader, "before")) {
        if (accept(reader, "wait")) readWait(reader, beforeWait);
        else if (accept(reader, "step")) readStep(reader);
        else fail(reader, aWaitOrStep);
    } else if (accept(reader, "thread")) {
        LoopPlace place = {.kind = ofThread};
        place.index = readNewOrOld(reader, aThreadName, program->threads,
                                   &program->threadCount, mostNames);
        newPlace(reader, place);
        reader->thread = place.index;
    } else return false;
    bool hasColon = accept(reader, ":");
    reader->hasBody = hasColon && isAtEnd(reader);
    if (!hasColon && isAtEnd(reader)) fail(reader, aColon);
    return true;
}

// MARK: - Lines

static void readLine(Reader *reader) {
    reader->firstAction = reader->program->actionCount;
    bool isIndented = reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t');
    if (isAtEnd(reader)) return;
    if (!isIndented) {
        reader->place = reader->thread = mainThreadIndex;
        reader->hasBody = false;
        if (readPlace(reader) && reader->hasBody) return;
    } else if (!reader->hasBody) {
        fail(reader, noIndentation);
    }
    bool isThreads = !hasFailed(reader) && reader->program->places[reader->place].kind == ofThread;
    if (!isThreads || !readNewItem(reader)) readActions(reader);
    if (!isAtEnd(reader)) fail(reader, anEnd);
}

bool loopProgramRead(LoopProgram *program, const char *text) {
    Reader reader = {.program = program};
    memset(&program->itemCount, 0, sizeof *program - offsetof(LoopProgram, itemCount));
    strcpy(program->modes[defaultModeIndex], "default");
    strcpy(program->modes[commonModesIndex], "common");
    strcpy(program->threads[mainThreadIndex], "main");
    program->modeCount = 2;
    program->threadCount = 1;
    program->places[0] = (LoopPlace){.kind = ofThread, .index = mainThreadIndex};
    program->placeCount = 1;
    while (*text && !hasFailed(&reader)) {
        const char *end = text + strcspn(text, "\n"), *comment = text;
        for (bool isQuoted = false; comment < end && (isQuoted || *comment != '#'); comment++)
            isQuoted ^= *comment == '"';
        reader.line = reader.at = text;
        reader.end = comment;
        if (comment == end && end > text && end[-1] == '\r') reader.end--; // a line of Windows
        reader.number++;
        readLine(&reader);
        text = *end ? end + 1 : end;
    }
    return !hasFailed(&reader);
}

int loopProgramStepLine(const LoopProgram *program) {
    for (int i = 0; i < program->placeCount; i++) {
        const LoopPlace *place = &program->places[i];
        if (place->kind == beforeStep || place->kind == beforeWait) return place->line;
    }
    return 0;
}

const char *loopResultName(int result) {
    static const char *const names[] = {"0", "Finished", "Stopped", "TimedOut", "HandledSource"};
    return result >= 0 && result <= 4 ? names[result] : "unknown";
}

const char *loopActivityName(unsigned activity) {
    for (size_t i = 0; i < sizeof activities / sizeof activities[0]; i++)
        if (activities[i].bit == activity) return activities[i].name;
    return "unknown";
}

const char *loopCallName(const LoopProgram *program, int item, unsigned activity) {
    if (program->items[item].kind == anObserver) return loopActivityName(activity);
    return program->items[item].kind == aTimer ? "fires" : "performs";
}

// MARK: - Writing

static void writeTime(FILE *out, double seconds) {
    char digits[40];
    int length = snprintf(digits, sizeof digits, "%.9f", seconds);
    while (digits[length - 1] == '0') length--;
    if (digits[length - 1] == '.') length--;
    fprintf(out, "%.*ss", length, digits);
}

static void writeModes(FILE *out, const LoopProgram *program, unsigned modes) {
    const char *separator = "";
    for (int mode = 0; mode < program->modeCount; mode++) {
        if (!(modes & 1u << mode)) continue;
        fprintf(out, "%s%s", separator, program->modes[mode]);
        separator = ", ";
    }
}

static void writeTimer(FILE *out, const LoopItem *item) {
    if (item->interval) {
        fputs(" every ", out);
        writeTime(out, item->interval);
        if (item->isAfterNow && item->first == item->interval) return;
        fputs(" from ", out);
    } else fputs(item->isAfterNow ? " in " : " at ", out);
    writeTime(out, item->first);
}

static void writeActivities(FILE *out, const LoopItem *item) {
    const char *separator = " of ";
    for (size_t i = 0; i < sizeof activities / sizeof activities[0]; i++) {
        bool isAll = activities[i].bit == 0x0FFFFFFF, wantsAll = item->activities == 0x0FFFFFFF;
        if (isAll != wantsAll || !(item->activities & activities[i].bit)) continue;
        fprintf(out, "%s%s", separator, activities[i].name);
        separator = ", ";
    }
    if (item->once) fputs(" once", out);
}

static void writeItem(FILE *out, const LoopItem *item) {
    static const char *const kinds[] = {"source", "port", "timer", "observer"};
    fprintf(out, "%s %s", kinds[item->kind], item->name);
    if (item->kind == aTimer) writeTimer(out, item);
    if (item->kind == anObserver) writeActivities(out, item);
    if (item->kind == aTimer && item->tolerance > 0) {
        fputs(" tolerance ", out);
        writeTime(out, item->tolerance);
    }
    if (item->order) fprintf(out, " order %d", item->order);
    fputc('\n', out);
}

void loopActionWrite(FILE *out, const LoopProgram *program, const LoopAction *action) {
    const char *item = action->item < 0 ? "" : program->items[action->item].name;
    const char *mode = action->modes ? program->modes[__builtin_ctz(action->modes)] : "";
    const char *thread = action->thread < 0 ? "" : program->threads[action->thread];
    const char *block = program->blocks[action->block], *space = *thread ? " " : "";
    if (action->elsewhere) fputs("elsewhere ", out);
    switch (action->verb) {
    case doAdd: case doRemove:
        fprintf(out, action->verb == doAdd ? "add %s to " : "remove %s from ", item);
        writeModes(out, program, action->modes);
        break;
    case doInvalidate: fprintf(out, "invalidate %s", item); break;
    case doSignal: fprintf(out, "signal %s", item); break;
    case doSend: fprintf(out, "send %s", item); break;
    case doReceive: fprintf(out, "receive %s", item); break;
    case doClose: fprintf(out, "close %s", item); break;
    case doSet:
        fprintf(out, "set %s %s ", item, action->isAfterNow ? "in" : "to");
        writeTime(out, action->seconds);
        break;
    case doWake: fprintf(out, "wake%s%s", space, thread); break;
    case doStop: fprintf(out, "stop%s%s%s%s", space, thread, *mode ? " in " : "", mode); break;
    case doBlock:
        fprintf(out, "block %s in ", block);
        writeModes(out, program, action->modes);
        if (*thread) fprintf(out, " of %s", thread);
        break;
    case doQueue: fprintf(out, "queue %s", block); break;
    case doDeclare: fprintf(out, "declare %s common", mode); break;
    case doRun:
        fprintf(out, "run %s%s", mode, action->seconds == 0 ? " once" : "");
        if (action->seconds > 0) fputs(" for ", out), writeTime(out, action->seconds);
        if (action->once) fputs(" until a source", out);
        break;
    case doSpend: fputs("spend ", out), writeTime(out, action->seconds); break;
    case doSay: fprintf(out, "say \"%s\"", action->text); break;
    case doAskWhether: fprintf(out, "is %s in %s", item, mode); break;
    case doAskHow: fprintf(out, "how is %s", item); break;
    case doAskMode: fputs("which mode", out); break;
    case doAskModes: fputs("which modes", out); break;
    case doAskNext: fprintf(out, "next timer of %s", mode); break;
    case doAskFinished: fprintf(out, "is %s finished", mode); break;
    case doAskReadable: fprintf(out, "is %s readable", mode); break;
    case doEmbed: fprintf(out, "embed %s", mode); break;
    case doServe: fprintf(out, "serve %s", mode); break;
    case doAskWaiting: fprintf(out, "is %s waiting", thread); break;
    case doFault:
        fprintf(out, "fault %s", faults[action->fault].name);
        if (faults[action->fault].hasTime) fputc(' ', out), writeTime(out, action->seconds);
        break;
    }
}

/// The words before a place's actions, which are indented; none for the main thread's own code.
static bool writePlace(FILE *out, const LoopProgram *program, const LoopPlace *place) {
    static const char *const verbs[] = {"performs", "performs", "fires", "observes"};
    switch (place->kind) {
    case ofThread:
        if (place->index == mainThreadIndex) return false;
        fprintf(out, "thread %s", program->threads[place->index]);
        break;
    case atMoment:
        fputs("at ", out);
        writeTime(out, place->seconds);
        break;
    case inItem:
        fprintf(out, "when %s %s", program->items[place->index].name,
                verbs[program->items[place->index].kind]);
        if (place->call) fprintf(out, " %d", place->call);
        break;
    case inWait:
    case beforeWait:
        fprintf(out, "%s wait %d of %s", place->kind == inWait ? "in" : "before", place->call,
                program->threads[place->index]);
        break;
    case beforeStep:
        fprintf(out, "before step %d of pass %d of %s", place->step, place->call,
                program->threads[place->index]);
        break;
    case inBlock: fprintf(out, "when %s runs", program->blocks[place->index]); break;
    case inHandler: fputs("when interrupted", out); break;
    }
    bool isNamed = place->name[0] && strcmp(place->name, "outside") != 0;
    if (isNamed) fprintf(out, " thread %s", place->name);
    fputs(":\n", out);
    return true;
}

static bool isNamed(const LoopProgram *program, int item) {
    for (int i = 0; i < program->actionCount; i++) {
        const LoopPlace *place = &program->places[program->actions[i].place];
        if (program->actions[i].item == item || (place->kind == inItem && place->index == item))
            return true;
    }
    return false;
}

/// Whether another thread acts at what this thread's loop does.
static bool isAboutLoop(const LoopPlace *place) {
    return place->kind == inWait || place->kind == beforeWait || place->kind == beforeStep;
}

/// Whether anything of the program is about a thread.
static bool isUsed(const LoopProgram *program, int thread) {
    for (int i = 0; i < program->itemCount; i++)
        if (program->items[i].thread == thread && isNamed(program, i)) return true;
    for (int i = 0; i < program->actionCount; i++) {
        const LoopPlace *place = &program->places[program->actions[i].place];
        bool isOf = place->kind == ofThread || isAboutLoop(place);
        if (program->actions[i].thread == thread || (isOf && place->index == thread)) return true;
    }
    return false;
}

/// Writes a line for each thread up to `last` that has none yet, because a thread is known from its
/// line on, and the lines give the threads their order. Those that nothing is about are left out.
static void writeThreads(FILE *out, const LoopProgram *program, int *known, int last) {
    for (; *known <= last; ++*known)
        if (isUsed(program, *known)) fprintf(out, "thread %s:\n", program->threads[*known]);
}

/// Writes the lines of the threads that the words and the actions of a place name.
static void writeThreadsOf(FILE *out, const LoopProgram *program, int *known, int index) {
    const LoopPlace *place = &program->places[index];
    if (isAboutLoop(place)) writeThreads(out, program, known, place->index);
    if (place->kind == ofThread && place->index >= *known) {
        writeThreads(out, program, known, place->index - 1);
        *known = place->index + 1;
    }
    for (int i = 0; i < program->actionCount; i++)
        if (program->actions[i].place == index)
            writeThreads(out, program, known, program->actions[i].thread);
}

static void writeItems(FILE *out, const LoopProgram *program, int *known) {
    for (int i = 0, last = mainThreadIndex; i < program->itemCount; i++) {
        const LoopItem *item = &program->items[i];
        if (!isNamed(program, i)) continue;
        if (item->thread != last) {
            writeThreads(out, program, known, item->thread - 1);
            fprintf(out, "thread %s:\n", program->threads[item->thread]);
            if (*known <= item->thread) *known = item->thread + 1;
        }
        last = item->thread;
        if (last != mainThreadIndex) fputs("    ", out);
        writeItem(out, item);
    }
}

void loopProgramWrite(FILE *out, const LoopProgram *program) {
    int known = mainThreadIndex + 1;
    writeItems(out, program, &known);
    for (int place = 0; place < program->placeCount; place++) {
        bool hasTitle = false, isIndented = false;
        for (int i = 0; i < program->actionCount; i++) {
            if (program->actions[i].place != place) continue;
            if (!hasTitle) writeThreadsOf(out, program, &known, place);
            if (!hasTitle) isIndented = writePlace(out, program, &program->places[place]);
            hasTitle = true;
            if (isIndented) fputs("    ", out);
            loopActionWrite(out, program, &program->actions[i]);
            fputc('\n', out);
        }
    }
    writeThreads(out, program, &known, program->threadCount - 1);
}
