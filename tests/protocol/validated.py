"""Holds every message of a whole session to the protocol's types as lsprotocol has them.

usage: validated.py SERVER

One session for each real client whose capabilities pytest-lsp ships. Every request that the server offers is sent; each
message that comes back is structured by lsprotocol and must survive the way back unchanged, so a field that the protocol
does not know is found as well. pytest-lsp's own checks compare answers with what the client can take.
Says every breach on standard error; exits 0 if there is none. Shares no code with the server or the other tests.
"""

import json
import subprocess
import sys
import warnings
from importlib import resources

from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp.checks import check_params_against_client_capabilities, check_result_against_client_capabilities

# Off by default.
HINTS = {"inlayHints": {"semantics": True, "scope": True, "space": True}}

URI = "file:///work/kernel.ptx"
TEXT = """\
.version 8.1
.target sm_90
.address_size 64
.file 1 "kernel.cu"
/* \U0001f600 a comment
   of two lines */
.func inner()
{
    ret;
}
.visible .entry kernel(.param .u64 p)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    .loc 1 7 3
again:
    atom.add.global.u32 %r1, [%rd1], %r2;
    red.global.or.u32 [%rd1], %r2;
    setp.eq.u32 %p1, %r1, 0;
@%p1 bra again;
    call inner;
    ret;
}
"""
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": TEXT.count("\n"), "character": 0}}
OPTIONS = {"tabSize": 2, "insertSpaces": True}
# Capabilities of a server that are no requests, and those whose requests are all asked below.
NO_REQUESTS = {"positionEncoding", "textDocumentSync", "workspace"}
ASKED = {
    "hoverProvider", "completionProvider", "signatureHelpProvider", "definitionProvider", "declarationProvider", "implementationProvider",
    "referencesProvider", "documentHighlightProvider", "documentSymbolProvider", "codeActionProvider",
    "codeLensProvider", "documentLinkProvider", "documentFormattingProvider", "documentRangeFormattingProvider",
    "documentOnTypeFormattingProvider", "renameProvider", "foldingRangeProvider", "executeCommandProvider",
    "selectionRangeProvider", "linkedEditingRangeProvider", "callHierarchyProvider", "semanticTokensProvider",
    "inlayHintProvider", "diagnosticProvider", "workspaceSymbolProvider",
}


class Session:
    """A server, a client's capabilities, and all that breaches the protocol between them."""

    def __init__(self, binary, name, capabilities):
        self.name, self.raw, self.breaches, self.requests = name, capabilities, [], 0
        self.converter = get_converter()
        self.capabilities = self.converter.structure(capabilities, types.ClientCapabilities)
        self.server = subprocess.Popen([binary, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.published = None

    def breach(self, what):
        self.breaches.append(f"{self.name}: {what}")

    def hold(self, message, kind):
        """Structures a message as a type, and compares what that makes of it with what came."""
        try:
            structured = self.converter.structure(message, kind)
            again = self.converter.unstructure(structured, kind)
        except Exception as error:  # whatever a converter raises is a breach
            self.breach(f"no {kind.__name__}: {error!r}: {json.dumps(message)[:600]}")
            return None
        if lean(again) != lean(message):
            self.breach(f"{kind.__name__} does not know all of {json.dumps(message)[:600]}; it reads {json.dumps(again)[:600]}")
        return structured

    def suits(self, check, method, subject):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            check(self.capabilities, method, subject)
        for warning in said:
            self.breach(f"{method}: {warning.message}")

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def hear(self):
        """The next message; what the server asks or tells by itself is dealt with at once."""
        length = None
        while line := self.server.stdout.readline().strip():
            name, value = line.split(b":", 1)
            length = int(value) if name.lower() == b"content-length" else length
        if length is None:
            raise EOFError(f"{self.name}: the server has gone")
        message = json.loads(self.server.stdout.read(length))
        method = message.get("method")
        if method is None:
            return message
        if types.message_direction(method) not in ("serverToClient", "both"):
            self.breach(f"{method} is nothing that a server says")
        structured = self.hold(message, types.METHOD_TO_TYPES[method][0])
        if structured is not None:
            self.suits(check_params_against_client_capabilities, method, structured.params)
        if method == "textDocument/publishDiagnostics":
            self.published = message["params"]
        if "id" in message:
            result = [None for _ in message["params"]["items"]] if method == "workspace/configuration" else None
            self.send({"id": message["id"], "result": result})
        return message

    def ask(self, method, params=None, empty=False):
        """A request's result, which must say something unless `empty` is allowed."""
        self.requests += 1
        asked = {"id": self.requests, "method": method, **({} if params is None else {"params": params})}
        self.converter.structure({"jsonrpc": "2.0", **asked}, types.METHOD_TO_TYPES[method][0])
        self.send(asked)
        while True:
            message = self.hear()
            if "method" not in message and message.get("id") == self.requests:
                break
        if "error" in message:
            self.breach(f"{method} fails: {message['error']}")
            self.hold(message, types.ResponseErrorMessage)
            return None
        structured = self.hold(message, types.METHOD_TO_TYPES[method][1])
        if structured is not None:
            self.suits(check_result_against_client_capabilities, method, structured.result)
        if not message["result"] and not empty:
            self.breach(f"{method} says nothing, so nothing was held to the protocol")
        return message["result"]

    def told(self, version):
        while not (self.published and self.published.get("version") == version):
            self.hear()
        return self.published["diagnostics"]

    def run(self):
        begun = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": self.raw, "initializationOptions": HINTS})
        for unknown in {name for name, value in begun["capabilities"].items() if value} - ASKED - NO_REQUESTS:
            self.breach(f"{unknown} is offered and nothing here asks for it")
        self.encoding = begun["capabilities"].get("positionEncoding", "utf-16")
        self.notify("initialized", {})
        document = {"textDocument": {"uri": URI}}
        self.notify("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "ptx", "version": 1, "text": TEXT}})
        found = self.told(1)
        if not found:
            self.breach("the mistake in the module is not published")

        self.ask("textDocument/hover", on("atom.add", 1))
        offered = self.ask("textDocument/completion", on("atom.add", 5))
        if not self.ask("completionItem/resolve", offered[0]).get("documentation"):
            self.breach("an offer has no documentation")
        self.ask("workspace/symbol", {"query": "krnl"})
        self.ask("workspace/diagnostic", {"previousResultIds": [], "workDoneToken": "checking"})
        self.ask("textDocument/completion", on("%r1, [", 1))
        self.ask("textDocument/signatureHelp", on("[%rd1], %r2", 1))
        for method in ("definition", "declaration", "documentHighlight", "prepareRename", "linkedEditingRange"):
            self.ask(f"textDocument/{method}", on("bra again", 5))
        source = {"textDocument": {"uri": URI.replace(".ptx", ".cu")}, "position": {"line": 6, "character": 0}}
        self.ask("textDocument/implementation", source)
        self.ask("textDocument/references", {**on("bra again", 5), "context": {"includeDeclaration": True}})
        self.ask("textDocument/rename", {**on("bra again", 5), "newName": "once_more"})
        for method in ("documentSymbol", "codeLens", "documentLink", "foldingRange", "diagnostic"):
            self.ask(f"textDocument/{method}", document)
        self.ask("textDocument/selectionRange", {**document, "positions": [on("add.global", 1)["position"]]})
        self.ask("textDocument/inlayHint", {**document, "range": WHOLE})
        for only in ("quickfix", "refactor", "source.fixAll"):
            self.ask("textDocument/codeAction", {**document, "range": WHOLE, "context": {"diagnostics": found, "only": [only]}})
        self.ask("textDocument/formatting", {**document, "options": OPTIONS})
        self.ask("textDocument/rangeFormatting", {**document, "range": WHOLE, "options": OPTIONS})
        self.ask("textDocument/onTypeFormatting", {**on("ret;", 4), "ch": ";", "options": OPTIONS})

        tokens = self.ask("textDocument/semanticTokens/full", document)
        self.ask("textDocument/semanticTokens/range", {**document, "range": WHOLE})
        start = {"line": 3, "character": 0}
        change = {"range": {"start": start, "end": start}, "text": "// new\n"}
        self.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]})
        self.ask("textDocument/semanticTokens/full/delta", {**document, "previousResultId": tokens["resultId"]})

        # One line was inserted above them.
        inner = self.ask("textDocument/prepareCallHierarchy", on("inner()", 1, 1))
        callers = self.ask("callHierarchy/incomingCalls", {"item": inner[0]})
        self.ask("callHierarchy/outgoingCalls", {"item": callers[0]["from"]})
        lens = self.ask("textDocument/codeLens", document)[0]
        self.ask("workspace/executeCommand", {key: lens["command"][key] for key in ("command", "arguments")})

        self.notify("textDocument/didClose", document)
        self.ask("shutdown", empty=True)
        self.notify("exit", None)
        if self.server.wait() != 0:
            self.breach("the server does not leave in peace")


def on(word, further, lines=0):
    """The parameters of a request some characters into a word; the lines asked about are ASCII, alike in all encodings."""
    before = TEXT[: TEXT.index(word) + further]
    position = {"line": before.count("\n") + lines, "character": len(before) - before.rfind("\n") - 1}
    return {"textDocument": {"uri": URI}, "position": position}


def lean(value):
    """Without members that are null: the protocol lets them be left out."""
    if isinstance(value, dict):
        return {key: lean(member) for key, member in value.items() if member is not None}
    return [lean(member) for member in value] if isinstance(value, (list, tuple)) else value


def main():
    clients = sorted(path.name for path in resources.files("pytest_lsp.clients").iterdir() if path.name.endswith(".json"))
    breaches, requests = [] if clients else ["pytest-lsp ships no clients"], 0
    for client in clients:
        captured = json.loads(resources.files("pytest_lsp.clients").joinpath(client).read_text())
        session = Session(sys.argv[1], client.removesuffix(".json"), captured["capabilities"])
        try:
            session.run()
        finally:
            session.server.kill()
        breaches += session.breaches
        requests += session.requests
    print(f"{len(clients)} clients, {requests} requests, {len(breaches)} breaches")
    print("\n".join(breaches), file=sys.stderr)
    sys.exit(bool(breaches))


main()
