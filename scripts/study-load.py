"""Clients and figures for scripts/study-load."""

import argparse, base64, http.client, json, multiprocessing, os, shutil, statistics, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser()
parser.add_argument("tool")
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--turns", type=int, default=5)
parser.add_argument("--clients", type=int, default=4)
parser.add_argument("--bytes", type=int, default=2000, help="of the encrypted message in an envelope")
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
