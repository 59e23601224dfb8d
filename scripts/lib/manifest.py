"""The package as SwiftPM describes it."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def describe():
    """The package's targets and products."""
    command = ["swift", "package", "describe", "--type", "json"]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def libraries():
    """The names of the products that an app links."""
    return sorted(product["name"] for product in describe()["products"] if "library" in product["type"])
