// StackSymbols.c: the names of the functions at addresses, static functions included.
//
// The dynamic linker knows only the functions that a file exports. A program exports few. The symbol table of the file on disk has all
// functions, unless the file has been stripped.

#define _GNU_SOURCE
#include "CThreadSampler.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// A file that is mapped into memory to be read.
struct MappedFile {
    const char *bytes;
    size_t size;
};

static struct MappedFile mapFile(const char *path) {
    struct MappedFile file = {NULL, 0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0) return file;
    if (fstat(descriptor, &status) == 0 && status.st_size > (off_t)sizeof(ElfW(Ehdr))) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) file = (struct MappedFile){bytes, (size_t)status.st_size};
    }
    close(descriptor);
    return file;
}

// Returns a part of the file, or NULL if the file does not have it.
static const void *part(struct MappedFile file, uint64_t offset, uint64_t size) {
    return offset <= file.size && size <= file.size - offset ? file.bytes + offset : NULL;
}

static const ElfW(Shdr) *sections(struct MappedFile file, unsigned *count) {
    const ElfW(Ehdr) *header = part(file, 0, sizeof(*header));
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(ElfW(Shdr))) return NULL;
    *count = header->e_shnum;
    return part(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(ElfW(Shdr)));
}

// Two names of one function: a shorter one is the plain name, and a longer one has a prefix or a version.
static bool isBetter(const char *name, const char *known) {
    return !known || strlen(name) < strlen(known);
}

// Looks for the function that has an address, counted from where the file is loaded.
static const char *findFunction(struct MappedFile file, const ElfW(Shdr) *table, const ElfW(Shdr) *names, uintptr_t address, uintptr_t *start) {
    const ElfW(Sym) *symbols = part(file, table->sh_offset, table->sh_size);
    const char *text = part(file, names->sh_offset, names->sh_size), *found = NULL;
    if (!symbols || !text || names->sh_size == 0 || text[names->sh_size - 1] != 0) return NULL;
    for (size_t index = 0; index < table->sh_size / sizeof(*symbols); index++) {
        const ElfW(Sym) *symbol = &symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_name >= names->sh_size) continue;
        if (address < symbol->st_value || address - symbol->st_value >= symbol->st_size) continue;
        if (!isBetter(text + symbol->st_name, found)) continue;
        found = text + symbol->st_name;
        *start = symbol->st_value;
    }
    return found;
}

static char *copyNameInFile(const char *path, uintptr_t address, uintptr_t *start) {
    struct MappedFile file = mapFile(path);
    if (!file.bytes) return NULL;
    char *name = NULL;
    unsigned count = 0;
    const ElfW(Shdr) *all = sections(file, &count);
    for (unsigned index = 0; all && index < count && !name; index++) {
        if (all[index].sh_type != SHT_SYMTAB || all[index].sh_link >= count) continue;
        const char *found = findFunction(file, &all[index], &all[all[index].sh_link], address, start);
        if (found) name = strdup(found);
    }
    munmap((void *)file.bytes, file.size);
    return name;
}

char *CThreadSamplerCopyName(uintptr_t address, uintptr_t *offset, char **file) {
    Dl_info info;
    struct link_map *map = NULL;
    *offset = 0;
    *file = NULL;
    if (!dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP)) return NULL;
    bool isProgram = !map || !map->l_name || !map->l_name[0];
    const char *shown = isProgram ? program_invocation_short_name : strrchr(map->l_name, '/');
    *file = strdup(isProgram ? shown : shown ? shown + 1 : map->l_name);
    uintptr_t bias = map ? map->l_addr : 0, start = 0;
    char *name = copyNameInFile(isProgram ? "/proc/self/exe" : map->l_name, address - bias, &start);
    if (name) {
        *offset = address - bias - start;
    } else if (info.dli_sname) {
        name = strdup(info.dli_sname);
        *offset = address - (uintptr_t)info.dli_saddr;
    }
    return name;
}
