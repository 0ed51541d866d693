"""A scripted chat model on the loopback: it answers well, badly, late or never."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[[int, dict[str, Any]], Any]
"""Gets a question's number and body; gives a text to answer with, a status that may have a body
beside it, or bytes to send."""


class ScriptedModel:
    def __init__(self, script: Script) -> None:
        self.questions: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.ended = threading.Event()
        model, taking = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with taking:
                    number = len(model.questions)
                    model.questions.append(asked)
                model.keys.append(self.headers["authorization"])
                said = script(number, asked)
                if isinstance(said, int | tuple):
                    status, told = said if isinstance(said, tuple) else (said, b"")
                    self.send_response(status)
                    self.send_header("content-length", str(len(told)))
                    self.end_headers()
                    self.wfile.write(told)
                    return
                body = said if isinstance(said, bytes | Iterator) else completion(said)
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.end_headers()
                for part in [body] if isinstance(body, bytes) else body:
                    if model.ended.is_set():
                        return
                    self.wfile.write(part)
                    self.wfile.flush()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()


def completion(said: Any, finish_reason: str = "stop") -> bytes:
    """A response with a text, or with the arguments of a tool's call as a dict."""
    message: dict[str, Any] = {"role": "assistant", "content": said}
    if isinstance(said, dict):
        call = {"name": "play", "arguments": json.dumps(said)}
        message = {"role": "assistant", "content": None, "tool_calls": [{"function": call}]}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps(head | {"choices": [choice], "usage": usage}).encode()


def dripping(seconds: float) -> Iterator[bytes]:
    while True:
        yield b" "
        time.sleep(seconds)


@contextmanager
def scripted(script: Script) -> Iterator[ScriptedModel]:
    model = ScriptedModel(script)
    try:
        yield model
    finally:
        model.close()
