"""Clients and figures for scripts/interop study-load."""

import argparse, base64, http.client, json, multiprocessing, os, shutil, statistics, subprocess, sys, tempfile, time, uuid

parser = argparse.ArgumentParser()
parser.add_argument("tool")
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--turns", type=int, default=5)
parser.add_argument("--clients", type=int, default=4)
parser.add_argument("--bytes", type=int, default=2000, help="of the encrypted message in an envelope")
parser.add_argument("--pairs", help="numbers of receivers with as many consumers, as in 1,4; needs --indivo")
parser.add_argument("--messages", type=int, default=2000, help="for --pairs")
parser.add_argument("--indivo", help="the tool")
parser.add_argument("--queue", default="sqlite:queue{n}.sqlite", help="for --pairs; {n} is their number: each has an empty one")
parser.add_argument("--store", default="sqlite:study{n}.sqlite")
options = parser.parse_args()


def text(count):
    return base64.b64encode(os.urandom(count)).decode()


def client(port, path, headers, until, count):
    """Sends one new envelope after the other over a connection that is kept."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    done = 0
    while time.monotonic() < until:
        body = json.dumps({"key_id": "key-1", "symmetric_key": text(256), "message": text(options.bytes // 16 * 16),
                           "version": "4.0.1"})
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path} is answered {answer.status}")
        done += 1
    count.put(done)


def measure(port, path, headers):
    """Requests a second."""
    counts = multiprocessing.Queue()
    start = time.monotonic()
    clients = [multiprocessing.Process(target=client, args=(port, path, headers, start + options.seconds, counts))
               for _ in range(options.clients)]
    for process in clients:
        process.start()
    for process in clients:
        process.join()
    if any(process.exitcode for process in clients):
        sys.exit("a client failed")
    return sum(counts.get() for _ in clients) / (time.monotonic() - start)


def token(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def post(path, headers, body):
        connection.request("POST", path, body, headers)
        return json.loads(connection.getresponse().read())

    app = post("/c3pro/register", {"Antispam": "load"}, '{"receipt-data": "x"}')
    basic = base64.b64encode(f"{app['client_id']}:{app['client_secret']}".encode()).decode()
    return post("/c3pro/oauth", {"Authorization": f"Basic {basic}"}, "grant_type=client_credentials")["access_token"]


def envelopes(certificate_file):
    """What participants give: a consent of each, and responses."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, padding as blocks
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    with open(certificate_file, "rb") as file:
        key = x509.load_pem_x509_certificate(file.read()).public_key()
    oaep = padding.OAEP(mgf=padding.MGF1(algorithm=hashes.SHA1()), algorithm=hashes.SHA1(), label=None)

    def seal(resource):
        secret = os.urandom(32)
        padder = blocks.PKCS7(128).padder()
        plain = padder.update(json.dumps(resource).encode()) + padder.finalize()
        encryptor = Cipher(algorithms.AES(secret), modes.CBC(bytes(16))).encryptor()
        shown = lambda data: base64.b64encode(data).decode()
        return json.dumps({"key_id": "key-1", "symmetric_key": shown(key.encrypt(secret, oaep)), "version": "4.0.1",
                           "message": shown(encryptor.update(plain) + encryptor.finalize())})

    people = [str(uuid.uuid4()) for _ in range(max(1, options.messages // 20))]
    for person in people:
        who = {"reference": f"Patient/{person}"}
        yield seal({"resourceType": "Contract", "status": "executed", "applies": {"start": "2026-01-01T00:00:00Z"}, "signer": [{
            "type": {"code": "CONSENTER"}, "party": who,
            "signature": [{"type": [{"code": "1.2.840.10065.1.12.1.7"}], "when": "2026-01-01T00:00:00Z", "who": who}]}]})
    for number in range(options.messages - len(people)):
        person = people[number % len(people)]
        yield seal({"resourceType": "QuestionnaireResponse", "identifier": {"system": "urn:x", "value": f"{person}-{number}"},
                    "questionnaire": "http://example.org/Questionnaire/load", "status": "completed",
                    "authored": "2026-03-01T10:00:00Z", "subject": {"reference": f"Patient/{person}"},
                    "item": [{"linkId": f"q{item}", "answer": [{"valueInteger": number}]} for item in range(10)]})


def deliver(port, bodies, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for body in bodies:
        while True:
            connection.request("POST", "/c3pro/encfhir", body, headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:
                break
            time.sleep(0.2)


def measure_pairs(work, count):
    """Messages a second, from the first delivery until the warehouse has all of them."""
    environment = {**os.environ, "HOME": work}
    run = lambda *arguments, **more: subprocess.Popen(
        [options.indivo, "study", *arguments], cwd=work, env=environment, stderr=subprocess.DEVNULL, text=True, **more)
    if not os.path.exists(os.path.join(work, "keys")):
        run("keys", "keys/key-1", "--bits", "2048", stdout=subprocess.DEVNULL).wait()
    bodies = list(envelopes(os.path.join(work, "keys/key-1/certificate.pem")))
    queue, store = options.queue.replace("{n}", str(count)), options.store.replace("{n}", str(count))
    processes, ports = [], []
    try:
        with open(os.open(os.path.join(work, "antispam"), os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write("load")
        # Makes the tables, so that the consumers do not all try to.
        run("consume", "--queue", queue, "--store", store, "--keys", "keys", "--once", stdout=subprocess.DEVNULL).wait()
        for number in range(count):
            with open(os.path.join(work, f"receiver{number}.json"), "w") as file:
                settings = {"registration": "open", "antispam": "antispam", "requestsPerMinute": 10_000_000}
                # PostgreSQL has the apps in the queue's database.
                if queue.startswith("sqlite:"):
                    settings["clients"] = f"clients-{count}.sqlite"
                json.dump(settings, file)
            processes.append(run("serve", "--queue", queue, "--config", f"receiver{number}.json", "--port", "0", "--json",
                                 stdout=subprocess.PIPE))
            ports.append(int(json.loads(processes[-1].stdout.readline())["url"].rsplit(":", 1)[1]))
            processes.append(run("consume", "--queue", queue, "--store", store, "--keys", "keys", stdout=subprocess.DEVNULL))
        tokens = [{"Authorization": "Bearer " + token(port)} for port in ports]
        start = time.monotonic()
        clients = [multiprocessing.Process(target=deliver, args=(ports[n % count], bodies[n::options.clients], tokens[n % count]))
                   for n in range(options.clients)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        delivered = time.monotonic() - start
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", ports[0], timeout=60)
            connection.request("GET", "/metrics")
            lines = connection.getresponse().read().decode().splitlines()
            if "study_queue_depth 0" in lines:
                break
            time.sleep(0.1)
        done = time.monotonic() - start
    finally:
        for process in processes:
            process.kill()
    print(f"{count} receivers and {count} consumers: delivered {len(bodies) / delivered:.0f}/s, in the warehouse "
          f"{len(bodies) / done:.0f}/s", flush=True)
    return len(bodies) / done


def pairs():
    found = {}
    with tempfile.TemporaryDirectory(prefix="study-load-") as work:
        for count in map(int, options.pairs.split(",")):
            found[count] = measure_pairs(work, count)
    first = next(iter(found))
    for count, rate in found.items():
        print(f"{count} pairs: {rate / found[first]:.2f} times what {first} did ({os.cpu_count()} cores)")


if options.pairs:
    pairs()
    sys.exit()
work = tempfile.mkdtemp(prefix="study-load-")
servers = {}
try:
    for kind in ["append", "receiver"]:
        process = subprocess.Popen([options.tool, kind, os.path.join(work, kind + ".sqlite")], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        servers[kind] = (process, int(process.stdout.readline()))
    targets = {"append": ("/", {}),
               "receiver": ("/c3pro/encfhir/QuestionnaireResponse", {"Authorization": "Bearer " + token(servers["receiver"][1])})}
    rates = {kind: [] for kind in servers}
    print(f"{options.clients} clients, envelopes of about {options.bytes * 4 // 3 + 450} bytes, {options.seconds:g} s a turn", flush=True)
    for turn in range(options.turns + 1):
        for kind in servers:
            rate = measure(servers[kind][1], *targets[kind])
            # The first turn warms up.
            if turn:
                rates[kind].append(rate)
        if turn:
            print(f"turn {turn}: append {rates['append'][-1]:.0f}/s, receiver {rates['receiver'][-1]:.0f}/s", flush=True)
finally:
    for process, _ in servers.values():
        process.kill()
    shutil.rmtree(work)
medians = {kind: statistics.median(found) for kind, found in rates.items()}
ratio = medians["receiver"] / medians["append"]
print(f"medians: append {medians['append']:.0f}/s, receiver {medians['receiver']:.0f}/s; ratio {ratio:.2f}")
sys.exit(0 if ratio >= 0.5 else 1)
