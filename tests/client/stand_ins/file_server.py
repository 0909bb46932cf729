#!/usr/bin/env python3
"""An MCP server that writes files, over standard input and output: as much of
the protocol as a client asks for. Paths are taken from the folder in which it
was started."""
import json
import sys
from pathlib import Path

PATH = {"type": "string", "description": "A path"}
TOOLS = {
    "write_file": ({"path": PATH, "content": {"type": "string"}}, lambda a: Path(a["path"]).write_text(a["content"])),
    "move_file": ({"source": PATH, "destination": PATH}, lambda a: Path(a["source"]).rename(a["destination"])),
    "read_file": ({"path": PATH}, lambda a: Path(a["path"]).read_text()),
}


def answer(method: str, params: dict) -> dict:
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "files", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": name, "description": f"{name}, for a test",
                           "inputSchema": {"type": "object", "properties": fields, "required": list(fields)}}
                          for name, (fields, _) in TOOLS.items()]}
    if method == "tools/call":
        try:
            said, failed = str(TOOLS[params["name"]][1](params["arguments"])), False
        except (OSError, KeyError) as error:
            said, failed = repr(error), True
        return {"content": [{"type": "text", "text": said}], "isError": failed}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": answer(message["method"], message.get("params") or {})}
        print(json.dumps(reply), flush=True)
