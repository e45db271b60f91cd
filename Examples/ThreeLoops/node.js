// The tasks of tasks.txt on Node's loop. It prints the tasks in the order in which they run. Node does not say where a turn begins or where it sleeps.

const fs = require('fs');
const net = require('net');

const asks = new Map();
for (const line of fs.readFileSync(process.argv[2], 'utf8').split('\n')) {
    if (line.startsWith('#') || !line.includes(':')) continue;
    const [name, work] = line.split(':');
    asks.set(name, work.split(',').map((part) => part.trim().split(/\s+/)));
}

function perform(name) {
    process.stdout.write(name + '\n');
    for (const [work, task] of asks.get(name) ?? []) ask(work, task);
}

function ask(work, task) {
    switch (work) {
    case 'micro': queueMicrotask(() => perform(task)); break;
    case 'timer': setTimeout(perform, 0, task); break;
    case 'later': setTimeout(() => { perform(task); process.exit(0); }, 50); break;
    case 'soon': setImmediate(perform, task); break;
    case 'input': { // descriptor 3 is the end of a pipe in which there is a byte
        const stream = new net.Socket({ fd: 3, readable: true, writable: false });
        stream.on('data', () => { perform(task); stream.destroy(); });
        break;
    }
    }
}

perform('start');
const end = Date.now() + 5;
while (Date.now() < end);
