// page.mjs PLAY.js [BREAK] <PROGRAM
// page.mjs PAGE.wasm PROGRAMS.md PROGRAM_ON_A_BROKEN_LOOP FILE.md…
//
// Performs a program with the module in play.js, the data of the edition's page, as the page does, and prints the log. With PROGRAMS.md
// (Documentation/Reference/programs.md), performs each example there with the module, and compares the log with that on the page. Then it performs all
// programs, with those of the other pages, with each line of the loop broken (Facts/breaks.tsv), compares the log with that of the command
// that Scripts/broken-loop makes, and finds a program for each break whose log it changes.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

class Stop extends Error {}
const wasi = new Proxy({}, { get: () => () => 0 });

/** The log of a program. Each has an instance of its own. */
function perform(module, program, broken = 0) {
    const instance = new WebAssembly.Instance(module, { page: { stop() { throw new Stop(); } }, wasi_snapshot_preview1: wasi }).exports;
    const bytes = () => new Uint8Array(instance.memory.buffer);
    const string = at => new TextDecoder().decode(bytes().slice(at, bytes().indexOf(0, at)));
    instance._initialize();
    bytes().set(new TextEncoder().encode(program + '\0'), instance.text());
    if (!instance.read()) {
        console.error(string(instance.error()));
        process.exit(1);
    }
    instance.break_line(broken);
    try {
        instance.perform(0, 3_500_000, 0);
    } catch (error) {
        if (!(error instanceof Stop || error instanceof WebAssembly.RuntimeError)) throw error;
    }
    return string(instance.log_text());
}

const [file, page, command, ...others] = process.argv.slice(2);
if (command) {
    const module = new WebAssembly.Module(readFileSync(file)), text = readFileSync(page, 'utf8');
    const examples = [...text.slice(text.indexOf('### 1. ')).matchAll(/```program\n([^`]*)```\s*```text\n([^`]*)```/g)];
    const wrong = examples.map(([, program, log]) => [program, log, perform(module, program)]).filter(([, log, performed]) => log !== performed);
    for (const [program, , performed] of wrong) console.error(`the module's log differs from that in ${page}:\n${program}\n${performed}`);
    console.log(`${examples.length - wrong.length} of ${examples.length} examples have the same log in the module`);

    const rows = readFileSync('Facts/breaks.tsv', 'utf8').trimEnd().split('\n').slice(1).map(line => line.split('\t'));
    const programs = new Set([...examples.map(([, program]) => program), ...others.flatMap(path => [...readFileSync(path, 'utf8').matchAll(/```program\n([^`]*)```/g)].map(([, program]) => program))]);
    const healthy = new Map([...programs].map(program => [program, perform(module, program)]));
    let same = 0, bad = wrong.length;
    for (const [number, , , , , words] of rows) {
        let shows = 0;
        for (const program of programs) {
            const here = perform(module, program, Number(number)), there = spawnSync(command, [number], { input: program, encoding: 'utf8' }).stdout;
            if (here === there) same++;
            else { bad++; console.error(`with the break ${number} (${words}), the module's log differs from the command's:\n${program}\n${here}\n${there}`); }
            shows += here !== healthy.get(program);
        }
        if (!shows) { bad++; console.error(`no program shows the break ${number} (${words})`); }
    }
    console.log(`${same} of ${rows.length * programs.size} logs of ${programs.size} programs, each with ${rows.length} lines broken, are the same in the module and natively`);
    process.exitCode = bad || examples.length !== 21 || rows.length < 18 ? 1 : 0;
} else {
    const edition = { data: {}, arrived() {} };
    new Function('edition', readFileSync(file, 'utf8'))(edition);
    process.stdout.write(perform(new WebAssembly.Module(Buffer.from(edition.data.play.module, 'base64')), readFileSync(0, 'utf8'), Number(page ?? 0)));
}
