/// CFSymbols.c: the name of the function at an address, for descriptions. CFSymbolTable.c finds it.
#include "CFInternal.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>

/// A function of Swift's runtime. A C program does not have it.
extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size,
                            uint32_t flags) __attribute__((weak, visibility("default")));

const char *_CFGetNameOfFunction(const void *address, const void **start) {
    __CFSymbol found = __CFSymbolFind(address);
    *start = found.start;
    return found.name;
}

// MARK: - Swift's names

static bool __CFBegins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/// What follows that which the compiler puts before a name when it has made a function of another.
static const char *__CFAfterAdditions(const char *text) {
    static const char *const additions[] = {"@objc ", "merged ", "partial apply forwarder for "};
    for (size_t i = 0; i < sizeof additions / sizeof *additions; i++)
        if (__CFBegins(text, additions[i])) return __CFAfterAdditions(text + strlen(additions[i]));
    const char *of = strstr(text, "> of ");
    bool isSpecial = strstr(text, "specialization <") &&
                     (__CFBegins(text, "generic ") || __CFBegins(text, "function signature "));
    return of && isSpecial ? __CFAfterAdditions(of + strlen("> of ")) : text;
}

/// What follows a name between backquotes, in which any character may stand; the text itself if it
/// does not begin with a backquote.
static const char *__CFAfterQuoted(const char *text) {
    const char *end = *text == '`' ? strchr(text + 1, '`') : NULL;
    return end ? end + 1 : text;
}

/// What follows the bracket that closes the one at `text`. The arrow of a type is no bracket.
static const char *__CFAfterBrackets(const char *text) {
    for (int depth = 0; *text;) {
        const char *after = __CFAfterQuoted(text);
        if (after == text) {
            if (*text == '(' || *text == '<') depth++;
            else if (*text == ')' || (*text == '>' && text[-1] != '-')) depth--;
            after = text + 1;
        }
        text = after;
        if (depth == 0) break;
    }
    return text;
}

/// The length of the name in "(name in _C3B2231F…)", which stands for one that is private to a
/// file; 0 if the text does not begin so.
static size_t __CFLengthOfPrivateName(const char *text) {
    if (*text != '(') return 0;
    const char *name = text + 1;
    for (const char *end = name; *end && *end != '(' && *end != ')';) {
        if (__CFBegins(end, " in _") && strspn(end + 5, "0123456789ABCDEF") == 32)
            return end[5 + 32] == ')' ? (size_t)(end - name) : 0;
        const char *after = __CFAfterQuoted(end);
        end = after == end ? end + 1 : after;
    }
    return 0;
}

/// Whether a character, or a byte of one, can be part of a name that is no operator.
static bool __CFIsInName(char character) {
    return isalnum((unsigned char)character) || strchr("_`", character) || (character & 0x80);
}

/// Leaves what somebody has written in the name of a function of Swift's, and takes out the types,
/// and what the compiler adds: of "@objc closure #1 @Sendable (Timer) -> () in
/// Clock.(start in _C3B2231F…)(Int) -> ()" it leaves "closure #1 in Clock.start". What is written
/// is never longer than what has been read.
static void __CFShortenSwiftName(char *name) {
    const char *from = __CFAfterAdditions(name);
    char *to = name;
    if (__CFBegins(from, "reabstraction thunk ")) { // nobody has written that
        memmove(name, from, strlen(from) + 1);
        return;
    }
    bool isType = false;
    int locals = 0; // of the types "Local #1 in start() -> ()", those whose " in " is still to come
    while (*from) {
        size_t length = __CFLengthOfPrivateName(from);
        const char *quoted = __CFAfterQuoted(from);
        if (__CFBegins(from, " in ") && locals > 0) {
            from += strlen(" in ");
            locals--;
        } else if (__CFBegins(from, " in ")) {
            for (int i = 0; i < 4; i++) *to++ = *from++;
            isType = false;
        } else if (isType) {
            locals += __CFBegins(from, " #");
            from = *from == '(' || *from == '<' ? __CFAfterBrackets(from)
                 : quoted > from ? quoted : from + 1;
        } else if (quoted > from) {
            while (from < quoted) *to++ = *from++;
        } else if (__CFBegins(from, "(extension in ")) {
            from = __CFAfterBrackets(from);
            if (*from == ':') from++;
        } else if (length) {
            memmove(to, from + 1, length);
            to += length;
            from += 1 + length + strlen(" in _)") + 32;
        } else if (*from == '<' && to > name && __CFIsInName(to[-1])) {
            from = __CFAfterBrackets(from); // a generic type's arguments
        } else if (*from == '(' || __CFBegins(from, " : ")) {
            isType = true;
        } else if (__CFBegins(from, " #")) { // a closure's number, or a local function's
            do *to++ = *from++; while (*from == '#' || isdigit((unsigned char)*from));
            isType = true;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

// MARK: - Descriptions

CFStringRef __CFCopyNameOfFunction(const void *function) {
    const char *name = __CFSymbolFind(function).name;
    if (!name) name = "???"; // as on a Mac
    // A name that is not Swift's gives NULL.
    char *readable = swift_demangle ? swift_demangle(name, strlen(name), NULL, NULL, 0) : NULL;
    if (readable) __CFShortenSwiftName(readable);
    CFStringRef string = CFStringCreateWithCString(
        kCFAllocatorSystemDefault, readable ? readable : name, kCFStringEncodingUTF8);
    free(readable);
    return string ? string : CFSTR("???");
}

/// `format` shows the object, and then the function's name and its address.
static CFStringRef __CFSymbolDescribe(CFStringRef format, const void *object,
                                      const void *function) {
    CFStringRef name = __CFCopyNameOfFunction(function);
    CFStringRef result = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, format, object,
                                                  name, function);
    CFRelease(name);
    return result;
}

/// A block begins with its class, flags, and its function. This layout is part of the ABI.
CFStringRef __CFBlockCopyDescription(const void *block) {
    if (!block) return NULL;
    return __CFSymbolDescribe(CFSTR("<block %p>{function = %@ (%p)}"), block,
                              ((const void *const *)block)[2]);
}

CFStringRef _CFCopyClosureDescription(const void *function) {
    return __CFSymbolDescribe(CFSTR("<closure %p: %@>"), function, function);
}
