/// Stepper.c: see Stepper.h.
///
/// The search is depth first, and starts over for each order: it repeats the choices of the last order up to the last place that has
/// another choice. Sleep sets (Godefroid) avoid repeated work: a player whose step has been tried at a place need not be tried again later,
/// until another player has made a step that depends on it.
#include "Stepper.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct StepInfo {
    const void *object;
    StepKind kind;
    const char *what, *function;
    bool (*isReady)(const void *object);
} StepInfo;

typedef struct Player {
    pthread_t thread;
    sem_t mayGo;
    StepInfo next;      // the step that it is about to make
    bool isDone;
    int paused;
} Player;

/// A place in the current order: which player was chosen there, and which players need not be tried.
typedef struct Place {
    int chosen;
    unsigned enabled, asleep; // players, as bits
    StepInfo step;            // the step of the chosen player
} Place;

enum { mostSteps = 2000 };

static Play play;
static Player players[MostPlayers];
static int playerCount;
static sem_t playIsOver;
static __thread Player *me;

static Place places[mostSteps];
static int depth;         // how many of them the play has passed
static int given;         // at how many of them the choice is given by the previous order
static bool isRepetition; // an earlier play had the same rest, so this play only runs to its end

// MARK: - Choosing

static bool independent(const StepInfo *a, const StepInfo *b) {
    return a->object != b->object || (a->kind == b->kind && a->kind != Changes);
}

static bool isEnabled(const Player *player) {
    return !player->isDone && (!player->next.isReady || player->next.isReady(player->next.object));
}

static unsigned enabledPlayers(void) {
    unsigned enabled = 0;
    for (int i = 0; i < playerCount; i++) enabled |= (unsigned)isEnabled(&players[i]) << i;
    return enabled;
}

/// The players that sleep after the step of the last place: those that slept before it and whose steps are independent of it.
static unsigned asleepAfterLast(void) {
    if (depth == 0) return 0;
    const Place *last = &places[depth - 1];
    unsigned asleep = 0;
    for (int i = 0; i < playerCount; i++) {
        if (last->asleep >> i & 1 && i != last->chosen && independent(&players[i].next, &last->step)) asleep |= 1u << i;
    }
    return asleep;
}

static void printOrder(void) {
    for (int i = 0; i < depth; i++) {
        const Place *place = &places[i];
        fprintf(stderr, "  %-14s %-40s %s\n", play.names[place->chosen], place->step.function, place->step.what);
    }
}

static __attribute__((noreturn)) void failForLoss(void) {
    printOrder();
    for (int i = 0; i < playerCount; i++) {
        if (!players[i].isDone) fprintf(stderr, "  %-14s %-40s %s: never\n", play.names[i], players[i].next.function, players[i].next.what);
    }
    FAIL("a wake-up is lost: after these steps no thread can go on");
}

static int lowestBit(unsigned bits) { return __builtin_ctz(bits); }

/// Chooses among the players, all of which wait before a step or are done. Returns -1 if the play is over.
static int choose(void) {
    unsigned enabled = enabledPlayers();
    if (!enabled) {
        for (int i = 0; i < playerCount; i++) {
            if (!players[i].isDone) failForLoss();
        }
        return -1;
    }
    if (isRepetition) return me && isEnabled(me) ? (int)(me - players) : lowestBit(enabled); // the fewest changes of thread
    if (depth == mostSteps) FAIL("a play of more than %d steps", mostSteps);
    Place *place = &places[depth];
    if (depth >= given) { // after the given choices, the first player that is awake
        place->asleep = asleepAfterLast();
        if (!(enabled & ~place->asleep)) {
            isRepetition = true;
            return lowestBit(enabled);
        }
        place->chosen = lowestBit(enabled & ~place->asleep);
    }
    if (!(enabled >> place->chosen & 1)) FAIL("the play does not repeat itself: it depends on more than the order of its steps");
    place->enabled = enabled;
    place->step = players[place->chosen].next;
    depth++;
    return place->chosen;
}

/// Makes another choice at the last place that has one. Returns false if no place has one and the search is over.
static bool makeAnotherChoice(void) {
    for (; depth > 0; depth--) {
        Place *place = &places[depth - 1];
        place->asleep |= 1u << place->chosen; // it has been tried here
        unsigned others = place->enabled & ~place->asleep;
        if (!others) continue;
        place->chosen = lowestBit(others);
        given = depth;
        return true;
    }
    return false;
}

// MARK: - Steps

/// The caller is about to make a step, or is done.
static void passOn(void) {
    int next = choose();
    if (next >= 0 && &players[next] == me) return;
    bool isDone = me->isDone; // after this, other players may run
    Player *self = me;
    sem_post(next < 0 ? &playIsOver : &players[next].mayGo);
    if (!isDone) sem_wait(&self->mayGo);
}

bool StepperIsOn(void) { return me && !me->paused; }
void StepperPause(void) { if (me) me->paused++; }
void StepperResume(void) { if (me) me->paused--; }

void StepWhenReady(const void *object, StepKind kind, const char *what, const char *function, bool (*isReady)(const void *object)) {
    if (!StepperIsOn()) return;
    me->next = (StepInfo){object, kind, what, function, isReady};
    passOn();
}

void Step(const void *object, StepKind kind, const char *what, const char *function) {
    StepWhenReady(object, kind, what, function, NULL);
}

// MARK: - Plays

static void *playPart(void *player) {
    me = player;
    for (;;) {
        sem_wait(&me->mayGo);
        play.parts[me - players]();
        me->isDone = true;
        passOn();
    }
    return NULL;
}

static void start(Play toPlay) {
    play = toPlay;
    sem_init(&playIsOver, 0, 0);
    for (playerCount = 0; playerCount < MostPlayers && play.names[playerCount]; playerCount++) {
        Player *player = &players[playerCount];
        sem_init(&player->mayGo, 0, 0);
        if (pthread_create(&player->thread, NULL, playPart, player)) FAIL("no thread");
    }
}

/// One play, with the given choices and then its own.
static void playOnce(void) {
    if (play.before) play.before();
    depth = 0;
    isRepetition = false;
    for (int i = 0; i < playerCount; i++) {
        players[i].isDone = false;
        players[i].paused = 0;
        players[i].next = (StepInfo){.object = &players[i], .kind = Changes, .what = "begins", .function = ""};
    }
    sem_post(&players[choose()].mayGo);
    sem_wait(&playIsOver);
    if (play.after) play.after();
}

long RunAllOrders(const char *title, Play toPlay) {
    long orders = 0, repetitions = 0;
    if (playerCount) FAIL("one search a process"); // the players of a search wait forever for the next play
    start(toPlay);
    given = 0;
    do {
        playOnce();
        if (isRepetition) repetitions++;
        else orders++;
    } while (makeAnotherChoice());
    printf("%s: %ld orders, and %ld begun that were no others\n", title, orders, repetitions);
    return orders;
}
