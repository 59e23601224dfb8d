"""Clients and figures for scripts/interop study-load."""

import argparse, base64, http.client, json, multiprocessing, os, random, shutil, sqlite3, statistics, subprocess, sys, tempfile, time
import uuid

parser = argparse.ArgumentParser()
parser.add_argument("tool")
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--turns", type=int, default=5)
parser.add_argument("--clients", type=int, default=4)
parser.add_argument("--bytes", type=int, default=2000, help="of the encrypted message in an envelope")
parser.add_argument("--pairs", help="numbers of receivers with as many consumers, as in 1,4; needs --indivo")
parser.add_argument("--messages", type=int, default=2000, help="for --pairs")
parser.add_argument("--consumers", help="numbers of consumers, as in 1,2,4: from a full queue into the warehouse")
parser.add_argument("--samples", action="store_true", help="for --consumers: messages of 1,000 heart rates each, into their table")
parser.add_argument("--archives", action="store_true", help="for --samples: in archives, which are compressed, instead of envelopes")
parser.add_argument("--kills", type=int, default=0, help="for --consumers: how often a consumer or a process of PostgreSQL is killed")
parser.add_argument("--stores", default="sqlite,postgresql", help="for --consumers")
parser.add_argument("--indivo", help="the tool")
parser.add_argument("--queue", default="sqlite:queue{n}.sqlite", help="for --pairs; {n} is their number: each has an empty one")
parser.add_argument("--store", default="sqlite:study{n}.sqlite")
options = parser.parse_args()
options.samples |= options.archives


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


# MARK: Consumers

#: What a loaded survey leaves, in an order in which the rows can be written again.
TABLES = ["study_participant", "patient_mapping", "patient_dimension", "upload_status", "encounter_mapping", "visit_dimension",
          "observation_fact", "study_resource", "study_message", "study_consent", "study_client"]
#: What a loaded sample leaves beside what its message does.
SAMPLE_TABLES = ["study_sample_source", "study_sample_set", "study_sample"]
SAMPLES_OF_A_MESSAGE = 1000


class SQLiteStore:
    """Queue and warehouse in files."""
    name = "SQLite"

    def __init__(self, work):
        self.work = work

    def places(self, number):
        self.file, self.queue = (os.path.join(self.work, f"{name}{number}.sqlite") for name in ("study", "queue"))
        return "sqlite:" + self.queue, "sqlite:" + self.file

    def ask(self, sql):
        with sqlite3.connect(self.file) as database:
            return database.execute(sql).fetchone()[0]

    def sizes(self):
        """The bytes of tables and of their indexes; a key that rows are ordered by is part of the table."""
        self.ask("PRAGMA wal_checkpoint(TRUNCATE)")
        of = lambda kind: self.ask(f"SELECT sum(pgsize) FROM dbstat JOIN sqlite_schema USING (name) WHERE type = '{kind}'")
        return of("table"), of("index")

    def copy_again(self, tables=TABLES):
        """The same rows from another file into an empty warehouse, as one statement a table."""
        target = self.file + "-copy"
        with sqlite3.connect(self.file) as source, sqlite3.connect(target) as copy:
            source.backup(copy)
        database = sqlite3.connect(target, isolation_level=None)
        for table in tables:
            database.execute(f"DELETE FROM {table}")
        database.execute("VACUUM")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("ATTACH ? AS source", [self.file])
        start, processor = time.monotonic(), time.process_time()
        database.execute("BEGIN")
        for table in tables:
            database.execute(f"INSERT INTO {table} SELECT * FROM source.{table}")
        database.execute("COMMIT")
        seconds, processor = time.monotonic() - start, time.process_time() - processor
        database.close()
        return seconds, processor

    def processor_seconds(self):
        return 0

    def left(self, table="message"):
        """How many messages are in the queue, or dead."""
        with sqlite3.connect(self.queue, timeout=60) as database:
            return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    def dead(self):
        return self.left("dead")

    def kill(self):
        """There is no server."""
        return False

    def processes(self):
        return []

    def size_of_samples(self):
        return self.ask("SELECT sum(pgsize) FROM dbstat WHERE name = 'study_sample'")


class PostgreSQLStore:
    """Queue and warehouse in one database, a schema for each measurement."""
    name = "PostgreSQL"

    def __init__(self, work):
        import services
        self.server, self.work = services.PostgreSQL(), work

    def places(self, number):
        self.url = f"{self.server.url}&options=-csearch_path%3Dload{number}"
        self.psql(self.server.url, "-c", f"CREATE SCHEMA load{number}")
        return self.url, self.url

    def psql(self, url, *arguments):
        return subprocess.run(["psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, *arguments], check=True,
                              capture_output=True, text=True, cwd=self.work).stdout.strip()

    def ask(self, sql):
        for _ in range(240):
            try:
                return int(self.psql(self.url, "-c", sql))
            except subprocess.CalledProcessError:
                # A server that was killed recovers.
                time.sleep(0.5)
        sys.exit(f"PostgreSQL does not answer {sql}")

    def left(self):
        """Whether the queue has a message: the last one, so that nobody reads all that are left or were deleted."""
        return self.ask("SELECT count(*) FROM (SELECT 1 FROM queue_message ORDER BY number DESC LIMIT 1) AS last")

    def dead(self):
        return self.ask("SELECT count(*) FROM queue_dead")

    def kill(self):
        self.server.kill()
        return True

    def processes(self):
        """The server's, one for each connection and those that work beside them."""
        try:
            with open(os.path.join(self.server.data, "postmaster.pid")) as file:
                server = int(file.readline())
            with open(f"/proc/{server}/task/{server}/children") as file:
                return list(map(int, file.read().split()))
        except (OSError, ValueError):
            # It is starting again.
            return []

    def sizes(self):
        """The bytes of tables and of their indexes, keys too."""
        names = ", ".join(f"'{table}'" for table in TABLES)
        of = lambda what: self.ask(f"SELECT sum({what}(name::regclass)) FROM unnest(ARRAY[{names}]) AS name")
        return of("pg_table_size"), of("pg_indexes_size")

    def size_of_samples(self):
        return self.ask("SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('study_sample')")

    def copy_again(self, tables=TABLES):
        """The same rows from files into the same tables, by COPY in one transaction."""
        for table in tables:
            # A table of partitions has no rows of its own.
            self.psql(self.url, "-c", f"\\copy (SELECT * FROM {table}) TO '{table}.copy'")
        self.psql(self.url, "-c", "TRUNCATE " + ", ".join(tables))
        commands = [part for table in tables for part in ("-c", f"\\copy {table} FROM '{table}.copy'")]
        start, processor = time.monotonic(), self.all_processor_seconds()
        self.psql(self.url, "-1", *commands)
        time.sleep(0.2)  # until the server's process has ended, too
        return time.monotonic() - start - 0.2, self.all_processor_seconds() - processor

    def all_processor_seconds(self):
        """Of the server and of programs that were started here."""
        own = os.times()
        return self.processor_seconds() + own.children_user + own.children_system

    def processor_seconds(self):
        """Of the server's processes that have ended."""
        with open(os.path.join(self.server.data, "postmaster.pid")) as file:
            server = int(file.readline())
        with open(f"/proc/{server}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def measure_consumers(store, count):
    """Fills a queue, has consumers empty it, and says what they did in a second."""
    queue, warehouse = store.places(count)
    keys = os.path.join(store.work, f"keys-{store.name}-{count}")
    kind = "archives" if options.archives else "samples" if options.samples else "surveys"
    subprocess.run([options.tool, "prepare", queue, warehouse, kind], check=True)
    subprocess.run([options.tool, "fill", queue, keys, str(options.messages), kind], check=True)
    if options.kills:
        return report_kills(store, count, [options.tool, "consume", queue, warehouse, keys, "10"])
    before, start = store.processor_seconds(), time.monotonic()
    consumers = [subprocess.Popen([options.tool, "consume", queue, warehouse, keys], stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.DEVNULL) for _ in range(count)]
    processor, memory, loaded = 0, 0, 0
    for consumer in consumers:
        loaded += json.loads(consumer.stdout.read())["loaded"]
        _, status, usage = os.wait4(consumer.pid, 0)
        if status:
            sys.exit("a consumer failed")
        processor += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss / 1024)
    seconds = time.monotonic() - start
    time.sleep(0.2)  # until the server's processes have ended, too
    server = store.processor_seconds() - before
    sent = options.messages + max(1, options.messages // 20)
    if options.samples:
        return report_samples(store, count, loaded, sent, seconds, processor, server, memory)
    found = store.ask("SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'")
    if loaded != sent or found != 11 * options.messages:
        sys.exit(f"{sent} messages were sent, {loaded} loaded; {found} facts of {11 * options.messages}")
    rows, (size, indexes) = store.ask("SELECT count(*) FROM observation_fact"), store.sizes()
    contents = store.ask("SELECT sum(length(body)) FROM study_message WHERE upload_id IS NOT NULL")
    copied, copied_processor = store.copy_again()
    print(f"{store.name}, {count} {'consumer' if count == 1 else 'consumers'}: {options.messages / seconds:.0f} surveys/s "
          f"({sent / seconds:.0f} messages/s), {options.messages / seconds / (options.messages / copied):.2f} of COPY's "
          f"{options.messages / copied:.0f}/s; processor time a message: consumers {1000 * processor / sent:.2f} ms, server "
          f"{1000 * server / sent:.2f} ms, COPY {1000 * copied_processor / sent:.2f} ms; memory {memory:.0f} MB; {rows / options.messages:.1f} rows and "
          f"{(size + indexes) / options.messages / 1000:.2f} kB a survey, {size / options.messages / 1000:.2f} without indexes; "
          f"{contents / options.messages / 1000:.2f} kB are the encrypted content", flush=True)


def megabytes(process, line):
    """A line of what Linux says of a process's memory; 0 of one that has ended."""
    try:
        with open(f"/proc/{process}/status") as file:
            return next((int(text.split()[1]) / 1024 for text in file if text.startswith(line + ":")), 0)
    except (FileNotFoundError, ProcessLookupError):
        return 0


def report_kills(store, count, command):
    """Has consumers empty a queue while they and the database are killed at random, and counts what is there in the end."""
    memory, server_memory = 0, 0
    run = lambda: subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    consumers, killed, servers, start = [run() for _ in range(count)], 0, 0, time.monotonic()
    while True:
        time.sleep(random.uniform(0.3, 1.5))
        memory = max([memory, *(megabytes(consumer.pid, "VmHWM") for consumer in consumers)])
        # What a process of PostgreSQL has beside the memory that all of them share.
        server_memory = max([server_memory, *(megabytes(process, "RssAnon") for process in store.processes())])
        left = store.left()
        if killed + servers < options.kills and left:
            if random.random() < 0.5 and store.kill():
                servers += 1
            else:
                random.choice(consumers).kill()
                killed += 1
        ended = [number for number, consumer in enumerate(consumers) if consumer.poll() is not None]
        if not left and len(ended) == count:
            break
        if left:
            # What a killed consumer had comes back when its time is over.
            for number in ended:
                consumers[number] = run()
    sent = options.messages + max(1, options.messages // 20)
    loaded = store.ask("SELECT count(*) FROM study_message WHERE state = 'loaded'")
    if options.samples:
        wanted = options.messages * SAMPLES_OF_A_MESSAGE
        found = {"rows": store.ask("SELECT count(*) FROM study_sample"), "in days": store.ask(
            "SELECT cast(sum(nval_num) AS bigint) FROM observation_fact WHERE modifier_cd = 'SAMPLE:COUNT'")}
    else:
        wanted = 11 * options.messages
        found = {"facts": store.ask("SELECT count(*) FROM observation_fact"),
                 "resources, times 11": 11 * store.ask("SELECT count(*) FROM study_resource")}
    told = ", ".join(f"{number} {what}" for what, number in found.items())
    print(f"{store.name}, {count} consumers: {sent} messages under {killed} kills of consumers and {servers} of the database's "
          f"processes in {time.monotonic() - start:.0f} s; {loaded} loaded, {store.dead()} given up, {told} of {wanted}; "
          f"memory of a consumer at most {memory:.0f} MB, of a process of the database {server_memory:.0f} MB", flush=True)
    if loaded != sent or set(found.values()) != {wanted}:
        sys.exit("something is lost or doubled")


def report_samples(store, count, loaded, sent, seconds, processor, server, memory):
    samples = options.messages * SAMPLES_OF_A_MESSAGE
    found = store.ask("SELECT count(*) FROM study_sample")
    days = store.ask("SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'")
    if loaded != sent or found != samples or days < options.messages:
        sys.exit(f"{sent} messages were sent, {loaded} loaded; {found} samples of {samples}, {days} days")
    copied, _ = store.copy_again(TABLES + SAMPLE_TABLES)
    print(f"{store.name}, {count} {'consumer' if count == 1 else 'consumers'}: {samples / seconds:.0f} samples/s from the queue, "
          f"{copied / seconds:.2f} of COPY's {samples / copied:.0f}/s; processor time a thousand samples: consumers "
          f"{1000 * processor / options.messages:.1f} ms, server {1000 * server / options.messages:.1f} ms; memory {memory:.0f} MB; "
          f"{store.size_of_samples() / samples:.0f} bytes a sample with its key", flush=True)


def measure_rows(store):
    """Rows of samples alone, without messages, encryption and FHIR."""
    queue, warehouse = store.places(0)
    subprocess.run([options.tool, "prepare", queue, warehouse, "samples"], check=True)
    told = json.loads(subprocess.run([options.tool, "load", warehouse, str(options.messages)], check=True, capture_output=True,
                                     text=True).stdout)
    samples = told["samples"]
    if store.ask("SELECT count(*) FROM study_sample") != samples:
        sys.exit("samples are lost")
    copied, _ = store.copy_again(TABLES + SAMPLE_TABLES)
    print(f"{store.name}, rows alone: {samples / told['seconds']:.0f} samples/s, {copied / told['seconds']:.2f} of COPY's "
          f"{samples / copied:.0f}/s", flush=True)


def consumers():
    kinds = {"sqlite": SQLiteStore, "postgresql": PostgreSQLStore}
    with tempfile.TemporaryDirectory(prefix="study-load-") as work:
        os.chmod(work, 0o755)
        for kind in options.stores.split(","):
            store = kinds[kind](work)
            if options.samples and not options.kills:
                measure_rows(store)
            for count in map(int, options.consumers.split(",")):
                measure_consumers(store, count)


if options.pairs:
    pairs()
    sys.exit()
if options.consumers:
    consumers()
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
