/// strings: what strings are made of, how they are compared, and what formats print. What the loop's strings refuse, and the original's do not, is in
/// StringTests.c.
#include "../Scenario.h"
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

/// The string as a C string, with other characters than those of ASCII spelled out.
static const char *inAscii(CFStringRef string) {
    static _Thread_local char text[4096];
    size_t used = 0;
    if (!string) return "none";
    for (CFIndex i = 0; i < CFStringGetLength(string) && used < 4000; i++) {
        UniChar unit = CFStringGetCharacterAtIndex(string, i);
        used += (size_t)sprintf(text + used, unit >= 0x20 && unit < 0x7F ? "%c" : "<%04X>", unit);
    }
    text[used] = 0;
    return text;
}

static CFStringRef utf8(const char *bytes) { return CFStringCreateWithCString(NULL, bytes, kCFStringEncodingUTF8); }

static void sayString(const char *what, CFStringRef string) { LOG("%s: %s", what, inAscii(string)); }

static void sayMade(const char *bytes, CFIndex length, CFStringEncoding encoding, Boolean isExternal) {
    sayString("made", CFStringCreateWithBytes(NULL, (const UInt8 *)bytes, length, encoding, isExternal));
}

static void sayFormat(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sayString(format, CFStringCreateWithFormatAndArguments(NULL, NULL, utf8(format), arguments));
    va_end(arguments);
}

static void sayBytes(CFStringRef string, CFRange range, CFStringEncoding encoding, UInt8 lossByte, CFIndex room) {
    UInt8 buffer[16] = "";
    CFIndex used = 0, converted = CFStringGetBytes(string, range, encoding, lossByte, false, room ? buffer : NULL, room, &used);
    LOG("%ld units, %ld bytes: %s", (long)converted, (long)used, inAscii(CFStringCreateWithBytes(NULL, buffer, room ? used : 0, kCFStringEncodingUTF8, false)));
}

static void encodings(void) {
    CFStringRef emoji = utf8("h\xC3\xA9\xF0\x9F\x98\x80!");
    LOG("%ld units", (long)CFStringGetLength(emoji));
    sayString("an emoji", emoji);
    const char *bad[] = {"\xFF", "\xC0\x80", "\xC3", "\xC3(", "\xE2\x82", "\xED\xA0\xBD", "\xF4\x90\x80\x80", "\xF0\x80\x80\x80", "a\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) sayString("no UTF-8", utf8(bad[i]));
    sayMade("\xE9", 1, kCFStringEncodingASCII, false);
    sayMade("\xEF\xBB\xBF" "a", 4, kCFStringEncodingUTF8, false);
    sayMade("\xEF\xBB\xBF", 3, kCFStringEncodingUTF8, true);
    sayMade("a\0b", 3, kCFStringEncodingUTF8, false);
    sayMade("a", -1, kCFStringEncodingUTF8, false);
    PART("to bytes");
    CFRange all = CFRangeMake(0, 4);
    sayBytes(emoji, all, kCFStringEncodingUTF8, 0, 6);
    sayBytes(emoji, all, kCFStringEncodingASCII, 0, 0);
    sayBytes(emoji, all, kCFStringEncodingASCII, '?', 16);
    sayBytes(emoji, all, kCFStringEncodingASCII, '?', 3);
    sayBytes(emoji, CFRangeMake(3, 1), kCFStringEncodingUTF8, 0, 16); // half of a pair
    char buffer[8];
    for (CFIndex room = 3; room < 5; room++) {
        Boolean fits = CFStringGetCString(CFSTR("abc"), buffer, room, kCFStringEncodingUTF8);
        LOG("in %ld bytes: %s", (long)room, fits ? buffer : "no room");
    }
    LOG("in ASCII %d", CFStringGetCString(emoji, buffer, 8, kCFStringEncodingASCII));
    LOG("at most %ld", (long)CFStringGetMaximumSizeForEncoding(10, kCFStringEncodingUTF8));
}

static void halves(void) {
    CFStringRef emoji = utf8("\xF0\x9F\x98\x80"), high = CFStringCreateWithCharacters(NULL, (const UniChar[]){0xD83D}, 1),
                low = CFStringCreateWithCharacters(NULL, (const UniChar[]){0xDE00}, 1);
    CFMutableStringRef string = CFStringCreateMutableCopy(NULL, 0, high), twice = CFStringCreateMutableCopy(NULL, 0, low);
    sayString("half of a pair", string);
    CFStringAppend(string, low);
    LOG("whole: equal %d, hashes alike %d", CFEqual(string, emoji), CFHash(string) == CFHash(emoji));
    CFStringAppend(string, high);
    CFStringAppend(string, CFSTR("-"));
    CFStringAppend(string, low);
    sayString("apart", string);
    CFStringAppend(twice, high);
    CFStringAppend(twice, twice);
    sayString("twice", twice);
    sayBytes(twice, CFRangeMake(1, 2), kCFStringEncodingUTF8, 0, 16);
}

static void copies(void) {
    CFStringRef plain = utf8("kCFRunLoopDefaultMode"), copy = CFStringCreateCopy(NULL, plain);
    CFMutableStringRef mutable = CFStringCreateMutableCopy(NULL, 2, plain); // the length is a hint, not a limit
    CFStringRef frozen = CFStringCreateCopy(NULL, mutable);
    LOG("the same %d; equal %d %d %d", copy == plain, CFEqual(plain, mutable), CFEqual(plain, DEFAULT), CFEqual(mutable, DEFAULT));
    LOG("equal to others %d %d", CFEqual(plain, CFSTR("kCFRunLoopDefaultModf")), CFEqual(CFSTR("kCFRunLoop"), plain));
    LOG("hashes alike %d %d", CFHash(plain) == CFHash(mutable), CFHash(plain) == CFHash(DEFAULT));
    CFStringAppend(mutable, CFSTR(" and more"));
    sayString("frozen", frozen);
    sayString("mutable", mutable);
    CFMutableStringRef long_ = CFStringCreateMutable(NULL, 0);
    for (int i = 0; i < 20000; i++) CFStringAppend(long_, i % 2 ? CFSTR("abc") : utf8("\xE2\x82\xAC"));
    LOG("%ld units, the last %x and %x", (long)CFStringGetLength(long_), CFStringGetCharacterAtIndex(long_, 39999), CFStringGetCharacterAtIndex(long_, 39996));
}

static void formats(void) {
    sayFormat("% d|%+d|%05d|%-5d|%+.3d|%#x|%#o|%X", 3, 3, 3, 3, 3, 255, 8, 255);
    sayFormat("%hhd %hd %ld %lld %jd %zd %td", 300, 70000, 6L, 7LL, (intmax_t)9, (size_t)10, (ptrdiff_t)11);
    sayFormat("%0.09g %10.2f|%-10.2f|%e %.3Lf %a", 1.0 / 3, 2.5, 2.5, 1.5, 1.25L, 1.5);
    sayFormat("%*d|%-*d|%*d|%.*d|%*.*f", 5, 1, 5, 1, -5, 1, -3, 5, 8, 2, 3.14159);
    sayFormat("%s|%.2s|%5s|%-5s|%s|%c%5c", "abc", "abc", "abc", "abc", NULL, 'x', 'y');
    sayFormat("%p|%10p|%-10p", (void *)0x1234, (void *)0x12, (void *)0x12);
    sayFormat("%llu %u %f %f", -1LL, -1, INFINITY, -INFINITY);
    PART("objects");
    sayFormat("%@|%@|%@|%10@", CFSTR("text"), NULL, CFSTR("more"), CFSTR("x"));
    sayFormat("\xC3\xA9%d\xE2\x82\xAC", 1);
    sayFormat("%s", "h\xC3\xA9");
    PART("nonsense");
    int target = 42;
    sayFormat("%%|abc%");
    sayFormat("%y|%d|%l", 3);
    sayFormat("%n|%d", &target, 5);
    LOG("target %d", target);
    setlocale(LC_ALL, "de_DE.UTF-8"); // no effect if the locale is not installed
    sayFormat("%.1f", 1.5);
    setlocale(LC_ALL, "C");
}

SCENARIO(strings, onMainThread, 0x8c06fa1e) {
    PART("encodings");
    encodings();
    PART("halves of a surrogate pair");
    halves();
    PART("copies");
    copies();
    PART("formats");
    formats();
}
