/// CFSymbols.c: the name of the function at an address, for descriptions.
///
/// The dynamic linker knows the functions that a program exports. Callbacks are mostly static
/// functions, hidden ones or closures. Their names are in the symbol table (.symtab) of the file
/// that the code was loaded from, and that table is not loaded with it. So this file reads that
/// table. If the file has been stripped, it reads the debug file with the same build id. Without
/// one, only the exported names are left. A name that is not found is "???", as on a Mac.
///
/// This reads the files instead of mapping them. If a file is truncated meanwhile, a read fails,
/// but a mapping would kill the program. It trusts nothing in a file: an offset that leads outside
/// the file makes a read fail, and so ends the search.
#include "CFInternal.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

CF_SHARED const char *__CFDebugFileDirectory = "/usr/lib/debug/.build-id";

typedef ElfW(Ehdr) ELFHeader;
typedef ElfW(Phdr) ELFSegment;
typedef ElfW(Shdr) ELFSection;
typedef ElfW(Sym) ELFSymbol;
typedef ElfW(Nhdr) ELFNote;

// MARK: - The image that contains an address

#define __kCFMaxSegments 32

/// An address, and the executable or library that contains it.
struct __CFSymbolImage {
    uintptr_t address;                     // set by the caller of dl_iterate_phdr
    uintptr_t bias;                        // the image's addresses minus those in its file
    char path[PATH_MAX];                   // empty if no image contains the address
    ELFSegment segments[__kCFMaxSegments]; // if the file has others, it has been replaced
    size_t segmentCount;
    // How many images have been unloaded so far. The names found earlier are valid as long as this
    // number stays the same.
    unsigned long long unloadCount;
};

static Boolean __CFImageContains(const struct dl_phdr_info *info, uintptr_t address) {
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ELFSegment *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD) continue;
        // Below the segment the difference wraps around to a large number.
        if (address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz) return true;
    }
    return false;
}

/// dl_iterate_phdr calls this for each image, the program first, with the loader's lock held. The
/// program has no name, but /proc finds its file even if it has been moved.
static int __CFImageFind(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct __CFSymbolImage *image = context;
    if (!__CFImageContains(info, image->address)) return 0;
    Boolean isProgram = !info->dlpi_name || !info->dlpi_name[0];
    snprintf(image->path, sizeof(image->path), "%s",
             isProgram ? "/proc/self/exe" : info->dlpi_name);
    image->bias = info->dlpi_addr;
    image->unloadCount = info->dlpi_subs;
    image->segmentCount = info->dlpi_phnum;
    if (info->dlpi_phnum <= __kCFMaxSegments)
        memcpy(image->segments, info->dlpi_phdr, info->dlpi_phnum * sizeof(image->segments[0]));
    return 1;
}

// MARK: - Reading

/// Reads exactly that many bytes. Returns false if the file does not have them.
static Boolean __CFSymbolRead(int file, void *buffer, size_t size, uint64_t offset) {
    for (size_t done = 0; done < size;) {
        ssize_t count = offset + done > INT64_MAX ? 0
            : pread(file, (char *)buffer + done, size - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += (size_t)count;
    }
    return true;
}

/// Reads the header of an ELF file for this kind of machine.
static Boolean __CFSymbolReadHeader(int file, ELFHeader *header) {
    if (!__CFSymbolRead(file, header, sizeof(*header), 0)
        || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    return header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
        && header->e_ident[EI_DATA]
        == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)
        && header->e_shentsize == sizeof(ELFSection);
}

/// Reads section number `i`. Returns false after the last one, or if it cannot be read.
static Boolean __CFSymbolReadSection(int file, const ELFHeader *header, uint64_t i,
                                     ELFSection *section) {
    uint64_t count = header->e_shnum;
    if (!header->e_shoff) return false;
    if (!count && __CFSymbolRead(file, section, sizeof(*section), header->e_shoff))
        count = section->sh_size; // because the number does not fit into the header
    return i < count
        && __CFSymbolRead(file, section, sizeof(*section), header->e_shoff + i * sizeof(*section));
}

/// Returns whether the file is still the one that was loaded.
static Boolean __CFSymbolFileIsOfImage(int file, const struct __CFSymbolImage *image) {
    ELFHeader header;
    ELFSegment segments[__kCFMaxSegments];
    size_t size = image->segmentCount * sizeof(segments[0]);
    if (image->segmentCount > __kCFMaxSegments || !__CFSymbolReadHeader(file, &header))
        return false;
    return header.e_phnum == image->segmentCount
        && __CFSymbolRead(file, segments, size, header.e_phoff)
        && memcmp(segments, image->segments, size) == 0;
}

// MARK: - Searching a symbol table

/// The best name found so far.
struct __CFSymbolSearch {
    uintptr_t address; // the address to find, as it is in the file
    int rank;          // 0 if nothing was found
    char *name;        // has room for `size` bytes
    size_t size;
};

/// Returns how well a symbol matches the address:
///
///     3  a function that begins at the address
///     2  a function that contains the address
///     1  a symbol without a type at the address
///     0  any other symbol
static int __CFSymbolRank(const ELFSymbol *symbol, uintptr_t address) {
    int type = ELF64_ST_TYPE(symbol->st_info); // the same in both classes
    Boolean isFunction = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS
        || (!isFunction && type != STT_NOTYPE))
        return 0;
    if (symbol->st_value == address) return isFunction ? 3 : 1;
    return isFunction && address - symbol->st_value < symbol->st_size ? 2 : 0;
}

/// Returns whether a name is for the linker only. The name in the source has the same address.
static Boolean __CFSymbolIsForTheLinker(const char *name) {
    return strncmp(name, "CRL_", 4) == 0;
}

/// Returns whether this is a symbol without a type that says what follows in the section: "$x" is
/// code, "$d" is data (ELF for ARM, AArch64 and RISC-V).
static Boolean __CFSymbolIsMark(const char *name) {
    return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

/// Keeps the symbol's name if it is better than what was found before.
static void __CFSymbolConsider(struct __CFSymbolSearch *search, const ELFSymbol *symbol, int file,
                               const ELFSection *strings) {
    int rank = __CFSymbolRank(symbol, search->address);
    if (!rank || rank < search->rank
        || (rank == search->rank && !__CFSymbolIsForTheLinker(search->name)))
        return;
    if (symbol->st_name >= strings->sh_size) return;
    uint64_t left = strings->sh_size - symbol->st_name;
    char name[2048];
    size_t size = left < sizeof(name) ? (size_t)left : sizeof(name);
    if (search->size < size) size = search->size;
    if (!__CFSymbolRead(file, name, size, strings->sh_offset + symbol->st_name)) return;
    if (!name[0] || !memchr(name, 0, size)) return; // empty, or too long
    if (__CFSymbolIsMark(name)) return;
    memcpy(search->name, name, size);
    search->rank = rank;
}

static void __CFSymbolSearchTable(struct __CFSymbolSearch *search, int file,
                                  const ELFSection *table, const ELFSection *strings) {
    ELFSymbol symbols[256];
    for (uint64_t done = 0, count = table->sh_size / sizeof(symbols[0]), some; done < count;
         done += some) {
        some = count - done < 256 ? count - done : 256;
        if (!__CFSymbolRead(file, symbols, some * sizeof(symbols[0]),
                            table->sh_offset + done * sizeof(symbols[0])))
            return;
        for (uint64_t i = 0; i < some; i++) __CFSymbolConsider(search, &symbols[i], file, strings);
    }
}

/// Searches all symbol tables of one type (SHT_SYMTAB, SHT_DYNSYM) of a file.
static void __CFSymbolSearchTables(struct __CFSymbolSearch *search, int file, uint32_t type) {
    ELFHeader header;
    ELFSection table, strings;
    if (!__CFSymbolReadHeader(file, &header)) return;
    for (uint64_t i = 0; __CFSymbolReadSection(file, &header, i, &table); i++) {
        if (table.sh_type != type || table.sh_entsize != sizeof(ELFSymbol)) continue;
        if (__CFSymbolReadSection(file, &header, table.sh_link, &strings)
            && strings.sh_type == SHT_STRTAB)
            __CFSymbolSearchTable(search, file, &table, &strings);
    }
}

// MARK: - The debug file

/// Writes the path of a debug file: /usr/lib/debug/.build-id/ab/cdef.debug for the build id abcdef.
/// Returns false if there is no room for it.
static Boolean __CFSymbolPathOfBuildID(const uint8_t *id, size_t size, char *path, size_t room) {
    int used = snprintf(path, room, "%s/%02x/", __CFDebugFileDirectory, id[0]);
    for (size_t i = 1; i < size && used > 0 && (size_t)used < room; i++)
        used += snprintf(path + used, room - (size_t)used, "%02x", id[i]);
    if (used > 0 && (size_t)used < room)
        used += snprintf(path + used, room - (size_t)used, ".debug");
    return used > 0 && (size_t)used < room;
}

/// Finds the build id in a section of notes, and writes the path of its debug file.
static Boolean __CFSymbolPathOfNotes(const uint8_t *notes, size_t size, char *path, size_t room) {
    for (size_t at = 0; size - at >= sizeof(ELFNote);) {
        ELFNote note;
        memcpy(&note, notes + at, sizeof(note));
        uint64_t name = at + sizeof(note), id = name + (((uint64_t)note.n_namesz + 3) & ~3ull);
        uint64_t end = id + (((uint64_t)note.n_descsz + 3) & ~3ull);
        if (end > size) return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz >= 2
            && !memcmp(notes + name, "GNU", 4))
            return __CFSymbolPathOfBuildID(notes + id, note.n_descsz, path, room);
        at = end;
    }
    return false;
}

/// Finds the path of a file's debug file. Returns false if the file has no build id.
static Boolean __CFSymbolPathOfDebugFile(int file, char *path, size_t room) {
    ELFHeader header;
    ELFSection section;
    uint8_t notes[1024];
    if (!__CFSymbolReadHeader(file, &header)) return false;
    for (uint64_t i = 0; __CFSymbolReadSection(file, &header, i, &section); i++) {
        if (section.sh_type != SHT_NOTE) continue;
        size_t size = section.sh_size < sizeof(notes) ? section.sh_size : sizeof(notes);
        if (__CFSymbolRead(file, notes, size, section.sh_offset)
            && __CFSymbolPathOfNotes(notes, size, path, room))
            return true;
    }
    return false;
}

Boolean __CFSymbolFind(int file, uintptr_t address, char *name, size_t size) {
    struct __CFSymbolSearch search = {address, 0, name, size};
    __CFSymbolSearchTables(&search, file, SHT_SYMTAB);
    if (search.rank) return true;
    char path[PATH_MAX];
    int debugFile = __CFSymbolPathOfDebugFile(file, path, sizeof(path))
        ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (debugFile >= 0) {
        __CFSymbolSearchTables(&search, debugFile, SHT_SYMTAB);
        close(debugFile);
    }
    if (!search.rank) __CFSymbolSearchTables(&search, file, SHT_DYNSYM);
    return search.rank != 0;
}

// MARK: - Swift's names

/// A function of Swift's runtime. A C program does not have it.
extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size,
                            uint32_t flags) __attribute__((weak, visibility("default")));

/// Returns the name as the source spells it if it is a Swift name, otherwise NULL. The caller frees
/// it.
static char *__CFSymbolDemangle(const char *name) {
    if (strncmp(name, "$s", 2) && strncmp(name, "$S", 2) && strncmp(name, "_T", 2)) return NULL;
    __typeof__(&swift_demangle) demangle = swift_demangle;
    if (!demangle) // the runtime may have been loaded by dlopen
        demangle = (__typeof__(&swift_demangle))dlsym(RTLD_DEFAULT, "swift_demangle");
    return demangle ? demangle(name, strlen(name), NULL, NULL, 0) : NULL;
}

/// Searches the image's file. The caller releases the result.
static CFStringRef __CFSymbolCreateName(const struct __CFSymbolImage *image) {
    char name[2048];
    int file = image->path[0] ? open(image->path, O_RDONLY | O_CLOEXEC) : -1;
    Boolean found = file >= 0 && __CFSymbolFileIsOfImage(file, image)
        && __CFSymbolFind(file, image->address - image->bias, name, sizeof(name));
    if (file >= 0) close(file);
    if (!found) return CFSTR("???");
    char *readable = __CFSymbolDemangle(name);
    CFStringRef string = CFStringCreateWithCString(
        kCFAllocatorSystemDefault, readable ? readable : name, kCFStringEncodingUTF8);
    free(readable);
    return string ? string : CFSTR("???");
}

// MARK: - A cache of names
//
// A search reads the whole symbol table, which is megabytes in a large program. A loop with many
// timers has few callbacks, so its description needs the same names again and again. No thread
// waits for the lock, because a child of fork, which may describe objects, would wait forever for a
// thread that exists only in its parent.

#define __kCFKnownSymbols 64

static struct {
    const void *function;
    CFStringRef name;                              // retained
} __CFKnownSymbols[__kCFKnownSymbols];             // guarded by __CFKnownSymbolsLock
static unsigned long long __CFKnownSymbolsUnloads; // the unloadCount of the names; guarded too
static CFLock_t __CFKnownSymbolsLock = CF_LOCK_INITIALIZER;

static size_t __CFKnownSymbolPlace(const void *function) {
    return ((uintptr_t)function >> 4) % __kCFKnownSymbols;
}

/// Returns the name if it is in the cache; the caller releases it. If an image has been unloaded,
/// empties the cache first, because another image may be at the same addresses now.
static CFStringRef __CFKnownSymbolCopy(const void *function, unsigned long long unloads) {
    if (!__CFTryLock(&__CFKnownSymbolsLock)) return NULL;
    for (size_t i = 0; __CFKnownSymbolsUnloads != unloads && i < __kCFKnownSymbols; i++) {
        if (__CFKnownSymbols[i].name) CFRelease(__CFKnownSymbols[i].name);
        __CFKnownSymbols[i].name = NULL;
    }
    __CFKnownSymbolsUnloads = unloads;
    size_t place = __CFKnownSymbolPlace(function);
    Boolean isKnown = __CFKnownSymbols[place].name && __CFKnownSymbols[place].function == function;
    CFStringRef name = isKnown ? CFRetain(__CFKnownSymbols[place].name) : NULL;
    __CFUnlock(&__CFKnownSymbolsLock);
    return name;
}

static void __CFKnownSymbolSet(const void *function, CFStringRef name, unsigned long long unloads) {
    if (!__CFTryLock(&__CFKnownSymbolsLock)) return;
    size_t place = __CFKnownSymbolPlace(function);
    if (__CFKnownSymbolsUnloads == unloads) {
        if (__CFKnownSymbols[place].name) CFRelease(__CFKnownSymbols[place].name);
        __CFKnownSymbols[place].function = function;
        __CFKnownSymbols[place].name = CFRetain(name);
    }
    __CFUnlock(&__CFKnownSymbolsLock);
}

CFStringRef __CFCopyNameOfFunction(const void *function) {
    struct __CFSymbolImage image = {.address = (uintptr_t)function};
    if (!function || !dl_iterate_phdr(__CFImageFind, &image)) return CFSTR("???");
    CFStringRef name = __CFKnownSymbolCopy(function, image.unloadCount);
    if (name) return name;
    name = __CFSymbolCreateName(&image);
    __CFKnownSymbolSet(function, name, image.unloadCount);
    return name;
}

// MARK: - Blocks and closures

/// A block begins with its class, flags, and its function. This layout is part of the ABI.
CFStringRef __CFBlockCopyDescription(const void *block) {
    if (!block) return NULL;
    const void *function = ((const void *const *)block)[2];
    CFStringRef name = __CFCopyNameOfFunction(function);
    CFStringRef result = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                                  CFSTR("<block %p>{function = %@ (%p)}"), block,
                                                  name, function);
    CFRelease(name);
    return result;
}

CFStringRef _CFCopyClosureDescription(const void *function) {
    CFStringRef name = __CFCopyNameOfFunction(function);
    CFStringRef result = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                                  CFSTR("<closure %p: %@>"), function, name);
    CFRelease(name);
    return result;
}
