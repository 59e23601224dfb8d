"""Phones, faults and the count for scripts/interop study-server, with one queue and one store. The envelopes are made by Python's cryptography."""

import argparse, base64, datetime, hashlib, http.client, io, json, os, random, shutil, signal, socket, subprocess, sys, tempfile, threading
import time, uuid, zipfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes, padding as blocks
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from servers import free_port
from services import SQS, PostgreSQL, PostgreSQLQueue, PostgreSQLStore, SQLiteQueue, SQLiteStore, SQSQueue

parser = argparse.ArgumentParser()
parser.add_argument("tool")
parser.add_argument("--queue", choices=["sqlite", "postgresql", "sqs"], default="sqlite")
parser.add_argument("--store", choices=["sqlite", "postgresql"], default="sqlite")
parser.add_argument("--participants", type=int, default=50)
parser.add_argument("--responses", type=int, default=20)
parser.add_argument("--packages", type=int, default=2, help="of ResearchKit with files, of each participant")
parser.add_argument("--samples", type=int, default=4, help="messages of 20 samples, half of which the one before has, of each participant")
parser.add_argument("--deliveries", type=int, help="about so many in all; --participants follows from it")
parser.add_argument("--kills", type=int, help="so many, spread over the deliveries; otherwise one a second")
parser.add_argument("--consumers", type=int, default=2)
parser.add_argument("--seed", type=int, default=int(time.time()))
options = parser.parse_args()
chance = random.Random(options.seed)
if options.deliveries:
    # Each has a consent, a third withdraws, and a third of all comes twice.
    options.participants = max(3, round(options.deliveries * 3 / 4 / (options.responses + options.packages + options.samples + 7 / 3)))
print(f"queue {options.queue}, store {options.store}, seed {options.seed}", flush=True)

work = tempfile.mkdtemp(prefix="study-server-")
environment = {"PATH": os.environ["PATH"], "HOME": work, "LANG": "C.UTF-8"}
os.umask(0o077)


def path(name):
    return os.path.join(work, name)


subprocess.run([options.tool, "study", "keys", path("keys/key-1"), "--bits", "2048"], check=True, env=environment, capture_output=True)
certificate = x509.load_pem_x509_certificate(open(path("keys/key-1/certificate.pem"), "rb").read())
open(path("antispam.txt"), "w").write("spam-secret\n")
# PostgreSQL has the registered apps in the queue's database.
places = {} if options.queue == "postgresql" else {"clients": "clients.sqlite"}
json.dump({"registration": "open", "antispam": "antispam.txt", "requestsPerMinute": 1000000, **places},
          open(path("receiver.json"), "w"))


def envelope(resource):
    """As C3-PRO's phones encrypt."""
    key = os.urandom(32)
    padder = blocks.PKCS7(128).padder()
    plain = padder.update(json.dumps(resource).encode()) + padder.finalize()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor()
    wrapped = certificate.public_key().encrypt(
        key, padding.OAEP(mgf=padding.MGF1(algorithm=hashes.SHA1()), algorithm=hashes.SHA1(), label=None))
    text = lambda data: base64.b64encode(data).decode()
    return json.dumps({
        "key_id": "key-1", "symmetric_key": text(wrapped), "message": text(encryptor.update(plain) + encryptor.finalize()),
        "version": "4.0.1"}).encode()


def contract(participant, status="executed"):
    return {"resourceType": "Contract", "status": status, "applies": {"start": "2026-01-01T00:00:00Z"}, "signer": [{
        "type": {"code": "CONSENTER"}, "party": {"reference": f"Patient/{participant}"},
        "signature": [{"type": [{"code": "1.2.840.10065.1.12.1.7"}], "when": "2026-01-01T00:00:00Z",
                       "who": {"reference": f"Patient/{participant}"}}]}]}


def response(participant, number):
    return {"resourceType": "QuestionnaireResponse", "identifier": {"system": "urn:x", "value": f"{participant}-{number}"},
            "questionnaire": "http://example.org/Questionnaire/load", "status": "completed",
            "authored": f"2026-03-{1 + number % 28:02}T10:00:00Z", "subject": {"reference": f"Patient/{participant}"},
            "item": [{"linkId": "number", "answer": [{"valueInteger": number}]},
                     {"linkId": "seen", "answer": [{"valueBoolean": number % 2 == 0}]}]}


def package(participant, number):
    """A task's run with a recording, sound and a response, as a CMS message of openssl's; and the digests of its files."""
    answer = response(participant, number)
    answer["identifier"]["value"] += "-package"
    answer["questionnaire"] = "http://example.org/Questionnaire/packed"
    samples = [{"timestamp": n, "x": chance.random()} for n in range(chance.randrange(200))]
    files = {"response.json": json.dumps(answer).encode(), "accel.json": json.dumps({"items": samples}).encode(),
             "sound.m4a": chance.randbytes(chance.randrange(20_000))}
    info = {"study": "org.example.load", "item": "walk", "taskRun": str(uuid.UUID(int=chance.getrandbits(128), version=4)).upper(),
            "timestamp": "2026-03-01T10:00:00Z", "files": [
                {"filename": name, "contentType": "application/json" if name.endswith("json") else "audio/mp4",
                 "timestamp": "2026-03-01T10:00:00Z"} for name in files]}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        writer.writestr("info.json", json.dumps(info))
        for name, content in files.items():
            writer.writestr(name, content)
    message = subprocess.run(
        ["openssl", "cms", "-encrypt", "-binary", "-aes-256-gcm", "-outform", "DER", path("keys/key-1/certificate.pem")],
        input=archive.getvalue(), check=True, capture_output=True).stdout
    digests = [(name, len(content), hashlib.sha256(content).hexdigest()) for name, content in files.items()]
    return message, str(uuid.UUID(int=chance.getrandbits(128), version=4)), participant, digests


def heart_rate(participant, number, status="final"):
    """The sample of a number: one every three hours, the last of a day in the night before by UTC."""
    start = (datetime.datetime(2026, 2, 26) + datetime.timedelta(hours=3 * number)).isoformat() + "+05:30"
    # A deletion is later than what it takes away, whatever comes first.
    end = start if status == "final" else "2026-08-01T00:00:00+05:30"
    name = str(uuid.uuid5(uuid.UUID(participant), str(number))).upper()
    return {"resource": {
        "resourceType": "Observation", "id": name, "status": status,
        "identifier": [{"system": "urn:ietf:rfc:3986", "value": f"urn:uuid:{name}"}],
        "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}, {
            "system": "http://developer.apple.com/documentation/healthkit", "code": "HKQuantityTypeIdentifierHeartRate"}]},
        "subject": {"reference": f"Patient/{participant}"}, "effectiveDateTime": start, "issued": end,
        "valueQuantity": {"value": 50 + number, "unit": "beats/minute", "system": "http://unitsofmeasure.org", "code": "/min"}}}


def bundle(entries):
    return {"resourceType": "Bundle", "type": "collection", "entry": entries}


def sample_numbers():
    """Those of a participant's messages of samples, and those that are deleted."""
    sent = [range(10 * message, 10 * message + 20) for message in range(options.samples)]
    return sent, sorted({number for numbers in sent for number in numbers if number % 7 == 3})


# The services behind the queue and the store; see services.py.
environment.update({"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"})
database = PostgreSQL() if "postgresql" in (options.queue, options.store) else None
service = SQS() if options.queue == "sqs" else None
queue = {"sqlite": SQLiteQueue, "postgresql": PostgreSQLQueue, "sqs": SQSQueue}[options.queue](path("queue.sqlite"), database, service)
store = {"sqlite": SQLiteStore, "postgresql": PostgreSQLStore}[options.store](path("study.sqlite"), database)


class Running:
    """A process of the tool that is killed and started again."""

    def __init__(self, *arguments):
        self.arguments, self.process, self.kills = arguments, None, 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [options.tool, "study", *self.arguments], env=environment, cwd=work,
            stdout=subprocess.DEVNULL, stderr=open(path("log"), "ab"))

    def kill(self):
        # It may have ended by itself, when the database was not there as it started.
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.kills += 1
        self.start()

    def revive(self):
        if self.process.poll() is not None:
            self.start()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


port = free_port()

token_lock = threading.Lock()
state = {"token": None, "client": None, "posts": 0, "retries": 0}


def request(method, target, headers, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def token(old):
    with token_lock:
        if state["token"] not in (None, old):
            return state["token"]
        # One app for all: another one could withdraw nobody.
        if state["client"] is None:
            status, body = request("POST", "/c3pro/register", {"Antispam": "spam-secret"}, b'{"receipt-data": "x"}')
            if status == 429:
                time.sleep(2)
            registered = json.loads(body)
            registered["client_id"], registered["client_secret"]
            state["client"] = registered
        client = state["client"]
        basic = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
        status, body = request("POST", "/c3pro/oauth", {"Authorization": f"Basic {basic}"}, b"grant_type=client_credentials")
        state["token"] = json.loads(body)["access_token"]
        return state["token"]


def deliver(message, cuts):
    """Until the receiver has it; a connection may be cut in the middle, and then all of it is sent again."""
    known = state["token"]
    upload = isinstance(message, tuple)
    body = message[0] if upload else message
    target = "/api/upload" if upload else "/c3pro/encfhir"

    def fields():
        if upload:
            return {"X-ResearchKit-UploadUUID": message[1], "X-ResearchKit-SubjectUUID": message[2],
                    "X-ResearchKit-StudyIdentifier": "org.example.load"}
        return {"Authorization": f"Bearer {known}"}

    while True:
        try:
            if known is None:
                known = token(None)
            if cuts:
                cuts -= 1
                with socket.create_connection(("127.0.0.1", port), timeout=20) as raw:
                    lines = [f"POST {target} HTTP/1.1", "Host: x", *(f"{name}: {value}" for name, value in fields().items()),
                             f"Content-Length: {len(body)}"]
                    head = "\r\n".join(lines) + "\r\n\r\n"
                    # Some bytes are missing, or only the response is not read.
                    raw.sendall(head.encode() + body[:chance.choice([len(body) // 2, len(body)])])
                continue
            status, answer = request("POST", target, fields(), body)
            if status == 200:
                state["posts"] += 1
                return
            if status == 401:
                known = token(known)
            elif status in (429, 503):
                time.sleep(0.5)
            else:
                raise SystemExit(f"the receiver refuses: {status} {answer}")
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            known = state["token"]
            state["retries"] += 1
            time.sleep(0.2)


participants = [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(options.participants)]
leavers = set(participants[:: max(2, options.participants // 3)])
messages = []
kept_files = []
for participant in participants:
    messages.append(envelope(contract(participant)))
    messages += [envelope(response(participant, number)) for number in range(options.responses)]
    for number in range(options.packages):
        messages.append(package(participant, number))
        if participant not in leavers:
            kept_files += messages[-1][3]
    sent, deleted = sample_numbers()
    messages += [envelope(bundle([heart_rate(participant, number) for number in numbers])) for numbers in sent]
    if deleted:
        messages.append(envelope(bundle([heart_rate(participant, number, "entered-in-error") for number in deleted])))
    if participant in leavers:
        messages.append(envelope(contract(participant, "revoked")))
messages += chance.sample(messages, len(messages) // 3)
chance.shuffle(messages)
print(f"{len(messages)} deliveries of {options.participants} participants, {len(leavers)} of whom leave", flush=True)

receiver = Running("serve", "--queue", queue.url, "--config", "receiver.json", "--port", str(port))
consume = ["consume", "--queue", queue.url, "--store", store.url, "--keys", "keys", "--visibility", str(queue.visibility),
           "--samples", "table"]
consumers = [Running(*consume) for _ in range(options.consumers)]
work_left = list(messages)
lock = threading.Lock()


def phone():
    while True:
        with lock:
            if not work_left:
                return
            body = work_left.pop()
            cuts = chance.choice([0, 0, 0, 1])
        deliver(body, cuts)


start = time.time()
phones = [threading.Thread(target=phone) for _ in range(4)]
for thread in phones:
    thread.start()
kills = 0
while any(thread.is_alive() for thread in phones):
    if options.kills:
        # The next one is due when its share of the deliveries is accepted.
        if state["posts"] * (options.kills + 1) < len(messages) * (kills + 1):
            time.sleep(0.02)
            # Who started while the database was not there ended by itself.
            for process in [receiver, *consumers]:
                process.revive()
            continue
        time.sleep(chance.uniform(0, 0.1))
    else:
        time.sleep(chance.uniform(0.3, 1.5))
    kills += 1
    # A database takes a second to come back.
    candidates = [receiver, *consumers] * (3 if options.kills else 1) + ([database] if database else [])
    chance.choice(candidates).kill()
    for process in [receiver, *consumers]:
        process.revive()
print(f"delivered after {time.time() - start:.0f} s: {state['posts']} accepted, {state['retries']} failed attempts", flush=True)
if database:
    database.kill()
for _ in range(5):
    time.sleep(chance.uniform(0.3, 1))
    chance.choice(consumers + ([database] if database else [])).kill()
    for process in [receiver, *consumers]:
        process.revive()
for process in [*consumers, receiver]:
    process.revive()
    process.stop()
# Messages of killed consumers come again when their time is over.
queue.pass_time()
last = subprocess.run(
    [options.tool, "study", *consume, "--once", "--reprocess"], env=environment, cwd=work, capture_output=True, text=True)
print(last.stdout.strip())
if last.returncode != 0:
    sys.exit(f"FAILED: the last consumer ended with {last.returncode}: {last.stderr}")

staying = options.participants - len(leavers)
visits = options.responses + options.packages
sent, deleted = sample_numbers()
samples = sorted({number for numbers in sent for number in numbers} - set(deleted))
days = "observation_fact JOIN encounter_mapping e USING (encounter_num) WHERE e.encounter_ide LIKE 'Samples/%'"
expected = {
    "facts": ("SELECT count(*) FROM observation_fact WHERE modifier_cd = '@' AND concept_cd LIKE 'SURVEY:%'", staying * visits * 3),
    "samples": ("SELECT count(*) FROM study_sample", staying * len(samples)),
    "sum of samples": ("SELECT coalesce(sum(value), 0) FROM study_sample", staying * sum(50 + number for number in samples)),
    "days": (f"SELECT count(*) FROM {days} AND modifier_cd = '@'", staying * len({number // 8 for number in samples})),
    "samples of days": (f"SELECT coalesce(sum(nval_num), 0) FROM {days} AND modifier_cd = 'SAMPLE:COUNT'", staying * len(samples)),
    "sum of days": (f"SELECT coalesce(sum(nval_num), 0) FROM {days} AND modifier_cd = 'SAMPLE:SUM'",
                    staying * sum(50 + number for number in samples)),
    "samples' sets": ("SELECT count(*) FROM study_sample s JOIN study_sample_set c ON c.patient_num = s.patient_num "
                      "AND c.set_num = s.set_num", staying * len(samples)),
    "distinct numbers": ("SELECT count(*) FROM (SELECT DISTINCT patient_num, nval_num FROM observation_fact "
                         "WHERE concept_cd LIKE 'SURVEY:load-%:number') AS numbers", staying * options.responses),
    "sum of numbers": ("SELECT coalesce(sum(nval_num), 0) FROM observation_fact WHERE concept_cd LIKE 'SURVEY:load-%:number'",
                       staying * options.responses * (options.responses - 1) // 2),
    "sum of numbers in packages": (
        "SELECT coalesce(sum(nval_num), 0) FROM observation_fact WHERE concept_cd LIKE 'SURVEY:packed-%:number'",
        staying * options.packages * (options.packages - 1) // 2),
    "participants": ("SELECT count(DISTINCT patient_num) FROM observation_fact", staying),
    "withdrawals": ("SELECT count(*) FROM study_withdrawal", len(leavers)),
    "visits": ("SELECT count(DISTINCT encounter_num) FROM observation_fact WHERE concept_cd LIKE 'SURVEY:%'", staying * visits),
    "failed messages": ("SELECT count(*) FROM study_message WHERE state = 'failed'", 0),
    "content of those who left": ("SELECT count(*) FROM study_message WHERE state = 'refused' AND body IS NOT NULL", 0),
}
wrong = False
for name, (sql, wanted) in expected.items():
    found = store.number(sql)
    print(f"{name}: {found}" + ("" if found == wanted else f", NOT {wanted}"))
    wrong = wrong or found != wanted
# Every file of every package of those who stay, byte for byte.
subprocess.run([options.tool, "study", "export", "--store", store.url, "--files", path("files"), "--keys", "keys"],
               env=environment, cwd=work, check=True, capture_output=True)
manifest = [json.loads(line) for line in open(path("files/manifest.ndjson"))]
exported = []
for line in manifest:
    content = open(path("files/" + line["path"]), "rb").read()
    exported.append((os.path.basename(line["path"]), len(content), hashlib.sha256(content).hexdigest()))
lost, foreign = sorted(set(kept_files) - set(exported)), sorted(set(exported) - set(kept_files))
print(f"files: {len(exported)}" + ("" if sorted(exported) == sorted(kept_files) else
                                  f", NOT {len(kept_files)}: {len(lost)} missing, {len(foreign)} not sent"))
wrong = wrong or sorted(exported) != sorted(kept_files)
dead = queue.dead()
kills = f"receiver {receiver.kills}, consumers {sum(c.kills for c in consumers)}" + (f", database {database.kills}" if database else "")
print(f"dead letters: {dead}; kills: {kills}")
if wrong or dead or not store.is_whole():
    sys.exit(f"FAILED (seed {options.seed}); the files are in {work}")
# A database that is closed meanwhile takes files of its own away.
shutil.rmtree(work, ignore_errors=True)
print("ok", flush=True)
