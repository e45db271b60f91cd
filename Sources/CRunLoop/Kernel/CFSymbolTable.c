/// CFSymbolTable.c: the function at an address, for descriptions, on Linux.
///
/// On a Mac, dladdr names static functions, too. On Linux it knows only the functions that a
/// program or library exports, but callbacks are mostly static functions or closures. Their names
/// are in the symbol table of the program's file (.symtab), which is not loaded with the program.
/// So this file maps the program's file at the first use, and keeps it mapped. dladdr names the
/// rest.
#include "CFPortSet_Internal.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef ElfW(Ehdr) ELFHeader;
typedef ElfW(Shdr) ELFSection;
typedef ElfW(Sym) ELFSymbol;

/// The program's functions. They never change after __CFSymbolOpenProgram.
static struct {
    const ELFSymbol **functions; // sorted by address
    size_t count;
    const char *names;           // what the symbols' st_name counts from
    uintptr_t bias;              // the addresses in memory minus those in the file
} __CFSymbolProgram;

/// Returns the bytes of a part of the file, or NULL if the file does not have them.
static const void *__CFSymbolGetBytes(const uint8_t *file, size_t fileSize, uint64_t offset,
                                      uint64_t size) {
    return offset <= fileSize && size <= fileSize - offset ? file + offset : NULL;
}

/// The loader's list of images begins with the program.
static int __CFSymbolGetBias(struct dl_phdr_info *info, size_t size, void *context) {
    *(uintptr_t *)context = info->dlpi_addr;
    return 1;
}

static int __CFSymbolCompare(const void *left, const void *right) {
    uintptr_t a = (*(const ELFSymbol *const *)left)->st_value;
    uintptr_t b = (*(const ELFSymbol *const *)right)->st_value;
    return (a > b) - (a < b);
}

/// Collects the functions of a symbol table. A name that only the linker uses has no size: see the
/// end of CRunLoop.c.
static void __CFSymbolSetFunctions(const ELFSymbol *symbols, size_t count, size_t namesSize) {
    const ELFSymbol **functions = malloc((count + 1) * sizeof(*functions));
    if (!functions) __CF_HAS_NO_MEMORY_LEFT__("the names of functions");
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        Boolean isFunction = ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC; // in both classes
        if (isFunction && symbols[i].st_size > 0 && symbols[i].st_name < namesSize)
            functions[used++] = &symbols[i];
    }
    qsort(functions, used, sizeof(*functions), __CFSymbolCompare);
    __CFSymbolProgram.functions = functions;
    __CFSymbolProgram.count = used;
}

/// Finds the symbol table of an ELF file in memory. A stripped program has none.
static void __CFSymbolReadFile(const uint8_t *file, size_t size) {
    const ELFHeader *header = __CFSymbolGetBytes(file, size, 0, sizeof(*header));
    const ELFSection *sections = header && header->e_shentsize == sizeof(ELFSection)
        ? __CFSymbolGetBytes(file, size, header->e_shoff, header->e_shnum * sizeof(*sections))
        : NULL;
    for (size_t i = 0; sections && i < header->e_shnum; i++) {
        const ELFSection *table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum) continue;
        const ELFSection *strings = &sections[table->sh_link];
        const ELFSymbol *symbols = __CFSymbolGetBytes(file, size, table->sh_offset, table->sh_size);
        const char *names = __CFSymbolGetBytes(file, size, strings->sh_offset, strings->sh_size);
        if (!symbols || !names || !strings->sh_size || names[strings->sh_size - 1]) return;
        __CFSymbolProgram.names = names;
        __CFSymbolSetFunctions(symbols, table->sh_size / sizeof(*symbols), strings->sh_size);
        return;
    }
}

/// /proc finds the file even if it has been moved, and the mapping keeps it if it is deleted.
static void __CFSymbolOpenProgram(void) {
    struct stat status;
    int file = __CFDescriptorMoveUp(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    if (file < 0) return;
    void *bytes = fstat(file, &status) == 0
        ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED) return;
    dl_iterate_phdr(__CFSymbolGetBias, &__CFSymbolProgram.bias);
    __CFSymbolReadFile(bytes, (size_t)status.st_size);
}

/// Returns the program's function that contains an address, or NULL.
static const ELFSymbol *__CFSymbolFindInProgram(const void *function) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, __CFSymbolOpenProgram);
    uintptr_t address = (uintptr_t)function - __CFSymbolProgram.bias;
    size_t low = 0, high = __CFSymbolProgram.count;
    while (low < high) { // the first function behind the address
        size_t middle = low + (high - low) / 2;
        if (__CFSymbolProgram.functions[middle]->st_value <= address) low = middle + 1;
        else high = middle;
    }
    const ELFSymbol *found = low > 0 ? __CFSymbolProgram.functions[low - 1] : NULL;
    return found && address - found->st_value < found->st_size ? found : NULL;
}

__CFSymbol __CFSymbolFind(const void *function) {
    Dl_info info = {0};
    if (!dladdr(function, &info)) info = (Dl_info){0};
    const ELFSymbol *found = __CFSymbolFindInProgram(function);
    if (!found) return (__CFSymbol){info.dli_sname, info.dli_saddr, info.dli_fname};
    const void *start = (const void *)(found->st_value + __CFSymbolProgram.bias);
    return (__CFSymbol){__CFSymbolProgram.names + found->st_name, start, info.dli_fname};
}
