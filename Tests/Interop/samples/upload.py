"""`indivo samples upload` over a network that fails at random, twice, to our FHIR server and to a foreign one: afterwards each
sample is there as one Observation. Usage: sample-upload.py INDIVO INDIVO-SOAK COUNT SEED"""
import collections
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import generated_samples as samples
from servers import Served, free_port

IDENTIFIER = "urn:example:patients|4711"
PATIENT = {"resourceType": "Patient", "identifier": [{"system": "urn:example:patients", "value": "4711"}], "name": [{"family": "Moss"}]}


class OurServer(Served):
    """`indivo fhir serve`."""
    name = "indivo fhir serve"

    def __init__(self, tool):
        super().__init__(tool, "fhir", "serve", "--port", "0", "--json", stderr=None)
        self.base = self.summary["base"]
        request = urllib.request.Request(
            self.base + "/Patient", data=json.dumps(PATIENT).encode(), headers={"Content-Type": "application/fhir+json"})
        urllib.request.urlopen(request).close()

    def count(self, kind):
        with urllib.request.urlopen(f"{self.base}/{kind}?_summary=count") as response:
            return json.load(response)["total"]

    def identifiers(self):
        """The identifiers of all Observations, by their pages."""
        url = f"{self.base}/Observation?_count=1000&_elements=identifier"
        while url:
            with urllib.request.urlopen(url) as response:
                bundle = json.load(response)
            for entry in bundle.get("entry", []):
                yield entry["resource"]["identifier"][0]["value"]
            url = next((link["url"] for link in bundle["link"] if link["relation"] == "next"), None)


class ForeignServer:
    """fhirstarter. It knows no transactions, so that a handler of our own creates what a Bundle has, each resource checked by
    fhir.resources; conditions are looked at before anything is created, and all or nothing is stored."""
    name = "fhirstarter"

    def __init__(self, tool):
        os.environ["FHIR_SEQUENCE"] = "R4B"
        import uvicorn
        from fastapi import Request
        from fastapi.responses import JSONResponse
        from fhir.resources.R4B.bundle import Bundle
        from fhir.resources.R4B.device import Device
        from fhir.resources.R4B.observation import Observation
        from fhir.resources.R4B.patient import Patient
        from fhirstarter import FHIRProvider, FHIRStarter, InteractionContext

        self.stored = collections.defaultdict(list)
        self.ids = {}
        models = {"Observation": Observation, "Device": Device}
        lock = threading.Lock()
        provider = FHIRProvider()

        @provider.search_type(Patient)
        async def search(context: InteractionContext, identifier: str | None) -> Bundle:
            entries = [{"resource": {**PATIENT, "id": "1"}, "search": {"mode": "match"}}] if identifier == IDENTIFIER else []
            bundle = {"type": "searchset", "total": len(entries), **({"entry": entries} if entries else {})}
            return Bundle.model_validate(bundle)

        app = FHIRStarter()
        app.add_providers(provider)

        def refuse(message):
            issue = {"severity": "error", "code": "invalid", "diagnostics": message[:500]}
            return JSONResponse({"resourceType": "OperationOutcome", "issue": [issue]}, 400, media_type="application/fhir+json")

        @app.post("/")
        async def transaction(request: Request):
            bundle = await request.json()
            with lock:
                found, new = {}, []
                for entry in bundle["entry"]:
                    resource = entry["resource"]
                    kind, condition = resource["resourceType"], urllib.parse.parse_qs(entry["request"]["ifNoneExist"])
                    key = (kind, condition["identifier"][0], condition.get("subject", [""])[0])
                    try:
                        models[kind].model_validate(resource)
                    except Exception as error:  # whatever fhir.resources says
                        return refuse(str(error))
                    if key in self.ids:
                        found[entry["fullUrl"]] = (self.ids[key], "200 OK")
                    else:
                        new.append((key, entry["fullUrl"], resource))
                        found[entry["fullUrl"]] = (f"{kind}/{len(self.stored[kind]) + len(new)}", "201 Created")
                for key, url, resource in new:
                    self.ids[key] = found[url][0]
                    self.stored[key[0]].append(resource["identifier"][0]["value"])
            entries = [{"response": {"location": found[e["fullUrl"]][0], "status": found[e["fullUrl"]][1]}} for e in bundle["entry"]]
            return JSONResponse(
                {"resourceType": "Bundle", "type": "transaction-response", "entry": entries}, media_type="application/fhir+json")

        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        # Connections that the proxy cuts are errors to uvicorn, each with a page of its own.
        self.server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical"))
        threading.Thread(target=self.server.run, daemon=True).start()
        while not self.server.started:
            time.sleep(0.05)

    def count(self, kind):
        return len(self.stored[kind])

    def identifiers(self):
        return self.stored["Observation"]

    def stop(self):
        self.server.should_exit = True


def upload(tool, file, base):
    """Uploads until the tool says that everything is there; a network can fail for longer than a command retries."""
    for attempt in range(1, 200):
        run = subprocess.run([tool, "samples", "upload", file, "--base", base, "--patient", IDENTIFIER], stderr=subprocess.PIPE, text=True)
        if run.returncode == 0:
            return attempt, run.stderr.strip().splitlines()[-1]
    raise SystemExit(f"the upload never ended: {run.stderr}")


def check(server, tool, soak, file, count, seed):
    address = urllib.parse.urlsplit(server.base)
    proxy = subprocess.Popen(
        [soak, "proxy", str(address.port), str(seed), "0.1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    base = f"http://127.0.0.1:{int(proxy.stdout.readline())}{address.path}"
    start = time.monotonic()
    runs = [upload(tool, file, base) for _ in range(2)]
    faults = proxy.communicate()[0].strip()
    for attempts, last in runs:
        print(f"  {attempts} {'run' if attempts == 1 else 'runs'} of the command; {last}")
    found = list(server.identifiers())
    problems = []
    if not runs[1][1].startswith("0 created"):
        problems.append("the second upload created something")
    if (len(found), len(set(found)), server.count("Observation")) != (count, count, count):
        problems.append(f"{len(found)} Observations with {len(set(found))} identifiers for {count} samples")
    if server.count("Device") != 3:
        problems.append(f"{server.count('Device')} Devices for 3 sources")
    print(f"{'FAILED' if problems else 'passed'}: {count} samples twice to {server.name} in {time.monotonic() - start:.0f} s, {faults}"
          + "".join("; " + problem for problem in problems), flush=True)
    return not problems


def main():
    tool, soak, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    passed = True
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "samples.jsonl")
        samples.write(file, samples.heart_rates(count))
        for kind in (OurServer, ForeignServer):
            server = kind(tool)
            try:
                passed = check(server, tool, soak, file, count, seed) and passed
            finally:
                server.stop()
    sys.exit(0 if passed else 1)


main()
