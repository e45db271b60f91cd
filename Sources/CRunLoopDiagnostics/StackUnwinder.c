// StackUnwinder.c: see StackUnwinder.h.
//
// There are two ways from a function to its caller:
//
//     unwind tables      say for each instruction where the function has saved the return address and the registers. C code and
//                        the system's libraries have them; some functions that the Swift compiler makes have none.
//     frame pointers     Swift keeps them; the system's libraries do not.
//
// So each call is followed by the tables where there are some, otherwise by the frame pointer. A function that has neither is left
// out together with its caller.
//
// _Unwind_Backtrace knows the tables as well, but it reads whatever memory a table and a register lead to: one wrong table ends the
// program. Here an address that leads out of the copied stack ends only that way.

#if !defined(__APPLE__) // where nothing uses this target

#define _GNU_SOURCE
#include "StackUnwinder.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// The function of a frame, and what the registers held when it was left for the function that it called.
struct Frame {
    uintptr_t instruction;
    bool isInterrupted;         // it made no call: it is the innermost one, or a signal came
    uintptr_t registers[registerCount];
};

enum StepResult { steppedToCaller, reachedEnd, foundNoWay };

static bool readStack(const struct StackCopy *copy, uintptr_t address, uintptr_t *value) {
    uintptr_t index = (address - copy->start) / sizeof(uintptr_t);
    if (address < copy->start || address % sizeof(uintptr_t) != 0 || index >= copy->wordCount) return false;
    *value = copy->words[index];
    return true;
}

static uintptr_t withoutSignature(uintptr_t address) {
#if defined(__aarch64__)
    return address & (((uintptr_t)1 << 48) - 1); // pointer authentication signs return addresses in the bits above
#else
    return address;
#endif
}

// The stack grows downwards, so a caller's frame lies above that of the function it has called. This ends every loop. Only the
// innermost function, or one that a signal interrupted, may have put nothing on the stack: on arm64 a register has its return address.
static bool moveTo(struct Frame *frame, uintptr_t instruction, const uintptr_t *registers) {
    uintptr_t least = frame->registers[stackPointer] + (frame->isInterrupted ? 0 : 1);
    if (instruction == 0 || registers[stackPointer] < least) return false;
    frame->instruction = instruction;
    frame->isInterrupted = false;
    memcpy(frame->registers, registers, sizeof(frame->registers));
    return true;
}

// MARK: - Reading the tables (.eh_frame)

// Declared in none of the compiler's headers; libgcc and LLVM's libunwind have it.
struct dwarf_eh_bases {
    void *text, *data, *function;
};
extern const void *_Unwind_Find_FDE(void *instruction, struct dwarf_eh_bases *bases);

struct Cursor {
    const uint8_t *next, *end;
    bool hasFailed;             // something was read beyond the end, or is unknown here
};

static uint64_t readBytes(struct Cursor *cursor, size_t size) {
    uint64_t value = 0;
    if ((size_t)(cursor->end - cursor->next) < size) {
        cursor->hasFailed = true;
        return 0;
    }
    memcpy(&value, cursor->next, size); // both processors are little-endian
    cursor->next += size;
    return value;
}

static void skipBytes(struct Cursor *cursor, uint64_t count) {
    if (count > (uint64_t)(cursor->end - cursor->next)) cursor->hasFailed = true;
    else cursor->next += count;
}

static uint64_t readLEB(struct Cursor *cursor, bool isSigned) {
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = readBytes(cursor, 1);
        if (shift < 64) value |= (byte & 0x7F) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (isSigned && shift < 64 && (byte & 0x40)) value |= ~(uint64_t)0 << shift;
    return value;
}

static uint64_t readUnsigned(struct Cursor *cursor) { return readLEB(cursor, false); }
static int64_t readSigned(struct Cursor *cursor) { return (int64_t)readLEB(cursor, true); }

static size_t encodedSize(uint8_t encoding) {
    switch (encoding & 0x07) {
        case 2: return 2;
        case 3: return 4;
        default: return 8;
    }
}

// What the tables say of one function.
struct Table {
    uintptr_t function;         // where it begins
    uint64_t codeFactor;
    int64_t dataFactor;
    uint64_t returnRegister;
    struct Cursor common, own;  // the instructions of the common entry (CIE), and of the function's own (FDE)
    bool isSignalFrame;         // its caller was interrupted by a signal, and made no call
};

// An entry without its length.
static struct Cursor entryAt(const uint8_t *entry) {
    uint32_t length;
    memcpy(&length, entry, sizeof(length));
    struct Cursor cursor = {.next = entry + 4, .end = entry + 4 + length};
    if (length == 0 || length == UINT32_MAX) cursor = (struct Cursor){.hasFailed = true}; // the end, or the 64-bit form
    return cursor;
}

static bool readCommonEntry(struct Table *table, const uint8_t *entry, uint8_t *pointerEncoding, bool *hasAugmentation) {
    struct Cursor cursor = entryAt(entry);
    readBytes(&cursor, 4);
    uint64_t version = readBytes(&cursor, 1);
    const char *augmentation = (const char *)cursor.next;
    while (!cursor.hasFailed && readBytes(&cursor, 1) != 0) {}
    if (cursor.hasFailed || (version != 1 && version != 3)) return false;
    table->codeFactor = readUnsigned(&cursor);
    table->dataFactor = readSigned(&cursor);
    table->returnRegister = version == 1 ? readBytes(&cursor, 1) : readUnsigned(&cursor);
    *pointerEncoding = 0;
    *hasAugmentation = *augmentation == 'z';
    if (*hasAugmentation) {
        uint64_t length = readUnsigned(&cursor);
        struct Cursor data = cursor;
        for (augmentation++; *augmentation; augmentation++) {
            if (*augmentation == 'R') *pointerEncoding = (uint8_t)readBytes(&data, 1);
            else if (*augmentation == 'L') readBytes(&data, 1);
            else if (*augmentation == 'S') table->isSignalFrame = true;
            else if (*augmentation == 'P') skipBytes(&data, encodedSize((uint8_t)readBytes(&data, 1)));
        }
        skipBytes(&cursor, length);
    }
    table->common = cursor;
    return !cursor.hasFailed && table->returnRegister < registerCount;
}

static bool findTable(uintptr_t instruction, struct Table *table) {
    struct dwarf_eh_bases bases;
    *table = (struct Table){.isSignalFrame = false};
    const uint8_t *entry = _Unwind_Find_FDE((void *)instruction, &bases);
    if (!entry) return false;
    struct Cursor cursor = entryAt(entry);
    uint32_t distance = (uint32_t)readBytes(&cursor, 4);
    uint8_t encoding;
    bool hasAugmentation;
    if (cursor.hasFailed || !readCommonEntry(table, entry + 4 - distance, &encoding, &hasAugmentation)) return false;
    skipBytes(&cursor, 2 * encodedSize(encoding)); // where the function begins, which the bases say, and its length
    if (hasAugmentation) skipBytes(&cursor, readUnsigned(&cursor));
    table->function = (uintptr_t)bases.function;
    table->own = cursor;
    return !cursor.hasFailed;
}

// MARK: - Carrying out their instructions

// Where the caller's register is to be found. CFA is the stack pointer that the caller had before the call.
struct Rule {
    enum { isUnchanged, isUndefined, isAtOffset, isOffset, isInRegister, isAtExpression } kind; // isOffset: it is the CFA plus the value
    int64_t value;
    struct Cursor expression;
};

// The rules at one instruction of a function.
struct Row {
    uint64_t baseRegister;      // the CFA is this register plus the offset
    int64_t baseOffset;
    struct Cursor expression;   // if it is not empty, the CFA is its value
    struct Rule rules[registerCount];
};

enum { deepestRemembered = 8 };

struct Interpreter {
    const struct Table *table;
    uintptr_t location;         // the instruction that the row is for
    struct Row row, initial, remembered[deepestRemembered];
    int rememberedCount;
};

static void setRule(struct Interpreter *state, uint64_t number, struct Rule rule) {
    if (number < registerCount) state->row.rules[number] = rule; // the others are floating-point registers
}

static void setOffset(struct Interpreter *state, uint64_t number, int64_t factored) {
    setRule(state, number, (struct Rule){.kind = isAtOffset, .value = factored * state->table->dataFactor});
}

static void restoreRule(struct Interpreter *state, uint64_t number) {
    if (number < registerCount) state->row.rules[number] = state->initial.rules[number];
}

static void setBase(struct Interpreter *state, uint64_t number, int64_t offset) {
    state->row.baseRegister = number;
    state->row.baseOffset = offset;
    state->row.expression = (struct Cursor){.hasFailed = false};
}

static struct Cursor readBlock(struct Cursor *cursor) {
    uint64_t length = readUnsigned(cursor);
    struct Cursor block = {.next = cursor->next, .end = cursor->next};
    skipBytes(cursor, length);
    block.end = cursor->next;
    return block;
}

static void advance(struct Interpreter *state, uint64_t count) {
    state->location += count * state->table->codeFactor;
}

// Instructions that have an operand in their own byte, and those that save a register. Returns false if it is another one.
static bool carryOutShort(struct Interpreter *state, struct Cursor *cursor, uint8_t code) {
    uint8_t operand = code & 0x3F;
    switch (code & 0xC0) {
        case 0x40: advance(state, operand); return true;
        case 0x80: setOffset(state, operand, (int64_t)readUnsigned(cursor)); return true;
        case 0xC0: restoreRule(state, operand); return true;
        default: return false;
    }
}

static void carryOut(struct Interpreter *state, struct Cursor *cursor) {
    uint8_t code = (uint8_t)readBytes(cursor, 1);
    if (carryOutShort(state, cursor, code)) return;
    struct Row *row = &state->row;
    uint64_t number;
    switch (code) {
        case 0x00: break;                                                       // nop
        case 0x02: advance(state, readBytes(cursor, 1)); break;                 // advance_loc1
        case 0x03: advance(state, readBytes(cursor, 2)); break;                 // advance_loc2
        case 0x04: advance(state, readBytes(cursor, 4)); break;                 // advance_loc4
        case 0x05: number = readUnsigned(cursor); setOffset(state, number, (int64_t)readUnsigned(cursor)); break;
        case 0x06: restoreRule(state, readUnsigned(cursor)); break;             // restore_extended
        case 0x07: setRule(state, readUnsigned(cursor), (struct Rule){.kind = isUndefined}); break;
        case 0x08: setRule(state, readUnsigned(cursor), (struct Rule){.kind = isUnchanged}); break;
        case 0x09:                                                              // register
            number = readUnsigned(cursor);
            setRule(state, number, (struct Rule){.kind = isInRegister, .value = (int64_t)readUnsigned(cursor)});
            break;
        case 0x0A:                                                              // remember_state
            if (state->rememberedCount == deepestRemembered) cursor->hasFailed = true;
            else state->remembered[state->rememberedCount++] = *row;
            break;
        case 0x0B:                                                              // restore_state
            if (state->rememberedCount == 0) cursor->hasFailed = true;
            else *row = state->remembered[--state->rememberedCount];
            break;
        case 0x0C: number = readUnsigned(cursor); setBase(state, number, (int64_t)readUnsigned(cursor)); break;
        case 0x0D: setBase(state, readUnsigned(cursor), row->baseOffset); break; // def_cfa_register
        case 0x0E: row->baseOffset = (int64_t)readUnsigned(cursor); break;      // def_cfa_offset
        case 0x0F: row->expression = readBlock(cursor); break;                  // def_cfa_expression
        case 0x10:                                                              // expression
            number = readUnsigned(cursor);
            setRule(state, number, (struct Rule){.kind = isAtExpression, .expression = readBlock(cursor)});
            break;
        case 0x11: number = readUnsigned(cursor); setOffset(state, number, readSigned(cursor)); break;
        case 0x12:                                                              // def_cfa_sf
            number = readUnsigned(cursor);
            setBase(state, number, readSigned(cursor) * state->table->dataFactor);
            break;
        case 0x13: row->baseOffset = readSigned(cursor) * state->table->dataFactor; break;
        case 0x14:                                                              // val_offset
            number = readUnsigned(cursor);
            setRule(state, number, (struct Rule){.kind = isOffset, .value = (int64_t)readUnsigned(cursor) * state->table->dataFactor});
            break;
        case 0x2D: break;                                                       // the return address is signed; see withoutSignature
        case 0x2E: readUnsigned(cursor); break;                                 // GNU_args_size
        default: cursor->hasFailed = true;
    }
}

// The rules at an instruction.
static bool findRow(const struct Table *table, uintptr_t instruction, struct Row *row) {
    struct Interpreter state = {.table = table, .location = table->function};
    state.row.baseRegister = registerCount; // none yet
    struct Cursor common = table->common, own = table->own;
    while (common.next < common.end && !common.hasFailed) carryOut(&state, &common);
    state.initial = state.row;
    state.location = table->function;
    while (own.next < own.end && !own.hasFailed && state.location <= instruction) carryOut(&state, &own);
    *row = state.row;
    bool hasBase = state.row.baseRegister < registerCount || state.row.expression.next != NULL;
    return !common.hasFailed && !own.hasFailed && hasBase;
}

// Signal frames, and the stubs through which a program calls libraries, have expressions. These are the operations that they use.
static bool evaluate(const struct StackCopy *copy, const struct Frame *frame, struct Cursor cursor, uintptr_t initial, uintptr_t *result) {
    enum { deepest = 8 };
    uintptr_t values[deepest + 1] = {initial}, *top = values;
    while (cursor.next < cursor.end && !cursor.hasFailed) {
        uint8_t code = (uint8_t)readBytes(&cursor, 1);
        bool isBinary = code == 0x1A || code == 0x22 || code == 0x24 || code == 0x2A;
        if ((isBinary && top == values) || top == values + deepest) return false;
        if (code >= 0x30 && code <= 0x4F) *++top = code - 0x30;                 // lit
        else if (code >= 0x70 && code < 0x70 + registerCount) *++top = frame->registers[code - 0x70] + (uintptr_t)readSigned(&cursor); // breg
        else if (code == 0x06 && !readStack(copy, *top, top)) return false;     // deref
        else if (code == 0x1A) top--, *top &= top[1];                           // and
        else if (code == 0x22) top--, *top += top[1];                           // plus
        else if (code == 0x23) *top += readUnsigned(&cursor);                   // plus_uconst
        else if (code == 0x24) top--, *top <<= top[1] & 63;                     // shl
        else if (code == 0x2A) top--, *top = (intptr_t)*top >= (intptr_t)top[1]; // ge
        else if (code != 0x06) return false;
    }
    *result = *top;
    return !cursor.hasFailed;
}

// MARK: - From a function to its caller

static enum StepResult stepByTables(const struct StackCopy *copy, struct Frame *frame) {
    struct Table table;
    struct Row row;
    // A return address may be the first one behind a function whose last instruction is the call.
    uintptr_t instruction = frame->instruction - (frame->isInterrupted ? 0 : 1);
    if (!findTable(instruction, &table) || !findRow(&table, instruction, &row)) return foundNoWay;
    if (row.rules[table.returnRegister].kind == isUndefined) return reachedEnd; // a thread's first function
    uintptr_t base, address, registers[registerCount];
    if (row.expression.next == NULL) base = frame->registers[row.baseRegister] + (uintptr_t)row.baseOffset;
    else if (!evaluate(copy, frame, row.expression, 0, &base)) return foundNoWay;
    for (int number = 0; number < registerCount; number++) {
        struct Rule rule = row.rules[number];
        uintptr_t value = frame->registers[number];
        switch (rule.kind) {
            case isAtOffset:
                address = base + (uintptr_t)rule.value;
                // Below the stack pointer: the end of the function has already restored the register, and the table does not say so.
                if (address < frame->registers[stackPointer] && number != (int)table.returnRegister) break;
                if (!readStack(copy, address, &value)) return foundNoWay;
                break;
            case isOffset: value = base + (uintptr_t)rule.value; break;
            case isInRegister: if (rule.value >= 0 && rule.value < registerCount) value = frame->registers[rule.value]; break;
            case isAtExpression:
                if (!evaluate(copy, frame, rule.expression, base, &address) || !readStack(copy, address, &value)) return foundNoWay;
                break;
            case isUnchanged: case isUndefined: break;
        }
        registers[number] = value;
    }
    if (row.rules[stackPointer].kind == isUnchanged) registers[stackPointer] = base;
    if (!moveTo(frame, withoutSignature(registers[table.returnRegister]), registers)) return foundNoWay;
    frame->isInterrupted = table.isSignalFrame;
    return steppedToCaller;
}

// At the frame pointer stand the caller's frame pointer and the return address, on both processors.
static enum StepResult stepByFramePointer(const struct StackCopy *copy, struct Frame *frame) {
    uintptr_t pointer = frame->registers[framePointer], registers[registerCount], instruction;
    memcpy(registers, frame->registers, sizeof(registers));
    if (!readStack(copy, pointer, &registers[framePointer]) ||
        !readStack(copy, pointer + sizeof(uintptr_t), &instruction)) return foundNoWay;
    registers[stackPointer] = pointer + 2 * sizeof(uintptr_t);
    return moveTo(frame, withoutSignature(instruction), registers) ? steppedToCaller : reachedEnd;
}

// On x86-64 a stub of the procedure linkage table has an unwind table. On arm64 it has none, and it keeps no frame pointer: that of the
// function which called is still there, and leads past it. The return address is in the link register.
static enum StepResult stepOutOfLinkageStub(const struct StackCopy *copy, struct Frame *frame) {
#if defined(__aarch64__)
    if (copy->isInLinkageStub) {
        uintptr_t registers[registerCount];
        memcpy(registers, frame->registers, sizeof(registers));
        return moveTo(frame, withoutSignature(registers[linkRegister]), registers) ? steppedToCaller : foundNoWay;
    }
#endif
    return foundNoWay;
}

int unwindStack(const struct StackCopy *copy, uintptr_t *addresses, int capacity) {
    struct Frame frame = {.instruction = copy->instruction, .isInterrupted = true};
    memcpy(frame.registers, copy->registers, sizeof(frame.registers));
    int count = 0;
    enum StepResult result = steppedToCaller;
    while (result == steppedToCaller && count < capacity) {
        addresses[count++] = frame.instruction;
        result = stepByTables(copy, &frame);
        if (result == foundNoWay && count == 1) result = stepOutOfLinkageStub(copy, &frame);
        if (result == foundNoWay) result = stepByFramePointer(copy, &frame);
    }
    return count;
}

#endif
