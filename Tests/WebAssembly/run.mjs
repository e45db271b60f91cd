// run.mjs PROGRAM RUN_PROGRAM PAGE
//
// Runs PROGRAM, the module of Program.c, and prints its log. At 2.5 s it signals the source, as a page would when a button is pressed. Checks
// that the module refuses to start a thread.
//
// Then performs each example of PAGE (Documentation/Reference/programs.md) with RUN_PROGRAM, the module of RunProgram.c, and compares its log
// with the page's. Each has an instance of its own.
import { readFileSync } from 'node:fs';

function fail(words) {
    console.error(words);
    process.exit(1);
}

/** An instance of a module: its functions, strings in its memory, and what it has written to stderr. */
class Instance {
    words = '';

    constructor(module, page = {}) {
        // The only call of WASI that does anything writes to stderr.
        const calls = { fd_write: (...call) => this.#write(...call) };
        const wasi = new Proxy(calls, { get: (calls, name) => calls[name] ?? (() => 0) });
        this.exports = new WebAssembly.Instance(module, { page, wasi_snapshot_preview1: wasi }).exports;
        this.exports._initialize();
    }

    get #bytes() { return new Uint8Array(this.exports.memory.buffer); }

    #write(file, vectors, count, written) {
        const view = new DataView(this.exports.memory.buffer);
        let size = 0;
        for (let i = 0; i < count; i++) {
            const at = view.getUint32(vectors + 8 * i, true), length = view.getUint32(vectors + 8 * i + 4, true);
            this.words += new TextDecoder().decode(this.#bytes.slice(at, at + length));
            size += length;
        }
        view.setUint32(written, size, true);
        return 0;
    }

    string(at) { return new TextDecoder().decode(this.#bytes.slice(at, this.#bytes.indexOf(0, at))); }

    setString(at, text) { this.#bytes.set(new TextEncoder().encode(text + '\0'), at); }

    /** Calls a function that must trap because it starts a thread. */
    expectRefusal(call) {
        let trapped = false;
        try {
            call();
        } catch (error) {
            trapped = error instanceof WebAssembly.RuntimeError;
        }
        const refusal = /the thread \w+ cannot be started: a WebAssembly module has one stack/;
        if (!trapped || !refusal.test(this.words)) fail(`a thread was started: trapped ${trapped}, and wrote: ${this.words}`);
    }
}

const [programFile, runProgramFile, pageFile] = process.argv.slice(2);
const program = new Instance(new WebAssembly.Module(readFileSync(programFile)), {
    outside(seconds) {
        if (seconds !== 2.5) fail(`outside is called at ${seconds}`);
        program.exports.signal_source();
    },
});
process.stdout.write(program.string(program.exports.run()));
program.expectRefusal(() => program.exports.start_thread());

const runProgram = new WebAssembly.Module(readFileSync(runProgramFile));
const page = readFileSync(pageFile, 'utf8');
const examples = [...page.slice(page.indexOf('### 1. ')).matchAll(/```program\n([^`]*)```\s*```text\n([^`]*)```/g)];
let performed = 0;
for (const [, text, log] of examples) {
    const instance = new Instance(runProgram);
    instance.setString(instance.exports.text(), text);
    if (/^thread /m.test(text)) {
        instance.expectRefusal(() => instance.exports.perform(0, 1));
        continue;
    }
    const printed = instance.string(instance.exports.perform(0, 1));
    if (printed !== log) fail(`the module's log differs from the page's:\n${text}\n${printed}`);
    performed++;
}
if (examples.length !== 21 || performed < 16) fail(`${performed} of ${examples.length} examples were performed`);
console.error(`${performed} examples of ${pageFile} have the same log in a module; the others start threads, which it refuses`);
