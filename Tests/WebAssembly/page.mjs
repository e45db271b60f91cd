// page.mjs PLAY.js <PROGRAM
// page.mjs PAGE.wasm PROGRAMS.md
//
// Performs a program with the module in play.js, the data of the edition's page, as the page does, and prints the log. With PROGRAMS.md
// (Documentation/Reference/programs.md), performs each example there with the module, and compares the log with that on the page.
import { readFileSync } from 'node:fs';

class Stop extends Error {}
const wasi = new Proxy({}, { get: () => () => 0 });

/** The log of a program. Each has an instance of its own. */
function perform(module, program) {
    const instance = new WebAssembly.Instance(module, { page: { stop() { throw new Stop(); } }, wasi_snapshot_preview1: wasi }).exports;
    const bytes = () => new Uint8Array(instance.memory.buffer);
    const string = at => new TextDecoder().decode(bytes().slice(at, bytes().indexOf(0, at)));
    instance._initialize();
    bytes().set(new TextEncoder().encode(program + '\0'), instance.text());
    if (!instance.read()) {
        console.error(string(instance.error()));
        process.exit(1);
    }
    try {
        instance.perform(0, 3_500_000, 0);
    } catch (error) {
        if (!(error instanceof Stop || error instanceof WebAssembly.RuntimeError)) throw error;
    }
    return string(instance.log_text());
}

const [file, page] = process.argv.slice(2);
if (page) {
    const module = new WebAssembly.Module(readFileSync(file)), text = readFileSync(page, 'utf8');
    const examples = [...text.slice(text.indexOf('### 1. ')).matchAll(/```program\n([^`]*)```\s*```text\n([^`]*)```/g)];
    const wrong = examples.map(([, program, log]) => [program, log, perform(module, program)]).filter(([, log, performed]) => log !== performed);
    for (const [program, , performed] of wrong) console.error(`the module's log differs from that in ${page}:\n${program}\n${performed}`);
    console.log(`${examples.length - wrong.length} of ${examples.length} examples have the same log in the module`);
    process.exitCode = wrong.length || examples.length !== 21 ? 1 : 0;
} else {
    const edition = { data: {}, arrived() {} };
    new Function('edition', readFileSync(file, 'utf8'))(edition);
    process.stdout.write(perform(new WebAssembly.Module(Buffer.from(edition.data.play.module, 'base64')), readFileSync(0, 'utf8')));
}
