/// ValueTests.c: CFData and CFAutorelease: tests that Tests/Oracle/Conformance cannot have, because the original's Linux build reads
/// outside the bytes, ends the process, or does not have the function.
#include "CTests.h"
#include "Fakes.h"
#include "LoopSupport.h"
#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/ForFoundationOnly.h>

/// Keeps what a test creates until the process ends.
#define KEPT(object) ((__typeof__(object))CFAutorelease(object))

static CFDataRef makeData(const char *text) {
    return KEPT(CFDataCreate(NULL, (const UInt8 *)text, (CFIndex)strlen(text)));
}

// MARK: - CFData

TEST(CFData_checks_its_bytes, "A negative length, NULL bytes with a length, and NULL abort with a message, before anything is read") {
    UInt8 bytes[10] = {0};
    CHECK_HALTS("a length of -1", CFDataCreate(NULL, bytes, -1));
    CHECK_HALTS("a length of 2", CFDataCreate(NULL, NULL, 2));
    CHECK_HALTS("CFDataGetLength was given NULL", CFDataGetLength(NULL));
    CHECK_HALTS("CFDataGetBytePtr was given NULL", CFDataGetBytePtr(NULL));
}

TEST(CFData_frees_its_bytes, "A CFData has its bytes from its allocator, and frees them when it is freed itself") {
    CFAllocatorRef allocator = MakeCountingAllocator(NULL, NULL);
    CFRelease(CFDataCreate(allocator, (const UInt8 *)"12345", 5));
    CHECK_EQ_INT(BlocksFreed, 1);
    CFRelease(allocator);
}

TEST(CFData_is_a_key, "Equal CFDatas have the same hash, so one finds the other's value in a dictionary") {
    CFMutableDictionaryRef dictionary =
        KEPT(CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks));
    CFStringRef value = CFSTR("value");
    CFDictionarySetValue(dictionary, makeData("key"), value);
    CHECK_EQ_PTR(CFDictionaryGetValue(dictionary, makeData("key")), value);
    CHECK_EQ_PTR(CFDictionaryGetValue(dictionary, makeData("keys")), NULL);
}

/// If the types were not compared, the eight zeros would pass for the length of an empty string.
TEST(CFEqual_compares_by_type, "Objects of different types are never equal, whichever of them comes first") {
    CFDataRef zeros = KEPT(CFDataCreate(NULL, (const UInt8[8]){0}, 8));
    CHECK(!CFEqual(CFSTR(""), zeros) && !CFEqual(zeros, CFSTR("")));
}

// MARK: - CFAutorelease

TEST(D71_autoreleased_objects_go_with_their_pool,
     "CFAutorelease gives an object to the innermost pool, which releases its objects when it ends, the newest first; pools nest") {
    static CFDataRef objects[3];
    void *outer = _CFAutoreleasePoolPush();
    for (int i = 0; i < 3; i++) objects[i] = CFDataCreate(NULL, NULL, 0);
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
    static CFDataRef object;
    object = CFDataCreate(NULL, NULL, 0);
    OnNewThread(^{
        for (int i = 0; i < 100; i++) CFAutorelease(CFRetain(object));
        CHECK_EQ_INT(CFGetRetainCount(object), 101);
    });
    CHECK_EQ_INT(CFGetRetainCount(object), 1);
}

static CFDataRef autoreleased;
static int autoreleasedInFinalizer;
static void autoreleaseAnother(const void *info) { CFAutorelease(CFRetain(autoreleased)), autoreleasedInFinalizer++; }
static void autoreleaseAllocator(void) { CFAutorelease(MakeCountingAllocator(NULL, autoreleaseAnother)); }

TEST(D71_what_a_finalizer_autoreleases_goes_too,
     "Objects that are autoreleased while a pool ends are released by that pool; at the end of a thread, by the thread") {
    autoreleased = CFDataCreate(NULL, NULL, 0);
    void *pool = _CFAutoreleasePoolPush();
    autoreleaseAllocator();
    _CFAutoreleasePoolPop(pool);
    CHECK_EQ_INT(autoreleasedInFinalizer, 1);
    CHECK_EQ_INT(CFGetRetainCount(autoreleased), 1);
    OnNewThread(^{ autoreleaseAllocator(); });
    CHECK_EQ_INT(autoreleasedInFinalizer, 2);
    CHECK_EQ_INT(CFGetRetainCount(autoreleased), 1);
}
