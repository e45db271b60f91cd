/// CFStringSearch.c: comparing, searching, replacing, splitting and joining strings, letter case,
/// and reading numbers.
///
/// These functions work on UTF-16 units, because all positions count units. They copy a string's
/// units, and free the copy afterwards. A Mac reads a string through a small buffer of units. It
/// also uses locales, can ignore accents, and can treat one letter as two (a sharp s as ss). Here
/// one letter is always one letter.
#include "CFString_Internal.h"
#include <wctype.h>

// MARK: - Units

/// A copy of a string's units. It allocates memory only for long strings.
typedef struct {
    UniChar *units;
    CFIndex count;
    UniChar few[64];
} __CFUnits;

static void __CFUnitsInit(__CFUnits *self, __CFStringText text, CFRange range) {
    self->count = range.length;
    self->units = range.length <= 64 ? self->few : calloc((size_t)range.length, sizeof(UniChar));
    if (!self->units) __CF_HAS_NO_MEMORY_LEFT__("the units of a string");
    __CFStringGetUnits(text, range, self->units);
}

static void __CFUnitsInitWithString(__CFUnits *self, CFStringRef str, const char *function) {
    __CFStringText text = __CFStringGetText(str, function);
    __CFUnitsInit(self, text, CFRangeMake(0, text.units));
}

static void __CFUnitsDestroy(__CFUnits *self) {
    if (self->units != self->few) free(self->units);
}

// MARK: - Letters

static locale_t __CFStringLocale;

static void __CFStringOpenLocale(void) {
    __CFStringLocale = newlocale(LC_CTYPE_MASK | LC_NUMERIC_MASK, "C.UTF-8", (locale_t)0);
    if (!__CFStringLocale)
        __CFStringLocale = newlocale(LC_CTYPE_MASK | LC_NUMERIC_MASK, "C", (locale_t)0);
}

/// Letters depend on Unicode, not on the user's language, so the library uses its own locale. If
/// the system does not have C.UTF-8, the library knows only the letters A to Z.
locale_t __CFStringGetLocale(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, __CFStringOpenLocale);
    return __CFStringLocale;
}

static UTF32Char __CFCharacterToLower(UTF32Char c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    locale_t locale = __CFStringGetLocale();
    return locale ? (UTF32Char)towlower_l((wint_t)c, locale) : c;
}

static UTF32Char __CFCharacterToUpper(UTF32Char c) {
    if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
    locale_t locale = __CFStringGetLocale();
    return locale ? (UTF32Char)towupper_l((wint_t)c, locale) : c;
}

/// Returns the character at `i`, which has one unit or two.
static UTF32Char __CFUnitsGetCharacter(const __CFUnits *self, CFIndex i) {
    UniChar unit = self->units[i];
    if (!CFStringIsSurrogateHighCharacter(unit) || i + 1 >= self->count) return unit;
    UniChar next = self->units[i + 1];
    return CFStringIsSurrogateLowCharacter(next)
        ? CFStringGetLongCharacterForSurrogatePair(unit, next) : unit;
}

/// Maps each letter. A letter stays as it is if the other one has a different number of units.
static void __CFUnitsMap(__CFUnits *self, UTF32Char (*map)(UTF32Char)) {
    for (CFIndex i = 0; i < self->count; i++) {
        UTF32Char from = __CFUnitsGetCharacter(self, i), to = map(from);
        if (from < 0x10000 && to < 0x10000) self->units[i] = (UniChar)to;
        if (from < 0x10000) continue;
        if (to >= 0x10000) {
            self->units[i] = __CFCharacterGetHighSurrogate(to);
            self->units[i + 1] = __CFCharacterGetLowSurrogate(to);
        }
        i++;
    }
}

/// Returns the letter that a case-insensitive comparison uses: the lowercase form of the uppercase
/// form, so that letters with the same uppercase form are equal (s and the long s, the two small
/// sigmas). The Turkish dotted I and dotless i stay as they are, because only Turkish pairs them
/// with i and I.
static UTF32Char __CFCharacterFold(UTF32Char c) {
    if (c == 0x0130 || c == 0x0131) return c;
    return __CFCharacterToLower(c < 0x80 ? c : __CFCharacterToUpper(c));
}

static void __CFUnitsFold(__CFUnits *self, CFStringCompareFlags options) {
    if (options & kCFCompareCaseInsensitive) __CFUnitsMap(self, __CFCharacterFold);
}

static void __CFStringMapLetters(CFMutableStringRef str, UTF32Char (*map)(UTF32Char),
                                 const char *function) {
    if (!__CFStringMayChange(str, function)) return;
    __CFUnits units;
    __CFUnitsInitWithString(&units, str, function);
    __CFUnitsMap(&units, map);
    CFStringReplaceAll(str, CFSTR(""));
    __CFStringAppendUnits(str, units.units, units.count);
    __CFUnitsDestroy(&units);
}

void CFStringLowercase(CFMutableStringRef theString, const void *locale) {
    __CFStringMapLetters(theString, __CFCharacterToLower, __func__);
}

void CFStringUppercase(CFMutableStringRef theString, const void *locale) {
    __CFStringMapLetters(theString, __CFCharacterToUpper, __func__);
}

// MARK: - Comparing

/// Copies the units of a range of one string, and of all of another, folded as `options` say.
static void __CFUnitsInitBoth(__CFUnits *a, CFStringRef str1, CFRange range, __CFUnits *b,
                              CFStringRef str2, CFStringCompareFlags options,
                              const char *function) {
    __CFUnitsInit(a, __CFStringGetTextOfRange(str1, range, function), range);
    __CFUnitsInitWithString(b, str2, function);
    __CFUnitsFold(a, options);
    __CFUnitsFold(b, options);
}

static Boolean __CFIsDigit(UniChar unit) {
    return unit >= '0' && unit <= '9';
}

/// Moves `*from` past leading zeros, and returns how many digits follow.
static CFIndex __CFUnitsCountDigits(const __CFUnits *self, CFIndex *from) {
    while (*from < self->count && self->units[*from] == '0') ++*from;
    CFIndex end = *from;
    while (end < self->count && __CFIsDigit(self->units[end])) end++;
    return end - *from;
}

static CFComparisonResult __CFCompareIndexes(CFIndex a, CFIndex b) {
    return a < b ? kCFCompareLessThan : a > b ? kCFCompareGreaterThan : kCFCompareEqualTo;
}

/// Compares the numbers that begin at `*i` and `*j`, and moves both past them. They may have too
/// many digits for any integer, so the longer number is the greater one, and numbers of the same
/// length compare digit by digit.
static CFComparisonResult __CFUnitsCompareNumbers(const __CFUnits *a, CFIndex *i,
                                                  const __CFUnits *b, CFIndex *j) {
    CFIndex digitsA = __CFUnitsCountDigits(a, i), digitsB = __CFUnitsCountDigits(b, j);
    CFComparisonResult result = __CFCompareIndexes(digitsA, digitsB);
    for (CFIndex k = 0; k < digitsA && result == kCFCompareEqualTo; k++) {
        result = __CFCompareIndexes(a->units[*i + k], b->units[*j + k]);
    }
    *i += digitsA;
    *j += digitsB;
    return result;
}

/// Returns the number by which a unit is ordered. As in the Linux build, a case-insensitive
/// comparison orders surrogates after all other units, because their characters come after all
/// others.
static CFIndex __CFUnitGetRank(UniChar unit, CFStringCompareFlags options) {
    Boolean isSurrogate = CFStringIsSurrogateHighCharacter(unit)
        || CFStringIsSurrogateLowCharacter(unit);
    return (options & kCFCompareCaseInsensitive) && isSurrogate ? unit + 0x10000 : unit;
}

static CFComparisonResult __CFUnitsCompare(const __CFUnits *a, const __CFUnits *b,
                                           CFStringCompareFlags options) {
    CFIndex i = 0, j = 0;
    while (i < a->count && j < b->count) {
        Boolean asNumbers = (options & kCFCompareNumerically) && __CFIsDigit(a->units[i])
            && __CFIsDigit(b->units[j]);
        CFComparisonResult result = asNumbers
            ? __CFUnitsCompareNumbers(a, &i, b, &j)
            : __CFCompareIndexes(__CFUnitGetRank(a->units[i++], options),
                                 __CFUnitGetRank(b->units[j++], options));
        if (result != kCFCompareEqualTo) return result;
    }
    // If one string is a prefix of the other, the longer one comes later.
    return __CFCompareIndexes(a->count - i, b->count - j);
}

CFComparisonResult CFStringCompareWithOptions(CFStringRef theString1, CFStringRef theString2,
                                              CFRange rangeToCompare,
                                              CFStringCompareFlags compareOptions) {
    __CFUnits a, b;
    __CFUnitsInitBoth(&a, theString1, rangeToCompare, &b, theString2, compareOptions, __func__);
    CFComparisonResult result = __CFUnitsCompare(&a, &b, compareOptions);
    __CFUnitsDestroy(&a);
    __CFUnitsDestroy(&b);
    return result;
}

CFComparisonResult CFStringCompare(CFStringRef theString1, CFStringRef theString2,
                                   CFStringCompareFlags compareOptions) {
    return CFStringCompareWithOptions(theString1, theString2,
                                      CFRangeMake(0, CFStringGetLength(theString1)),
                                      compareOptions);
}

Boolean CFStringHasPrefix(CFStringRef theString, CFStringRef prefix) {
    __CFStringText text = __CFStringGetText(theString, __func__);
    __CFStringText start = __CFStringGetText(prefix, __func__);
    if (start.units == 0 || start.units > text.units) return false;
    return CFStringFindWithOptions(theString, prefix, CFRangeMake(0, text.units),
                                   kCFCompareAnchored, NULL);
}

Boolean CFStringHasSuffix(CFStringRef theString, CFStringRef suffix) {
    CFRange all = CFRangeMake(0, __CFStringGetText(theString, __func__).units);
    return CFStringFindWithOptions(theString, suffix, all, kCFCompareAnchored | kCFCompareBackwards,
                                   NULL);
}

// MARK: - Finding

static Boolean __CFUnitsMatch(const __CFUnits *self, CFIndex at, const __CFUnits *what) {
    return memcmp(self->units + at, what->units, (size_t)what->count * sizeof(UniChar)) == 0;
}

/// Returns the first index of `what` between `from` and `to` (the last index with the option
/// kCFCompareBackwards), or kCFNotFound. An empty string is never found.
static CFIndex __CFUnitsFind(const __CFUnits *self, CFIndex from, CFIndex to, const __CFUnits *what,
                             CFStringCompareFlags options) {
    CFIndex last = to - what->count;
    if (what->count == 0 || last < from) return kCFNotFound;
    Boolean backwards = (options & kCFCompareBackwards) != 0;
    CFIndex tries = options & kCFCompareAnchored ? 1 : last - from + 1;
    for (CFIndex k = 0; k < tries; k++) {
        CFIndex at = backwards ? last - k : from + k;
        if (__CFUnitsMatch(self, at, what)) return at;
    }
    return kCFNotFound;
}

Boolean CFStringFindWithOptions(CFStringRef theString, CFStringRef stringToFind,
                                CFRange rangeToSearch, CFStringCompareFlags searchOptions,
                                CFRange *result) {
    __CFUnits units, what;
    __CFUnitsInitBoth(&units, theString, rangeToSearch, &what, stringToFind, searchOptions,
                      __func__);
    CFIndex at = __CFUnitsFind(&units, 0, units.count, &what, searchOptions);
    CFIndex length = what.count;
    __CFUnitsDestroy(&units);
    __CFUnitsDestroy(&what);
    if (at == kCFNotFound) return false;
    if (result) *result = CFRangeMake(rangeToSearch.location + at, length);
    return true;
}

CFRange CFStringFind(CFStringRef theString, CFStringRef stringToFind,
                     CFStringCompareFlags compareOptions) {
    CFRange found = CFRangeMake(kCFNotFound, 0);
    CFStringFindWithOptions(theString, stringToFind, CFRangeMake(0, CFStringGetLength(theString)),
                            compareOptions, &found);
    return found;
}

/// The indexes at which a string was found, in the order of the search. No two of the found strings
/// overlap.
typedef struct {
    CFIndex *at;
    CFIndex count, capacity;
} __CFPlaces;

static void __CFPlacesAdd(__CFPlaces *self, CFIndex at) {
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 16;
        self->at = realloc(self->at, (size_t)self->capacity * sizeof(CFIndex));
        if (!self->at) __CF_HAS_NO_MEMORY_LEFT__("the places of a string");
    }
    self->at[self->count++] = at;
}

/// Finds a string everywhere in `range`. The caller frees `at`.
static __CFPlaces __CFStringFindAll(CFStringRef str, CFStringRef toFind, CFRange range,
                                    CFStringCompareFlags options, const char *function) {
    __CFPlaces places = {0};
    __CFUnits units, what;
    __CFUnitsInitBoth(&units, str, range, &what, toFind, options, function);
    CFIndex from = 0, to = units.count, at;
    while ((at = __CFUnitsFind(&units, from, to, &what, options)) != kCFNotFound) {
        __CFPlacesAdd(&places, range.location + at);
        if (options & kCFCompareBackwards) to = at;
        else from = at + what.count;
    }
    __CFUnitsDestroy(&units);
    __CFUnitsDestroy(&what);
    return places;
}

/// Appends `text`, with `replacement` for the `width` units at each place. The places ascend.
static void __CFStringAppendReplacing(CFMutableStringRef str, __CFStringText text,
                                      const __CFPlaces *places, CFIndex width,
                                      __CFStringText replacement) {
    CFIndex done = 0;
    for (CFIndex i = 0; i < places->count; i++) {
        __CFStringAppendSlice(str, text, CFRangeMake(done, places->at[i] - done));
        __CFStringAppendText(str, replacement.bytes, replacement.length, replacement.units);
        done = places->at[i] + width;
    }
    __CFStringAppendSlice(str, text, CFRangeMake(done, text.units - done));
}

static void __CFPlacesReverse(__CFPlaces *self) {
    for (CFIndex i = 0, j = self->count - 1; i < j; i++, j--) {
        CFIndex at = self->at[i];
        self->at[i] = self->at[j];
        self->at[j] = at;
    }
}

CFIndex CFStringFindAndReplace(CFMutableStringRef theString, CFStringRef stringToFind,
                               CFStringRef replacementString, CFRange rangeToSearch,
                               CFStringCompareFlags compareOptions) {
    if (!__CFStringMayChange(theString, __func__)) return 0;
    __CFPlaces places = __CFStringFindAll(theString, stringToFind, rangeToSearch, compareOptions,
                                          __func__);
    __CFStringText replacement = __CFStringGetText(replacementString, __func__);
    if (compareOptions & kCFCompareBackwards) __CFPlacesReverse(&places);
    if (places.count > 0) {
        CFMutableStringRef result = CFStringCreateMutable(kCFAllocatorSystemDefault, 0);
        if (!result) __CF_HAS_NO_MEMORY_LEFT__("a string");
        __CFStringAppendReplacing(result, __CFStringGetText(theString, __func__),
                                  &places, CFStringGetLength(stringToFind), replacement);
        CFStringReplaceAll(theString, result);
        CFRelease(result);
    }
    free(places.at);
    return places.count;
}

// MARK: - Splitting and joining

static void __CFArrayAppendPart(CFMutableArrayRef array, CFStringRef str, CFIndex from,
                                CFIndex to) {
    CFStringRef part = CFStringCreateWithSubstring(CFGetAllocator(array), str,
                                                   CFRangeMake(from, to - from));
    if (!part) __CF_HAS_NO_MEMORY_LEFT__("a string");
    CFArrayAppendValue(array, part);
    CFRelease(part);
}

CFArrayRef CFStringCreateArrayBySeparatingStrings(CFAllocatorRef alloc, CFStringRef theString,
                                                  CFStringRef separatorString) {
    CFIndex length = __CFStringGetText(theString, __func__).units;
    CFMutableArrayRef parts = CFArrayCreateMutable(alloc, 0, &kCFTypeArrayCallBacks);
    if (!parts) return NULL;
    __CFPlaces places = __CFStringFindAll(theString, separatorString, CFRangeMake(0, length), 0,
                                          __func__);
    CFIndex from = 0;
    for (CFIndex i = 0; i < places.count; i++) {
        __CFArrayAppendPart(parts, theString, from, places.at[i]);
        from = places.at[i] + CFStringGetLength(separatorString);
    }
    __CFArrayAppendPart(parts, theString, from, length);
    free(places.at);
    return parts;
}

CFStringRef CFStringCreateByCombiningStrings(CFAllocatorRef alloc, CFArrayRef theArray,
                                             CFStringRef separatorString) {
    if (!theArray) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    CFMutableStringRef whole = CFStringCreateMutable(alloc, 0);
    if (!whole) return NULL;
    CFIndex count = CFArrayGetCount(theArray);
    for (CFIndex i = 0; i < count; i++) {
        if (i > 0 && !separatorString) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
        if (i > 0) CFStringAppend(whole, separatorString);
        CFStringAppend(whole, CFArrayGetValueAtIndex(theArray, i));
    }
    return __CFStringFreeze(whole);
}

// MARK: - Padding and trimming

void CFStringPad(CFMutableStringRef theString, CFStringRef padString, CFIndex length,
                 CFIndex indexIntoPad) {
    if (!__CFStringMayChange(theString, __func__)) return;
    CFIndex have = CFStringGetLength(theString);
    if (length < have) {
        CFRange end = CFRangeMake(length, have - length);
        if (length < 0) __CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__(__func__, end, have);
        CFStringDelete(theString, end);
        return;
    }
    if (length == have) return;
    __CFUnits pad;
    __CFUnitsInitWithString(&pad, padString, __func__);
    if (indexIntoPad < 0 || indexIntoPad >= pad.count) {
        __CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__(__func__,
            CFRangeMake(indexIntoPad, 1), pad.count);
    }
    for (; have < length; have++, indexIntoPad = (indexIntoPad + 1) % pad.count) {
        __CFStringAppendUnits(theString, &pad.units[indexIntoPad], 1);
    }
    __CFUnitsDestroy(&pad);
}

/// Deletes all but the units from `from` to `to`.
static void __CFStringKeep(CFMutableStringRef str, CFIndex from, CFIndex to) {
    CFStringDelete(str, CFRangeMake(to, CFStringGetLength(str) - to));
    CFStringDelete(str, CFRangeMake(0, from));
}

void CFStringTrim(CFMutableStringRef theString, CFStringRef trimString) {
    if (!__CFStringMayChange(theString, __func__)) return;
    __CFUnits units, trim;
    __CFUnitsInitWithString(&units, theString, __func__);
    __CFUnitsInitWithString(&trim, trimString, __func__);
    CFIndex from = 0, to = units.count;
    while (trim.count > 0 && to - from >= trim.count && __CFUnitsMatch(&units, from, &trim))
        from += trim.count;
    while (trim.count > 0 && to - from >= trim.count
           && __CFUnitsMatch(&units, to - trim.count, &trim))
        to -= trim.count;
    __CFUnitsDestroy(&units);
    __CFUnitsDestroy(&trim);
    __CFStringKeep(theString, from, to);
}

/// Returns whether a unit is white space or a line end by Unicode's list, or the zero-width space
/// (U+200B), which the Linux build also counts.
static Boolean __CFIsWhitespace(UniChar unit) {
    switch (unit) {
    case 0x09 ... 0x0D: case 0x20: case 0x85: case 0xA0: case 0x1680: case 0x2000 ... 0x200B:
    case 0x2028: case 0x2029: case 0x202F: case 0x205F: case 0x3000: return true;
    default: return false;
    }
}

void CFStringTrimWhitespace(CFMutableStringRef theString) {
    if (!__CFStringMayChange(theString, __func__)) return;
    __CFUnits units;
    __CFUnitsInitWithString(&units, theString, __func__);
    CFIndex from = 0, to = units.count;
    while (from < to && __CFIsWhitespace(units.units[from])) from++;
    while (to > from && __CFIsWhitespace(units.units[to - 1])) to--;
    __CFUnitsDestroy(&units);
    __CFStringKeep(theString, from, to);
}

// MARK: - Numbers

static CFIndex __CFUnitsSkipWhitespace(const __CFUnits *self) {
    CFIndex i = 0;
    while (i < self->count && __CFIsWhitespace(self->units[i])) i++;
    return i;
}

SInt32 CFStringGetIntValue(CFStringRef str) {
    __CFUnits units;
    __CFUnitsInitWithString(&units, str, __func__);
    CFIndex i = __CFUnitsSkipWhitespace(&units);
    Boolean isNegative = i < units.count && units.units[i] == '-';
    if (i < units.count && (units.units[i] == '-' || units.units[i] == '+')) i++;
    int64_t value = 0;
    for (; i < units.count && __CFIsDigit(units.units[i]) && value <= INT32_MAX; i++)
        value = value * 10 + (units.units[i] - '0');
    __CFUnitsDestroy(&units);
    if (isNegative) return value > -(int64_t)INT32_MIN ? INT32_MIN : (SInt32)-value;
    return value > INT32_MAX ? INT32_MAX : (SInt32)value;
}

/// Returns whether a unit may be part of a decimal number. The caller passes only such units to
/// strtod, which also reads hexadecimal numbers and words such as "inf".
static Boolean __CFIsPartOfNumber(UniChar unit) {
    return __CFIsDigit(unit) || unit == '+' || unit == '-' || unit == '.' || unit == 'e'
        || unit == 'E';
}

double CFStringGetDoubleValue(CFStringRef str) {
    __CFUnits units;
    __CFUnitsInitWithString(&units, str, __func__);
    CFIndex from = __CFUnitsSkipWhitespace(&units), to = from;
    while (to < units.count && __CFIsPartOfNumber(units.units[to])) to++;
    char *number = calloc((size_t)(to - from) + 1, 1);
    if (!number) __CF_HAS_NO_MEMORY_LEFT__("a number");
    for (CFIndex i = from; i < to; i++) number[i - from] = (char)units.units[i];
    locale_t locale = __CFStringGetLocale(); // its decimal separator is a point
    double value = locale ? strtod_l(number, NULL, locale) : strtod(number, NULL);
    free(number);
    __CFUnitsDestroy(&units);
    return value;
}
