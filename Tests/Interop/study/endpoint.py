"""A test server of studies, for scripts/interop study-formats: ResearchKit's POST (with uploads that go on where they broke off) and
C3-PRO's receiver with its odd responses. It stores what it gets once for each id, and counts.

usage: study-endpoint.py FOLDER        writes FOLDER/port; reads FOLDER/mode at each request: how it behaves
       normal                        as it should
       after-storing                 stores, and answers 500
       hang                          reads the request, and answers nothing
       cut N                         reads N bytes of a body and closes the connection
       error-200                     answers an error of C3-PRO's receiver with status 200, and stores nothing
FOLDER/log gets a line for each request: method, path, id, status; FOLDER/stored/ID what was stored."""
import base64
import json
import os
import pathlib
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote_plus

folder = pathlib.Path(sys.argv[1])
(folder / "stored").mkdir(parents=True, exist_ok=True)
(folder / "partial").mkdir(exist_ok=True)
tokens = set()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def id(self):
        name = self.headers.get("X-ResearchKit-UploadUUID") or self.headers.get("Idempotency-Key") or "-"
        return name.lower() if name.replace("-", "").isalnum() else "-"

    def answer(self, status, text="", fields=()):
        with open(folder / "log", "a") as log:
            log.write(f"{self.command} {self.path} {self.id} {status}\n")
        body = text.encode()
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def upload(self, mode, start=b""):
        """Reads the body behind what is there, and stores the whole; False when the connection is to be closed."""
        length = int(self.headers["Content-Length"])
        limit = int(mode.split()[1]) if mode.startswith("cut") else length
        body = self.rfile.read(min(length, limit))
        whole = start + body
        if len(body) < length:
            (folder / "partial" / self.id).write_bytes(whole)
            with open(folder / "log", "a") as log:
                log.write(f"{self.command} {self.path} {self.id} cut\n")
            self.close_connection = True
            return False
        if mode == "hang":
            with open(folder / "log", "a") as log:
                log.write(f"{self.command} {self.path} {self.id} hang\n")
            time.sleep(600)
        if mode != "error-200":
            # A second one of an id changes nothing.
            target = folder / "stored" / self.id
            if not target.exists():
                target.write_bytes(whole)
        return True

    def do_HEAD(self):
        if (folder / "stored" / self.id).exists():
            return self.answer(200, fields=[("Upload-Complete", "?1")])
        partial = folder / "partial" / self.id
        if partial.exists():
            return self.answer(204, fields=[("Upload-Offset", str(partial.stat().st_size)), ("Upload-Complete", "?0")])
        self.answer(404)

    def do_PATCH(self):
        start = (folder / "partial" / self.id).read_bytes()
        if int(self.headers["Upload-Offset"]) != len(start):
            return self.answer(409)
        if self.upload(self.mode, start):
            self.answer(201)

    do_PUT = lambda self: self.do_POST()

    @property
    def mode(self):
        return (folder / "mode").read_text().strip() if (folder / "mode").exists() else "normal"

    def do_POST(self):
        mode = self.mode
        if self.path == "/c3pro/register":
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.headers.get("Antispam") != "anti spam" or "receipt-data" not in body:
                return self.answer(401, '{"error":"unauthorized_client","error_description":"Antispam token not validated"}')
            return self.answer(
                201, '{"client_id":"client","client_secret":"a+b/c=","grant_types":["client_credentials"],'
                '"token_endpoint_auth_method":"client_secret_basic",}')
        if self.path == "/c3pro/oauth":
            self.rfile.read(int(self.headers["Content-Length"]))
            # The whole is decoded by the rules of forms.
            if unquote_plus(base64.b64decode(self.headers["Authorization"].split()[1]).decode()) != "client:a+b/c=":
                return self.answer(401, '{"error":"unauthorized_client"}')
            token = os.urandom(16).hex()
            tokens.add(token)
            return self.answer(202, json.dumps({"access_token": token, "expires_in": 1800, "token_type": "bearer"}))
        if self.path.startswith("/c3pro/") and self.headers.get("Authorization", "")[7:] not in tokens:
            self.rfile.read(int(self.headers["Content-Length"]))
            return self.answer(401, '{"error":"unauthorized_client"}')
        if not self.upload(mode):
            return
        if mode == "error-200":
            return self.answer(200, "{'error':'Error accessing the queue'}")
        self.answer(500 if mode == "after-storing" else 200)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
(folder / "port.new").write_text(str(server.server_address[1]))
os.rename(folder / "port.new", folder / "port")
server.serve_forever()
