"""gdb, driven over its machine interface. In non-stop mode each thread stops and goes on for itself: while one sleeps in the kernel, the
recorder steps another one."""

import json
import os
import re
import select
import subprocess
import time


class Gone(Exception):
    """The program or gdb has ended."""


class Failed(Exception):
    """gdb refuses a command."""


class GDB:

    def __init__(self, program, inside, log=None):
        environment = dict(os.environ, DEBUGINFOD_URLS="")
        self.process = subprocess.Popen(
            ["gdb", "-q", "-nx", "--interpreter=mi3", "--args", program],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        self.log, self.rest, self.token = log, b"", 0
        self.results, self.console, self.stopped, self.threads = {}, [], {}, {}
        self.has_ended, self.pid = False, None
        for setting in ("pagination off", "non-stop on", "mi-async on", "startup-with-shell off", "print thread-events off",
                        "disable-randomization on", "step-mode off", "breakpoint pending off"):
            self.command("-gdb-set " + setting)
        self.console_command("source " + inside)

    # Records

    def read(self, timeout):
        """Reads records for at most so many seconds, and returns whether there was one."""
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(timeout, 0))
            if not ready:
                return False
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                raise Gone("gdb has ended")
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        self.take(line.decode("utf-8", "replace").rstrip("\r"))
        return True

    def take(self, line):
        if self.log:
            print(line, file=self.log)
        if line.startswith("~"):
            self.console.append(json.loads(line[1:].replace("\\e", "\\u001b")))
            return
        match = re.match(r"(\d*)([\^*=])([a-z-]+),?(.*)", line)
        if not match:
            return
        token, kind, name, rest = match.groups()
        if kind == "^" and token:
            self.results[int(token)] = (name, rest)
        elif kind == "*" and name == "stopped":
            thread = re.search(r'thread-id="(\d+)"', rest)
            if 'reason="exited' in rest:
                self.has_ended = True
            elif thread:
                reason = re.search(r'reason="([^"]*)"', rest)
                self.stopped[int(thread.group(1))] = reason.group(1) if reason else ""
        elif kind == "=" and name == "thread-group-started":
            self.pid = int(re.search(r'pid="(\d+)"', rest).group(1))
        elif kind == "=" and name == "thread-exited":
            self.threads.pop(int(re.search(r'id="(\d+)"', rest).group(1)), None)

    def command(self, text, timeout=60):
        """Sends a command, and returns its result."""
        self.token += 1
        token = self.token
        if self.log:
            print(">>> " + text, file=self.log)
        self.process.stdin.write(("%d%s\n" % (token, text)).encode())
        self.process.stdin.flush()
        deadline = time.monotonic() + timeout
        while token not in self.results:
            if not self.read(deadline - time.monotonic()):
                raise Failed("%s: no answer from gdb" % text)
        name, rest = self.results.pop(token)
        if name == "error":
            raise Failed("%s: %s" % (text, rest))
        return rest

    def console_command(self, text):
        """Runs a command of the console, and returns what it prints."""
        self.console.clear()
        self.command("-interpreter-exec console " + json.dumps(text))
        return "".join(self.console)

    # Threads

    def go(self, thread, how):
        """Lets one thread go on: step, next, finish or continue."""
        self.stopped.pop(thread, None)
        self.command("-exec-%s --thread %d" % (how, thread))

    def wait(self, thread, seconds):
        """Waits until the thread stops, and returns whether it did."""
        deadline = time.monotonic() + seconds
        while thread not in self.stopped:
            if self.has_ended:
                raise Gone("the program has ended")
            if not self.read(deadline - time.monotonic()):
                return False
        return True

    def close(self):
        try:
            self.process.stdin.write(b"-gdb-exit\n")
            self.process.stdin.flush()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
