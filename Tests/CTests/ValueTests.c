/// ValueTests.c: CFData, CFBoolean and CFAutorelease: tests that Tests/Conformance cannot have, because the original's Linux build reads
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

static CFMutableDataRef makeMutableData(const char *text) {
    return KEPT(CFDataCreateMutableCopy(NULL, 0, makeData(text)));
}

static const char *textOfData(CFDataRef data) {
    static char text[100];
    snprintf(text, sizeof text, "%.*s", (int)CFDataGetLength(data), CFDataGetLength(data) ? (const char *)CFDataGetBytePtr(data) : "");
    return text;
}

static int deallocated;

static void *allocateBytes(CFIndex size, CFOptionFlags hint, void *info) { return malloc((size_t)size); }
static void deallocateBytes(void *bytes, void *info) {
    deallocated++;
    free(bytes);
}

// MARK: - CFData

TEST(D67_an_immutable_CFData_is_not_changed, "A change to an immutable CFData has no effect; a copy of it is the object itself") {
    CFDataRef data = makeData("fixed");
    CFMutableDataRef asMutable = (CFMutableDataRef)data;
    CFDataAppendBytes(asMutable, (const UInt8 *)"x", 1);
    CFDataSetLength(asMutable, 1);
    CHECK_EQ_PTR(CFDataGetMutableBytePtr(asMutable), NULL);
    CHECK_EQ_STR(textOfData(data), "fixed");
    CHECK_EQ_PTR(KEPT(CFDataCreateCopy(NULL, data)), data);
    CHECK_EQ_INT(CFGetRetainCount(data), 2);
}

TEST(D67_a_range_outside_of_the_bytes_aborts, "A range outside of the bytes, a negative length and NULL bytes abort with a message, before anything is read") {
    CFMutableDataRef data = makeMutableData("abc");
    UInt8 bytes[10] = {0};
    CHECK_HALTS("CFDataGetBytes was given the range {1, 3} of 3 bytes", CFDataGetBytes(data, CFRangeMake(1, 3), bytes));
    CHECK_HALTS("CFDataGetBytes was given the range {-1, 1} of 3 bytes", CFDataGetBytes(data, CFRangeMake(-1, 1), bytes));
    CHECK_HALTS("CFDataGetBytes was given the range {0, 9223372036854775807} of 3 bytes", CFDataGetBytes(data, CFRangeMake(0, LONG_MAX), bytes));
    CHECK_HALTS("a length of -1", CFDataCreate(NULL, bytes, -1));
    CHECK_HALTS("a length of 2", CFDataCreate(NULL, NULL, 2));
    CHECK_HALTS("a length of -1", CFDataAppendBytes(data, bytes, -1));
    CHECK_HALTS("was given the length -1", CFDataSetLength(data, -1));
    CHECK_HALTS("CFDataGetLength was given NULL", CFDataGetLength(NULL));
    CHECK_HALTS("was given the capacity -1", CFDataCreateMutable(NULL, -1));
}

TEST(CFData_keeps_to_its_capacity, "A CFData with a capacity takes that many bytes, and aborts at one more") {
    CFMutableDataRef data = KEPT(CFDataCreateMutable(NULL, 3));
    CFDataAppendBytes(data, (const UInt8 *)"abc", 3);
    CFDataSetLength(data, 2);
    CFDataAppendBytes(data, (const UInt8 *)"z", 1);
    CHECK_EQ_STR(textOfData(data), "abz");
    CHECK_HALTS("would make a length of 4, but the CFData was created with a capacity of 3", CFDataAppendBytes(data, (const UInt8 *)"x", 1));
    CHECK_HALTS("would make a length of 5, but the CFData was created with a capacity of 3", CFDataSetLength(data, 5));
    CHECK_HALTS("Create it with the capacity 0", CFDataCreateMutableCopy(NULL, 2, data));
}

TEST(CFData_takes_its_own_bytes, "Bytes of a CFData can be appended to itself, also if its memory moves") {
    CFMutableDataRef data = makeMutableData("01234567890123");
    for (int i = 0; i < 3; i++) CFDataAppendBytes(data, CFDataGetBytePtr(data), CFDataGetLength(data));
    CFDataAppendBytes(data, CFDataGetBytePtr(data) + 14 * 8 - 3, 3);
    CHECK_EQ_INT(CFDataGetLength(data), 14 * 8 + 3);
    CHECK_EQ_INT(memcmp(CFDataGetBytePtr(data) + 14 * 7, "01234567890123123", 17), 0);
}

TEST(CFData_frees_its_bytes, "A mutable CFData has its bytes from its allocator, and frees them when it is freed itself") {
    CFAllocatorContext context = {.allocate = allocateBytes, .deallocate = deallocateBytes};
    CFAllocatorRef allocator = CFAllocatorCreate(NULL, &context);
    CFMutableDataRef data = CFDataCreateMutable(allocator, 5);
    CFDataAppendBytes(data, (const UInt8 *)"12345", 5);
    CFRelease(data);
    CHECK_EQ_INT(deallocated, 2);
    CFRelease(CFDataCreate(allocator, (const UInt8 *)"12345", 5));
    CHECK_EQ_INT(deallocated, 3);
    CFRelease(allocator);
}

TEST(CFData_is_a_key, "Equal CFDatas have the same hash, so one finds the other's value in a dictionary") {
    CFMutableDictionaryRef dictionary =
        KEPT(CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks));
    CFDictionarySetValue(dictionary, makeData("key"), kCFBooleanTrue);
    CHECK_EQ_PTR(CFDictionaryGetValue(dictionary, makeMutableData("key")), kCFBooleanTrue);
    CHECK_EQ_PTR(CFDictionaryGetValue(dictionary, makeData("keys")), NULL);
}

// MARK: - CFBoolean

TEST(CFBoolean_is_two_constants, "The two truth values are constants, %@ prints true and false, and NULL aborts") {
    CHECK_EQ_INT(CFGetRetainCount(kCFBooleanTrue), LONG_MAX);
    CHECK_EQ_STR(Text(KEPT(CFStringCreateWithFormat(NULL, NULL, CFSTR("%@ %@"), kCFBooleanTrue, kCFBooleanFalse))), "true false");
    CHECK_HALTS("CFBooleanGetValue was given NULL", CFBooleanGetValue(NULL));
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

static int autoreleasedInFinalizer;
static void autoreleaseAnother(const void *info) { CFAutorelease(CFRetain((CFTypeRef)info)), autoreleasedInFinalizer++; }

TEST(D71_what_a_finalizer_autoreleases_goes_too,
     "Objects that are autoreleased while a pool ends are released by that pool; at the end of a thread, by the thread") {
    static CFDataRef object;
    static void (^autoreleaseAllocator)(void) = ^{
        CFAllocatorContext context = {.info = (void *)object, .release = autoreleaseAnother, .allocate = allocateBytes};
        CFAutorelease(CFAllocatorCreate(NULL, &context));
    };
    object = CFDataCreate(NULL, NULL, 0);
    void *pool = _CFAutoreleasePoolPush();
    autoreleaseAllocator();
    _CFAutoreleasePoolPop(pool);
    CHECK_EQ_INT(autoreleasedInFinalizer, 1);
    CHECK_EQ_INT(CFGetRetainCount(object), 1);
    OnNewThread(^{ autoreleaseAllocator(); });
    CHECK_EQ_INT(autoreleasedInFinalizer, 2);
    CHECK_EQ_INT(CFGetRetainCount(object), 1);
}
