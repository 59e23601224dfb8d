"""`indivo fhir …` against a foreign FHIR server, fhirstarter. usage: client.py PATH-OF-INDIVO"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from uuid import uuid4

os.environ["FHIR_SEQUENCE"] = "R4B"

import uvicorn
from fastapi import Depends, Request
from fhir.resources.R4B.bundle import Bundle
from fhir.resources.R4B.patient import Patient
from fhirstarter import FHIRProvider, FHIRStarter, InteractionContext
from fhirstarter.exceptions import FHIRResourceNotFoundError, FHIRUnauthorizedError

TOKEN = "token-of-the-test"
PAGE = 2
patients = {}


def check_token(request: Request):
    if request.headers.get("Authorization") != f"Bearer {TOKEN}":
        raise FHIRUnauthorizedError("a token is wanted")


provider = FHIRProvider(dependencies=[Depends(check_token)])


@provider.read(Patient)
async def read(context: InteractionContext, id_: str) -> Patient:
    if id_ not in patients:
        raise FHIRResourceNotFoundError
    return Patient.model_validate_json(patients[id_])


@provider.create(Patient)
async def create(context: InteractionContext, resource: Patient) -> str:
    resource.id = str(uuid4())
    patients[resource.id] = resource.model_dump_json()
    return resource.id


@provider.update(Patient)
async def update(context: InteractionContext, id_: str, resource: Patient) -> str:
    if id_ not in patients:
        raise FHIRResourceNotFoundError
    patients[id_] = resource.model_dump_json()
    return id_


@provider.delete(Patient)
async def delete(context: InteractionContext, id_: str) -> None:
    patients.pop(id_, None)


@provider.search_type(Patient)
async def search(context: InteractionContext, family: str | None, _id: str | None) -> Bundle:
    """By family; _id is misused for the first entry of the page, so that there are links to follow."""
    found = [
        patient for patient in map(json.loads, patients.values())
        if family in (None, *[name.get("family") for name in patient.get("name", [])])
    ]
    start = int(_id or 0)
    page = found[start:start + PAGE]
    bundle = {"type": "searchset", "total": len(found)}
    if page:
        bundle["entry"] = [{"resource": patient, "search": {"mode": "match"}} for patient in page]
    if start + PAGE < len(found):
        query = f"_id={start + PAGE}" + (f"&family={family}" if family else "")
        bundle["link"] = [{"relation": "next", "url": f"{BASE}/Patient?{query}"}]
    return Bundle(**bundle)


app = FHIRStarter(title="foreign server")
app.add_providers(provider)


def listen():
    free = socket.socket()
    free.bind(("127.0.0.1", 0))
    return free, free.getsockname()[1]


def passed(text):
    print(f"passed: {text}", flush=True)


class Tool:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, input="", status=0, token=TOKEN):
        environment = {**os.environ, "FHIR_BASE": BASE}
        environment.pop("FHIR_TOKEN", None)
        if token:
            environment["FHIR_TOKEN"] = token
        result = subprocess.run(
            [self.path, "fhir", *arguments], input=input, capture_output=True, text=True, env=environment, timeout=120)
        assert result.returncode == status, (arguments, result.returncode, result.stdout, result.stderr)
        assert TOKEN not in result.stdout + result.stderr, "a token was printed"
        return result


def main(path):
    tool = Tool(path)
    statement = json.loads(tool.run("capabilities").stdout)
    assert statement["resourceType"] == "CapabilityStatement" and statement["fhirVersion"].startswith("4."), statement
    passed("capabilities of the foreign server")

    patient = {"resourceType": "Patient", "name": [{"family": "Müller, Jr", "given": ["Ann"]}], "birthDate": "1980-02-03"}
    address = tool.run("create", "-", input=json.dumps(patient)).stdout.strip()
    assert address.startswith("Patient/"), address
    stored = json.loads(tool.run("read", address).stdout)
    assert {**patient, "id": address.split("/")[1]} == stored, stored
    passed("create and read: what was sent is what is stored")

    stored["gender"] = "female"
    assert tool.run("update", "-", input=json.dumps(stored)).stdout.strip() == address
    assert json.loads(tool.run("read", address).stdout)["gender"] == "female"
    passed("update")

    for number in range(5):
        tool.run("create", "-", input=json.dumps({"resourceType": "Patient", "name": [{"family": "Fir", "given": [str(number)]}]}))
    found = [json.loads(line) for line in tool.run("search", "Patient", "family=Fir").stdout.splitlines()]
    assert sorted(patient["name"][0]["given"][0] for patient in found) == ["0", "1", "2", "3", "4"], found
    assert len(tool.run("search", "Patient").stdout.splitlines()) == 6
    assert len(tool.run("search", "Patient", "--limit", "3").stdout.splitlines()) == 3
    assert len(tool.run("search", "Patient", "--post", "family=Fir").stdout.splitlines()) == 5
    one = tool.run("search", "Patient", "family=Müller, Jr").stdout
    assert json.loads(one)["id"] == stored["id"], one
    passed("search by GET and POST, all pages, one resource a line")
    tool.run("search", "Patient", "family=Nobody", status=1)
    passed("a search that finds nothing ends in 1")

    tool.run("delete", address)
    missing = tool.run("read", address, status=1)
    assert "not-found" in missing.stderr, missing.stderr
    passed("delete, and what is gone is not found")

    wrong = tool.run("create", "-", input='{"resourceType":"Patient","gender":["x"]}', status=3)
    assert "indivo fhir check" in wrong.stderr and "\n  error: " in wrong.stderr, wrong.stderr
    passed("what the foreign server refuses is told in its words")
    refused = tool.run("read", "Patient/1", status=3, token=None)
    assert "FHIR_TOKEN" in refused.stderr, refused.stderr
    tool.run("create", "-", input='{"resourceType":"Practitioner"}', status=1)
    tool.run("read", "Patient", status=2)
    tool.run("read", "Patient/1", "--base", "http://127.0.0.1:9/", status=4)
    passed("each refusal has its exit status")


listener, port = listen()
BASE = f"http://127.0.0.1:{port}"
server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
for _ in range(300):
    if server.started:
        break
    time.sleep(0.1)
else:
    sys.exit("the foreign server does not start")
try:
    main(sys.argv[1])
finally:
    server.should_exit = True
