"""A session with the language server: how long it takes for a keystroke, hover and completion, and its memory.

Must not know which texts are measured.
"""
import json
import os
import statistics
import subprocess
import time

URI = "file:///benchmark.ptx"


class Server:
    """A running server that talks over pipes."""

    def __init__(self, binary):
        self.process = subprocess.Popen([str(binary), "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.requests = 0
        self.request("initialize", {"capabilities": {"general": {"positionEncodings": ["utf-8"]}}})
        self.notify("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def hear(self):
        length = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            if not line:
                raise EOFError("the server ended")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def request(self, method, params):
        self.requests += 1
        self.send({"id": self.requests, "method": method, "params": params})
        while self.hear().get("id") != self.requests:
            pass

    def published(self, version):
        while self.hear().get("params", {}).get("version") != version:
            pass

    def processor(self):
        """Processor seconds so far."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Resident megabytes."""
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024 / 1e6

    def leave(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.wait()


def longest_function(lines):
    """The line in the middle of the longest function."""
    begun, longest = 0, (0, 0)
    for number, line in enumerate(lines):
        if line == "{":
            begun = number
        elif line == "}" and number - begun > longest[1] - longest[0]:
            longest = (begun, number)
    return sum(longest) // 2


def measure(binary, path, rounds=11):
    """Milliseconds and megabytes by name. A keystroke is a blank at the end of a line of the longest function."""
    text = path.read_text()
    lines = text.split("\n")
    line = longest_function(lines)
    column = len(lines[line])
    server = Server(binary)
    empty = server.memory()
    begun = time.monotonic()
    server.notify("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "ptx", "version": 0, "text": text}})
    server.published(0)
    opened = time.monotonic() - begun
    times = {"keystroke": [], "hover": [], "completion": []}
    place = {"textDocument": {"uri": URI}, "position": {"line": line, "character": 2}}
    spent = -server.processor()
    for version in range(1, 2 * rounds + 1):
        is_insertion = version % 2 == 1
        end = {"line": line, "character": column + (not is_insertion)}
        change = {"range": {"start": {"line": line, "character": column}, "end": end}, "text": " " if is_insertion else ""}
        begun = time.monotonic()
        server.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": version}, "contentChanges": [change]})
        server.published(version)
        times["keystroke"].append(time.monotonic() - begun)
        for name in ("hover", "completion"):
            begun = time.monotonic()
            server.request(f"textDocument/{name}", place)
            times[name].append(time.monotonic() - begun)
    spent = (spent + server.processor()) / (2 * rounds)
    memory = server.memory()
    server.leave()
    figures = {name: 1e3 * statistics.median(all) for name, all in times.items()}
    return {"open": 1e3 * opened, "processor": 1e3 * spent, "memory": memory, "empty": empty, "text": path.stat().st_size / 1e6, **figures}
