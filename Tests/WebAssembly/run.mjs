// run.mjs MODULE: runs Program.c as a WebAssembly module, and prints its log. At 2.5 s it signals the source, as a page would when a button is
// pressed. Then it checks that the module refuses to start a thread.
import { readFileSync } from 'node:fs';

let words = '';
const text = (at, end) => new TextDecoder().decode(new Uint8Array(module.exports.memory.buffer, at, end - at));
const string = at => { // until the zero
    const bytes = new Uint8Array(module.exports.memory.buffer);
    return text(at, bytes.indexOf(0, at));
};
// The only call of WASI that does anything writes to stderr.
const wasi = new Proxy({
    fd_write(file, vectors, count, written) {
        const view = new DataView(module.exports.memory.buffer);
        let size = 0;
        for (let i = 0; i < count; i++) {
            const at = view.getUint32(vectors + 8 * i, true), length = view.getUint32(vectors + 8 * i + 4, true);
            words += text(at, at + length);
            size += length;
        }
        view.setUint32(written, size, true);
        return 0;
    },
}, { get: (calls, name) => calls[name] ?? (() => 0) });
const page = {
    outside(seconds) {
        if (seconds !== 2.5) throw new Error(`outside is called at ${seconds}`);
        module.exports.signal_source();
    },
};
const { instance: module } = await WebAssembly.instantiate(readFileSync(process.argv[2]), { page, wasi_snapshot_preview1: wasi });
module.exports._initialize();
process.stdout.write(string(module.exports.run()));
let trapped = false;
try {
    module.exports.start_thread();
} catch (error) {
    trapped = error instanceof WebAssembly.RuntimeError;
}
if (!trapped || !words.includes('the thread B cannot be started: a WebAssembly module has one stack')) {
    console.error(`start_thread: trapped ${trapped}, and wrote: ${words}`);
    process.exit(1);
}
