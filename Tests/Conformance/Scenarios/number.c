/// number: CFNumber and CFBoolean: the type in which a number is stored, its descriptions, each conversion with its result, the order of
/// all pairs, and which are equal. The order of a negative integer and either NaN or a number between -1 and 0 is left out: the original's
/// Linux build considers the integer greater [D68].
#include "Scenario.h"

static void sayObject(const char *title, CFTypeRef object) {
    char described[500], formatted[500];
    CFStringRef description = CFCopyDescription(object);
    CFMutableArrayRef list = CFArrayCreateMutable(NULL, 0, NULL);
    CFArrayAppendValue(list, description);
    CFStringGetCString(description, described, sizeof described, kCFStringEncodingUTF8);
    snprintf(formatted, sizeof formatted, "%.9s%s", described, strchr(described, '{'));
    say("%s: %s", title, formatted);
    CFRelease(list);
    CFRelease(description);
}

/// The value of each type that a number converts to. Processors approximate differently, so the value is printed only for integers that
/// lose upper bits, and for doubles that become floats.
static void sayConversions(CFNumberRef number) {
    char line[900], *end = line;
    for (CFNumberType type = kCFNumberSInt8Type; type <= kCFNumberMaxType; type++) {
        union {
            int8_t int8;
            int16_t int16;
            int32_t int32;
            int64_t int64;
            float float32;
            double float64;
        } value = {.int64 = 0x5555555555555555};
        Boolean isExact = CFNumberGetValue(number, type, &value);
        double shown;
        switch (type) {
        case kCFNumberSInt8Type: case kCFNumberCharType: shown = value.int8; break;
        case kCFNumberSInt16Type: case kCFNumberShortType: shown = value.int16; break;
        case kCFNumberSInt32Type: case kCFNumberIntType: shown = value.int32; break;
        case kCFNumberFloat32Type: case kCFNumberFloatType: shown = value.float32; break;
        case kCFNumberFloat64Type: case kCFNumberDoubleType: case kCFNumberCGFloatType: shown = value.float64; break;
        default: shown = (double)value.int64;
        }
        double real = 0;
        CFNumberGetValue(number, kCFNumberDoubleType, &real);
        bool isInRange = isExact || !CFNumberIsFloatType(number) || fabs(real) < 100;
        end += isInRange ? sprintf(end, " %ld:%d %.17g", (long)type, isExact, shown) : sprintf(end, " %ld:%d", (long)type, isExact);
    }
    say("  %s", line);
}

static CFNumberRef numbers[64];
static int count;

static void add(CFNumberType type, const void *value) {
    CFNumberRef number = CFNumberCreate(NULL, type, value);
    say("created as %ld, stored as %ld, %ld bytes, float %d", (long)type, (long)CFNumberGetType(number), CFNumberGetByteSize(number),
        CFNumberIsFloatType(number));
    sayObject("  ", number);
    sayConversions(number);
    numbers[count++] = number;
}

static bool isNaNAndNegativeInteger(CFNumberRef number, CFNumberRef other) {
    int64_t integer = 0;
    return number == kCFNumberNaN && !CFNumberIsFloatType(other) && CFNumberGetValue(other, kCFNumberSInt64Type, &integer) && integer < 0;
}

#define ADD(name, type, ...) { type values[] = {__VA_ARGS__}; for (size_t i = 0; i < sizeof values / sizeof *values; i++) add(name, &values[i]); }

SCENARIO("number", onThreads) {
    count = 0;
    part("numbers");
    ADD(kCFNumberSInt8Type, int8_t, -128, -2, -1, 0, 12, 13, 127)
    ADD(kCFNumberSInt16Type, int16_t, 300, -32768)
    ADD(kCFNumberSInt32Type, int32_t, 70000, INT32_MIN)
    ADD(kCFNumberSInt64Type, int64_t, 5000000000, INT64_MIN, INT64_MAX, 9007199254740993)
    ADD(kCFNumberCharType, char, 77)
    ADD(kCFNumberShortType, short, 77)
    ADD(kCFNumberIntType, int, 77)
    ADD(kCFNumberLongType, long, 77)
    ADD(kCFNumberLongLongType, long long, 77)
    ADD(kCFNumberCFIndexType, CFIndex, 77)
    ADD(kCFNumberNSIntegerType, CFIndex, -77)
    ADD(kCFNumberCGFloatType, double, 7.5)
    ADD(kCFNumberFloat32Type, float, 1.1f, 7, 16777216)
    ADD(kCFNumberFloatType, float, -1.5f, NAN, INFINITY)
    ADD(kCFNumberFloat64Type, double, 1.1, 3, -0.0, 0.0, 0.5, -2.75, 1e300, -1e300, 1e-300, 9007199254740992, 9223372036854775808.0)
    ADD(kCFNumberDoubleType, double, INFINITY, -INFINITY, NAN, 123456789.125, -9223372036854775808.0)
    say("%d numbers", count);

    part("order");
    for (int i = 0; i < count; i++) {
        char line[64 * 4], *end = line;
        for (int j = 0; j < count; j++)
            end += isNaNAndNegativeInteger(numbers[i], numbers[j]) || isNaNAndNegativeInteger(numbers[j], numbers[i]) ? sprintf(end, " - ")
                : sprintf(end, "%2ld%s", (long)CFNumberCompare(numbers[i], numbers[j], NULL), CFEqual(numbers[i], numbers[j]) ? "=" : " ");
        say("%s", line);
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (CFEqual(numbers[i], numbers[j]) && CFHash(numbers[i]) != CFHash(numbers[j])) say("equal, with another hash: %d %d", i, j);

    part("constants");
    double infinity = INFINITY, nan = NAN;
    float negative = -INFINITY;
    say("%d %d %d", CFNumberCreate(NULL, kCFNumberDoubleType, &infinity) == kCFNumberPositiveInfinity,
        CFNumberCreate(NULL, kCFNumberFloatType, &negative) == kCFNumberNegativeInfinity,
        CFNumberCreate(NULL, kCFNumberDoubleType, &nan) == kCFNumberNaN);
    sayObject("true", kCFBooleanTrue);
    sayObject("false", kCFBooleanFalse);
    int one = 1;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &one);
    say("values %d %d, equal %d, true equals 1 %d %d", CFBooleanGetValue(kCFBooleanTrue), CFBooleanGetValue(kCFBooleanFalse),
        CFEqual(kCFBooleanTrue, kCFBooleanFalse), CFEqual(kCFBooleanTrue, number), CFEqual(number, kCFBooleanTrue));
    say("types: %d %d, %s, %s", CFGetTypeID(number) == CFNumberGetTypeID(), CFGetTypeID(kCFBooleanTrue) == CFBooleanGetTypeID(),
        text(CFCopyTypeIDDescription(CFNumberGetTypeID())), text(CFCopyTypeIDDescription(CFBooleanGetTypeID())));
}
