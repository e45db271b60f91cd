"""Headless Firefox, by its own protocol (Marionette): enough to open a page and to run a script in it."""

import json
import shutil
import socket
import subprocess
import tempfile
import time

from facts import Failure


class Firefox:

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with open(f"{self.folder.name}/user.js", "w", encoding="utf-8") as preferences:
            preferences.write(f'user_pref("marionette.port", {port});\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
                              'user_pref("browser.shell.checkDefaultBrowser", false);\nuser_pref("app.update.enabled", false);\n')
        self.process = subprocess.Popen([shutil.which("firefox"), "--headless", "--marionette", "--profile", self.folder.name],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=None)
        for _ in range(300):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=170)
                break
            except OSError:
                time.sleep(.2)
        else:
            raise Failure("Firefox does not answer")
        self.buffer, self.number = b"", 0
        self.receive()  # its greeting
        self.call("WebDriver:NewSession", {"strictFileInteractability": False})
        self.call("WebDriver:SetTimeouts", {"script": 170000})
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def receive(self):
        while b":" not in self.buffer:
            self.more()
        size, _, rest = self.buffer.partition(b":")
        self.buffer = rest
        while len(self.buffer) < int(size):
            self.more()
        message, self.buffer = self.buffer[:int(size)], self.buffer[int(size):]
        return json.loads(message)

    def more(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise Failure("Firefox has ended")
        self.buffer += part

    def call(self, name, parameters):
        self.number += 1
        message = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, result = self.receive()
        if error:
            raise Failure(f"Firefox: {name}: {error['message']}")
        return result

    def open(self, address):
        self.call("WebDriver:Navigate", {"url": address})

    def enter_frame(self, index):
        """What follows is in the page of this frame."""
        self.call("WebDriver:SwitchToFrame", {"id": index})

    def wait_for(self, script, *arguments):
        """Runs a script that ends by calling its last argument."""
        return self.call("WebDriver:ExecuteAsyncScript", {"script": script, "args": list(arguments), "newSandbox": False, "sandbox": None})["value"]
