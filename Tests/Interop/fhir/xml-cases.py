"""What scripts/interop fhir-xml has fhir.resources do.

usage: fhir-xml-cases.py read|compare FOLDER FILE…

read: FOLDER/ours/NAME.xml is read; it must say what FILE says; it is written to FOLDER/theirs/NAME.xml.
compare: FOLDER/again/NAME.json must say what FILE says.
"""
import datetime
import decimal
import importlib
import json
import pathlib
import re
import sys

# fhir.resources leaves out the `id` of references that it reads from XML.
LOST_BY_FHIR_RESOURCES = re.compile(r"\.result\[\d+\]\.id: only on one side")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def load(text):
    return json.loads(text, parse_float=decimal.Decimal, parse_int=decimal.Decimal)


def instant(text):
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return text


def differences(expected, found, path=""):
    """Where two values differ; narrative, which each writes in its way, and spellings of one time do not count."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in expected.keys() | found.keys():
            if name in ("div", "resourceType"):
                continue
            if name not in expected or name not in found:
                yield f"{path}.{name}: only on one side"
            else:
                yield from differences(expected[name], found[name], f"{path}.{name}")
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{path}: {len(expected)} and {len(found)} elements"
        for index, (one, other) in enumerate(zip(expected, found)):
            yield from differences(one, other, f"{path}[{index}]")
    elif expected != found:
        texts = isinstance(expected, str) and isinstance(found, str)
        if texts and TIME.match(expected) and instant(expected) == instant(found):
            return
        yield f"{path}: not the same"


def model_of(resource):
    name = resource["resourceType"]
    return getattr(importlib.import_module(f"fhir.resources.R4B.{name.lower()}"), name)


def own_json(file, original):
    return load(model_of(original).model_validate_json(file.read_text()).model_dump_json())


def main():
    mode, folder, files = sys.argv[1], pathlib.Path(sys.argv[2]), [pathlib.Path(name) for name in sys.argv[3:]]
    good, refused, failures = 0, [], 0
    for file in files:
        original = load(file.read_text())
        if mode == "compare":
            result = folder / "again" / file.name
            if not result.exists():
                continue
            found = load(result.read_text())
        else:
            model = model_of(original)
            xml = (folder / "ours" / (file.stem + ".xml")).read_bytes()
            try:
                resource = model.model_validate_xml(xml)
            except Exception as error:
                try:
                    model.model_validate_json(file.read_text())
                except Exception:
                    refused.append(file.stem)
                    continue
                print(f"FAILED {file.stem}: {type(error).__name__}: {str(error)[:300]}")
                failures += 1
                continue
            found = load(resource.model_dump_json())
            written = resource.model_dump_xml(pretty_print=False)
            (folder / "theirs" / (file.stem + ".xml")).write_bytes(written if isinstance(written, bytes) else written.encode())
        wrong = set(differences(original, found))
        if wrong:
            # What fhir.resources changes in JSON as well, such as the last zero of a decimal, is not XML's.
            wrong -= set(differences(original, own_json(file, original)))
            wrong = {text for text in wrong if not LOST_BY_FHIR_RESOURCES.search(text)}
        if wrong:
            print(f"DIFFERENT {file.stem}: {len(wrong)}: {'; '.join(sorted(wrong)[:3])}")
            failures += 1
        else:
            good += 1
    print(f"{mode}: {good} the same, {failures} not; refused by fhir.resources in JSON as well: {', '.join(refused) or 'none'}")
    sys.exit(1 if failures else 0)


main()
