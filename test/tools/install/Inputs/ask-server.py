"""Opens a file in an LSP server and prints how many diagnostics it has.

usage: ask-server.py SERVER FILE"""

import json
import subprocess
import sys


def message(method, params, number=None):
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        body["id"] = number
    text = json.dumps(body)
    return "Content-Length: %d\r\n\r\n%s" % (len(text.encode()), text)


def main():
    server, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    asked = message("initialize", {"processId": None, "rootUri": None,
                                   "capabilities": {}}, 0)
    asked += message("textDocument/didOpen", {"textDocument": {
        "uri": "file:///gemm.mlir", "languageId": "mlir", "version": 1,
        "text": text}})
    asked += message("shutdown", {}, 1) + message("exit", {})
    answer = subprocess.run([server], input=asked, capture_output=True,
                            text=True, check=True).stdout
    for part in answer.split("Content-Length:"):
        if "publishDiagnostics" in part:
            body = json.loads(part[part.index("{"):])
            print("diagnostics:", len(body["params"]["diagnostics"]))


main()
