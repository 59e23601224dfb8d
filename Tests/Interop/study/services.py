"""The services that server.py puts a study's queue and warehouse on: a cluster of PostgreSQL of its own, and moto.

As a program: `services.py COMMAND…` runs a command with both, named in INDIVO_TEST_POSTGRESQL and INDIVO_TEST_SQS.
"""

import atexit, glob, json, os, pwd, random, shutil, signal, sqlite3, subprocess, sys, tempfile, time, urllib.error, urllib.request

from servers import free_port


class PostgreSQL:
    """A cluster in a temporary directory, behind a socket in it. Its processes are killed and started again."""

    def __init__(self):
        self.kills = 0
        self.folder = tempfile.mkdtemp(prefix="pg-", dir="/tmp")
        # Root may not run it.
        self.user = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.data, self.log = os.path.join(self.folder, "data"), os.path.join(self.folder, "log")
        atexit.register(self.stop)
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "study", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self.start()
        self.url = f"postgresql://study@/postgres?host={self.folder}"

    def run(self, program, *arguments, check=True):
        found = shutil.which(program) or max(glob.glob(f"/usr/lib/postgresql/*/bin/{program}"), default=program)
        identity = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        return subprocess.run([found, *arguments], check=check, cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, umask=0o077, **identity)

    def start(self):
        # A killed server's processes end when they next look, which may be in the middle of a long statement; until then no
        # other is let in.
        settings = f"-k {self.folder} -c listen_addresses='' -c max_connections=200"
        for _ in range(240):
            if self.run("pg_ctl", "-D", self.data, "-o", settings, "-l", self.log, "-w", "start", check=False).returncode == 0:
                return
            time.sleep(0.5)
        with open(self.log, errors="replace") as log:
            sys.exit("PostgreSQL does not start:\n" + "".join(log.readlines()[-20:]))

    def kill(self):
        """The server, or one of its processes, for which it takes all connections down."""
        self.kills += 1
        server = int(open(os.path.join(self.data, "postmaster.pid")).readline())
        backends = subprocess.run(["pgrep", "-P", str(server), "-f", "postgres: study"], capture_output=True, text=True).stdout.split()
        if backends and random.random() < 0.5:
            os.kill(int(random.choice(backends)), signal.SIGKILL)
            return
        os.kill(server, signal.SIGKILL)
        self.start()

    def ask(self, sql):
        for _ in range(60):
            answer = subprocess.run(["psql", "-X", "-A", "-t", "-h", self.folder, "-U", "study", "-d", "postgres", "-c", sql],
                                    capture_output=True, text=True)
            if answer.returncode == 0:
                return answer.stdout.strip()
            time.sleep(0.5)
        sys.exit(f"PostgreSQL refuses {sql}: {answer.stderr}")

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class SQS:
    """moto, in memory."""

    def __init__(self):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        program = os.path.join(os.path.dirname(sys.executable), "moto_server")
        self.process = subprocess.Popen([program, "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        atexit.register(self.process.kill)
        for _ in range(120):
            try:
                urllib.request.urlopen(self.url + "/moto-api/", timeout=5).read()
                return
            except OSError:
                time.sleep(0.25)
        sys.exit("moto does not start")

    def request(self, service, path, method, body, headers=None):
        credential = f"AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/{service}/aws4_request, SignedHeaders=host, Signature=0"
        request = urllib.request.Request(self.url + path, body, {"Authorization": credential, **(headers or {})}, method=method)
        return urllib.request.urlopen(request, timeout=30).read()

    def call(self, action, body):
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"AmazonSQS.{action}"}
        return json.loads(self.request("sqs", "/", "POST", json.dumps(body).encode(), headers))


class SQLiteQueue:
    visibility = 300

    def __init__(self, file, database, service):
        self.file, self.url = file, "sqlite:" + file

    def pass_time(self):
        with sqlite3.connect(self.file) as queue:
            queue.execute("UPDATE message SET visible = 0, receives = 0")

    def dead(self):
        return sqlite3.connect(self.file).execute("SELECT count(*) FROM dead").fetchone()[0]


class PostgreSQLQueue:
    visibility = 300

    def __init__(self, file, database, service):
        self.database, self.url = database, database.url

    def pass_time(self):
        self.database.ask("UPDATE queue_message SET visible = now(), receives = 0")

    def dead(self):
        return int(self.database.ask("SELECT count(*) FROM queue_dead"))


class SQSQueue:
    # Nobody can move its clock.
    visibility = 10

    def __init__(self, file, database, service):
        self.service = service
        for name in ["study", "study-dead"]:
            service.call("CreateQueue", {"QueueName": name})
        service.request("s3", "/study", "PUT", b"")
        self.url = f"sqs:{service.url}/123456789012/study?bucket=study&dead=study-dead&s3={service.url}"

    def pass_time(self):
        time.sleep(self.visibility + 1)

    def dead(self):
        queue = f"{self.service.url}/123456789012/study-dead"
        attributes = self.service.call("GetQueueAttributes", {"QueueUrl": queue, "AttributeNames": ["All"]})["Attributes"]
        return sum(int(attributes[name]) for name in ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"])


class SQLiteStore:
    def __init__(self, file, database):
        self.file, self.url = file, "sqlite:" + file

    def number(self, sql):
        return sqlite3.connect(self.file).execute(sql).fetchone()[0]

    def is_whole(self):
        return self.number("PRAGMA integrity_check") == "ok"


class PostgreSQLStore:
    def __init__(self, file, database):
        self.database, self.url = database, database.url

    def number(self, sql):
        return int(float(self.database.ask(sql)))

    def is_whole(self):
        return True


if __name__ == "__main__":
    environment = dict(os.environ, INDIVO_TEST_POSTGRESQL=PostgreSQL().url, INDIVO_TEST_SQS=SQS().url)
    # atexit does not run when another program takes this one's place.
    sys.exit(subprocess.run(sys.argv[1:], env=environment).returncode)
