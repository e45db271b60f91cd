/// AutoreleaseTests.c: tests of CFAutorelease. Programs/Conformance cannot have these tests, because no header of the original's Linux build declares the
/// function.
#include "CTests.h"
#include "Fakes.h"
#include "LoopSupport.h"
#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/ForFoundationOnly.h>

TEST(D71_autoreleased_objects_go_with_their_pool,
     "CFAutorelease gives an object to the innermost pool, which releases its objects when it ends, the newest first; pools nest") {
    static CFArrayRef objects[3];
    void *outer = _CFAutoreleasePoolPush();
    for (int i = 0; i < 3; i++) objects[i] = CFArrayCreate(NULL, NULL, 0, NULL);
    for (int i = 0; i < 3; i++) CFRetain(objects[i]);
    CHECK_EQ_PTR(CFAutorelease(objects[0]), objects[0]);
    void *inner = _CFAutoreleasePoolPush();
    CFAutorelease(objects[1]);
    _CFAutoreleasePoolPush(); // ends with the outer pool
    CFAutorelease(objects[2]);
    CHECK_EQ_INT(CFGetRetainCount(objects[2]), 2);
    _CFAutoreleasePoolPop(inner);
    CHECK_EQ_INT(CFGetRetainCount(objects[0]), 2);
    CHECK_EQ_INT(CFGetRetainCount(objects[1]), 1);
    CHECK_EQ_INT(CFGetRetainCount(objects[2]), 1);
    _CFAutoreleasePoolPop(inner);
    _CFAutoreleasePoolPop(NULL);
    CHECK_EQ_INT(CFGetRetainCount(objects[0]), 2);
    _CFAutoreleasePoolPop(outer);
    CHECK_EQ_INT(CFGetRetainCount(objects[0]), 1);
    CHECK_HALTS("CFAutorelease was given NULL", CFAutorelease(NULL));
}

TEST(D71_without_a_pool_the_thread_releases_them, "An object that is autoreleased without a pool is released when its thread ends") {
    static CFArrayRef object;
    object = CFArrayCreate(NULL, NULL, 0, NULL);
    OnNewThread(^{
        for (int i = 0; i < 100; i++) CFAutorelease(CFRetain(object));
        CHECK_EQ_INT(CFGetRetainCount(object), 101);
    });
    CHECK_EQ_INT(CFGetRetainCount(object), 1);
}

static CFArrayRef autoreleased;
static int autoreleasedInFinalizer;
static void autoreleaseAnother(void) { CFAutorelease(CFRetain(autoreleased)), autoreleasedInFinalizer++; }
static void autoreleaseTelling(void) { CFAutorelease(MakeTellingObject(autoreleaseAnother)); }

TEST(D71_what_a_finalizer_autoreleases_goes_too,
     "Objects that are autoreleased while a pool ends are released by that pool; at the end of a thread, by the thread") {
    autoreleased = CFArrayCreate(NULL, NULL, 0, NULL);
    void *pool = _CFAutoreleasePoolPush();
    autoreleaseTelling();
    _CFAutoreleasePoolPop(pool);
    CHECK_EQ_INT(autoreleasedInFinalizer, 1);
    CHECK_EQ_INT(CFGetRetainCount(autoreleased), 1);
    OnNewThread(^{ autoreleaseTelling(); });
    CHECK_EQ_INT(autoreleasedInFinalizer, 2);
    CHECK_EQ_INT(CFGetRetainCount(autoreleased), 1);
}
