// page.mjs PLAY.js <PROGRAM
//
// Performs a program with the module in play.js, the data of the edition's page, as the page does, and prints the log.
import { readFileSync } from 'node:fs';

const edition = { data: {}, arrived() {} };
new Function('edition', readFileSync(process.argv[2], 'utf8'))(edition);

class Stop extends Error {}
const bytes = () => new Uint8Array(instance.memory.buffer);
const string = at => new TextDecoder().decode(bytes().slice(at, bytes().indexOf(0, at)));
const wasi = new Proxy({}, { get: () => () => 0 });
const module = new WebAssembly.Module(Buffer.from(edition.data.play.module, 'base64'));
const instance = new WebAssembly.Instance(module, { page: { stop() { throw new Stop(); } }, wasi_snapshot_preview1: wasi }).exports;
instance._initialize();
bytes().set(new TextEncoder().encode(readFileSync(0, 'utf8') + '\0'), instance.text());
if (!instance.read()) {
    console.error(string(instance.error()));
    process.exit(1);
}
try {
    instance.perform(0, 3_500_000, 0);
} catch (error) {
    if (!(error instanceof Stop || error instanceof WebAssembly.RuntimeError)) throw error;
}
process.stdout.write(string(instance.log_text()));
