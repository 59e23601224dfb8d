"""A study of `indivo study up` through what happens to servers, for scripts/interop study-operations."""

import base64, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time, urllib.error, urllib.parse, urllib.request, uuid

from services import PostgreSQL

tool = sys.argv[1]
work = pathlib.Path(tempfile.mkdtemp(prefix="study-operations-"))


def get(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def request(url, body, **fields):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {key.replace("_", "-"): value for key, value in fields.items()}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=30) as response:
        return json.loads(response.read() or b"{}")


def until(what, seconds, condition):
    start = time.monotonic()
    while time.monotonic() < start + seconds:
        if condition():
            return round(time.monotonic() - start, 1)
        time.sleep(0.2)
    sys.exit(f"{what}: not within {seconds} s\n{log.read_text()[-3000:]}")


class Study:
    """A running `study up`."""

    def __init__(self, folder, **places):
        global log
        folder.mkdir(exist_ok=True)
        if not (folder / "keys").exists():
            run("keys", folder / "keys/key-1", "--bits", "2048")
        run("user", "ada", "--users", folder / "users", "--role", "operate", input="a long password\n")
        (folder / "antispam.txt").write_text("spam\n")
        (folder / "antispam.txt").chmod(0o600)
        (folder / "study.json").write_text(json.dumps({
            "keys": "keys", "pages": {"users": "users", "port": 0}, "operations": {"port": 0}, "audit": "audit.jsonl",
            **places,
            "receiver": {"registration": "open", "antispam": "antispam.txt", "certificate": "keys/key-1/certificate.pem",
                         "keyID": "key-1", "port": 0, "requestsPerMinute": 100000}}))
        run("up", "--config", folder / "study.json", "--check")
        self.log = log = folder / "log"
        self.process = subprocess.Popen([tool, "study", "up", "--config", folder / "study.json", "--json"], stdout=subprocess.PIPE,
                                        stderr=open(self.log, "w"), text=True)
        self.urls = {}

    def wait(self, *parts):
        while not set(parts) <= set(self.urls):
            line = json.loads(self.process.stdout.readline())
            self.urls[line["part"]] = line["url"]

    def health(self):
        return get(self.urls["operations"] + "/health")

    def deliver(self):
        base = self.urls["receiver"] + "/c3pro"
        client = request(base + "/register", {"sandbox": False, "receipt-data": "x"}, Antispam="spam",
                         Content_Type="application/json")
        basic = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
        token = request(base + "/oauth", b"grant_type=client_credentials", Authorization="Basic " + basic,
                        Content_Type="application/x-www-form-urlencoded")["access_token"]
        who, signed = {"reference": f"Patient/{uuid.uuid4()}"}, "2026-01-01T09:00:00Z"
        for resource in [
            {"resourceType": "Contract", "status": "executed", "applies": {"start": signed}, "version": "1", "signer": [{
                "type": {"system": "http://hl7.org/fhir/ValueSet/contract-signer-type", "code": "CONSENTER"}, "party": who,
                "signature": [{"type": [{"code": "1.2.840.10065.1.12.1.7"}], "when": signed, "who": who}]}]},
            {"resourceType": "QuestionnaireResponse", "status": "completed", "questionnaire": "http://example.org/Questionnaire/d",
             "subject": who, "authored": signed, "item": [{"linkId": "a", "answer": [{"valueInteger": 7}]}]}]:
            request(f"{base}/fhir/{resource['resourceType']}", resource, Authorization="Bearer " + token,
                    Content_Type="application/json")

    def loaded(self):
        text = get(self.urls["operations"] + "/metrics")[1]
        return int(text.split('study_consumer_messages_total{state="loaded"} ')[1].split()[0])

    def end(self):
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=60) == 0, self.log.read_text()
        return round(time.monotonic() - start, 1)


def run(*arguments, **more):
    done = subprocess.run([tool, "study", *map(str, arguments)], capture_output=True, text=True, **more)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def backed_up(folder, **places):
    """A backup of a study that is running, restored somewhere else: the seconds that both took."""
    start = time.monotonic()
    made = json.loads(run("backup", "--config", folder / "study.json", folder / "backups", "--json"))
    there = time.monotonic()
    kept = set(os.listdir(made["folder"]))
    assert {"backup.json", "study.json", "users", "audit.jsonl"} <= kept and not any("key" in name for name in kept), kept
    target = [part for name, place in places.items() for part in ("--" + name, place)]
    restored = json.loads(run("restore", made["folder"], *target, "--json"))
    assert restored["counts"] == made["counts"] and made["counts"]["study_resource"] >= 1, (made, restored)
    return f"backup in {there - start:.1f} s, restored with the same rows in {time.monotonic() - there:.1f} s"


# On SQLite: from nothing to a fact, a backup, and a clean end.
study = Study(work / "sqlite")
study.wait("operations", "receiver", "pages")
until("health", 20, lambda: study.health()[0] == 200)
study.deliver()
seconds = until("facts", 30, lambda: study.loaded() == 2)
# A login that fails is written down.
jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
page = jar.open(study.urls["pages"] + "/login").read().decode()
fields = {"name": "ada", "password": "wrong", "code": "", "csrf": page.split('name="csrf" value="')[1].split('"')[0]}
try:
    jar.open(urllib.request.Request(study.urls["pages"] + "/login", urllib.parse.urlencode(fields).encode(),
                                    {"Origin": study.urls["pages"]}))
    sys.exit("a wrong password logs in")
except urllib.error.HTTPError as error:
    assert error.code == 403, error
assert get(study.urls["pages"] + "/login")[0] == 200
assert get(study.urls["receiver"] + "/health") == (200, '{"status":"ok"}')
print("SQLite:", backed_up(work / "sqlite", queue=f"sqlite:{work}/new-queue.sqlite", store=f"sqlite:{work}/new.sqlite"))
assert int(run("audit", "verify", work / "sqlite/audit.jsonl").split()[0]) >= 1
assert run("message", "list", "--store", f"sqlite:{work}/sqlite/study.sqlite").strip() == ""
print(f"SQLite: delivered and in the warehouse after {seconds} s; ended by SIGTERM in {study.end()} s")
shown = run("export", "--store", f"sqlite:{work}/sqlite/study.sqlite", "--format", "tables", "--output", work / "export")
assert (work / "export/d.csv").read_text().splitlines()[1].endswith(",7"), shown

# On PostgreSQL: before it is there, while it is away, and after it came back.
database = PostgreSQL()
database.run("pg_ctl", "-D", database.data, "-m", "fast", "-w", "stop")
study = Study(work / "postgresql", queue=database.url, store=database.url)
study.wait("operations")
until("failing parts", 20, lambda: '"receiver":"failing"' in study.health()[1])
assert study.process.poll() is None and "no connection to PostgreSQL" in study.log.read_text()
database.start()
study.wait("receiver", "pages")
seconds = until("health", 90, lambda: study.health()[0] == 200)
study.deliver()
until("facts", 30, lambda: study.loaded() == 2)
database.run("pg_ctl", "-D", database.data, "-m", "fast", "-w", "stop")
until("health fails", 30, lambda: study.health()[0] == 503 and get(study.urls["receiver"] + "/health")[0] == 503)
assert "no message can be queued" in study.log.read_text()
database.start()
away = until("health after", 60, lambda: study.health()[0] == 200 and get(study.urls["receiver"] + "/health")[0] == 200)
study.deliver()
until("facts after", 30, lambda: study.loaded() == 4)
database.ask("CREATE DATABASE restored")
new = database.url.replace("/postgres?", "/restored?")
# Nobody has looked at the pages: the log begins here.
os.environ["INDIVO_STUDY_AUDIT"] = str(work / "postgresql/audit.jsonl")
run("export", "--store", database.url, "--format", "odm", "--output", work / "odm")
assert "export" in run("audit", "list", work / "postgresql/audit.jsonl")
print("PostgreSQL:", backed_up(work / "postgresql", queue=new, store=new))
print(f"PostgreSQL: waited for, {seconds} s after the parts were up; well {away} s after it came back; "
      f"ended in {study.end()} s")

# A disk that fills.
if os.getuid() == 0 and shutil.which("mount"):
    folder = work / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=80m", "none", folder], capture_output=True)
    if mounted.returncode == 0:
        try:
            study = Study(folder)
            study.wait("operations", "receiver", "pages")
            until("health", 20, lambda: study.health()[0] == 200)
            (folder / "filler").write_bytes(b"x" * (30 << 20))
            until("health", 20, lambda: get(study.urls["receiver"] + "/health") == (503, '{"status":"failing"}'))
            assert study.health()[0] == 503 and '"queue":"disk"' in study.health()[1]
            until("the reason in the log", 5, lambda: "MiB left" in study.log.read_text())
            (folder / "filler").unlink()
            until("health", 20, lambda: study.health()[0] == 200 and get(study.urls["receiver"] + "/health")[0] == 200)
            study.end()
            print("A full disk is not ok, and the log says so; with space it is ok again.")
        finally:
            subprocess.run(["umount", "-l", folder])
    else:
        print("SKIPPED: no tmpfs can be mounted, so that no disk fills.")
else:
    print("SKIPPED: root alone can mount a disk that fills.")
shutil.rmtree(work)
