"""Servers that the judges of this folder start."""
import json
import socket
import subprocess


def free_port():
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Served:
    """A program that prints a line of JSON when it serves."""

    def __init__(self, *command, **options):
        options.setdefault("stderr", subprocess.DEVNULL)
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True, **options)
        self.summary = json.loads(self.process.stdout.readline())

    def stop(self):
        """Asks it to end; gives the exit status."""
        self.process.terminate()
        return self.process.wait(timeout=30)
