"""Makes signed consents with `indivo study consent`, and reads them with poppler and fhir.resources.

usage: consents.py INDIVO FOLDER
"""

import json
import re
import struct
import subprocess
import sys
import time
import unicodedata
import zlib
from pathlib import Path

try:
    from fhir.resources.R4B.consent import Consent
    from fhir.resources.R4B.contract import Contract
except ImportError:
    Consent = Contract = None

FORMATS = Path(__file__).parents[3] / "Sources/Study/StudyDelivery/StudyDelivery.docc/Formats.md"
TEXTS = {
    "english": "You can leave the study at any time.",
    "german": "Sie können die Studie jederzeit verlassen; Größe und Gewicht bleiben geschützt.",
    "greek": "Μπορείτε να αποχωρήσετε ανά πάσα στιγμή.",
    "russian": "Вы можете выйти из исследования в любое время.",
    "arabic": "يمكنك الانسحاب من الدراسة في أي وقت",
    "hebrew": "אפשר לעזוב את המחקר בכל עת",
}
FAILURES = []


def check(condition, text):
    if not condition:
        FAILURES.append(text)
        print("FAILED:", text)


def example(name):
    return json.loads(re.search(rf"```json {name}\n(.*?)\n```", FORMATS.read_text(), re.S).group(1))


def png():
    """A black square on white: what a signature has to look like on the page."""
    rows = b"".join(b"\0" + bytes(0 if 20 < x < 60 and 10 < y < 40 else 255 for x in range(80)) for y in range(50))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", 80, 50, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def characters(text):
    """The letters of a text, without marks and order: right-to-left text comes in visual order from some readers."""
    return sorted(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c).startswith("L"))


def make(indivo, folder, name, document, answers, *options):
    (folder / f"{name}.consent.json").write_text(json.dumps(document))
    (folder / f"{name}.answers.json").write_text(json.dumps(answers))
    command = [indivo, "study", "consent", folder / f"{name}.consent.json", "--answers", folder / f"{name}.answers.json",
               "--output", folder / name, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def main():
    indivo, folder = sys.argv[1], Path(sys.argv[2])
    document, answers = example("consent"), example("answers")
    (folder / "signature.png").write_bytes(png())
    for name, text in TEXTS.items():
        document["sections"][0]["text"] = "\n".join([text] * 120)
        result = make(indivo, folder, name, document, answers, "--signature", folder / "signature.png")
        check(result.returncode == 0, f"{name}: {result.stderr}")
        if result.returncode:
            continue
        pdf = folder / name / "form.pdf"
        info = run("pdfinfo", pdf)
        pages = int(re.search(r"Pages:\s+(\d+)", info).group(1))
        check(pages > 1 and "Consent to the Sleep Study" in info, f"{name}: pdfinfo: {info}")
        printed = run("pdftotext", "-layout", pdf, "-")
        for number in range(1, pages + 1):
            check(f"Page {number} of {pages}" in printed, f"{name}: there is no page number {number}")
        check("Ada Lovelace" in printed and "2026-11-22T09:30:00+01:00" in printed, f"{name}: no name or date")
        # Not -raw: it gives each letter of right-to-left text a line.
        lines = [characters(line) for line in printed.splitlines()]
        check(lines.count(characters(text)) >= 110, f"{name}: the text is on {lines.count(characters(text))} lines, of 120")
        run("pdftoppm", "-r", "72", "-f", str(pages), "-l", str(pages), "-gray", pdf, folder / name / "page")
        pixels = next((folder / name).glob("page*.pgm")).read_bytes()
        check(b"\0" * 30 in pixels, f"{name}: no signature on the last page")
        check((pdf.stat().st_mode & 0o777, pdf.parent.stat().st_mode & 0o777) == (0o600, 0o700), f"{name}: modes")
        if Contract:
            Contract.model_validate_json((folder / name / "Contract.json").read_text())
            Consent.model_validate_json((folder / name / "Consent.json").read_text())
        again = make(indivo, folder, name, document, answers, "--signature", folder / "signature.png")
        check(again.returncode == 2 and "is there already" in again.stderr, f"{name}: written twice: {again.stderr}")
    start = time.monotonic()
    document["sections"][0]["text"] = "W" * 90_000
    document["title"] = "T" * 590
    check(make(indivo, folder, "long", document, answers).returncode == 0, "long words")
    print(f"{len(TEXTS)} scripts, long words in {time.monotonic() - start:.1f} s, {len(FAILURES)} failures"
          + ("" if Contract else "; without fhir.resources"))
    sys.exit(1 if FAILURES else 0)


if __name__ == "__main__":
    main()
