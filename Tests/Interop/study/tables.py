"""Participants whose answers are known, and what statistics programs read of them, for scripts/interop study-tables."""

import argparse, base64, csv, datetime, hashlib, json, os, pathlib, random, re, shutil, subprocess, tempfile
import urllib.parse, urllib.request, uuid

import importlib.resources

import pandas
import yaml
from lxml import etree

from servers import Served

parser = argparse.ArgumentParser()
parser.add_argument("tool")
parser.add_argument("--participants", type=int, default=40)
parser.add_argument("--seed", type=int, default=36)
options = parser.parse_args()
chance = random.Random(options.seed)
work = pathlib.Path(tempfile.mkdtemp(prefix="study-tables-"))

# MARK: Instruments

def codings(*pairs):
    return [{"valueCoding": {"system": "http://example.org/codes", "code": code, "display": text}} for code, text in pairs]

def bound(name, value):
    return {"url": f"http://hl7.org/fhir/StructureDefinition/{name}", "valueInteger": value}

UNIT = {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
        "valueCoding": {"system": "http://unitsofmeasure.org", "code": "kg"}}
MOODS = codings(("good", "Good, really"), ("so-so", "So | so"), ("bad", 'Bad <b> "x"'))
LEVELS = codings(("-1", "Less"), ("0", "Same"), ("1", "More"))
DIARY = {"resourceType": "Questionnaire", "id": "diary", "url": "http://example.org/Questionnaire/diary", "status": "active",
         "title": "Diary ä", "item": [
    {"linkId": "1", "type": "group", "text": "Today", "item": [
        {"linkId": "1.1", "type": "boolean", "text": "Slept well", "required": True},
        {"linkId": "1.2", "type": "choice", "text": "Mood", "answerOption": MOODS},
        {"linkId": "1.3", "type": "choice", "text": "Level", "answerOption": LEVELS},
        {"linkId": "1.4", "type": "choice", "text": "Complaints", "repeats": True, "answerOption":
            codings(("head", "Headache"), ("back", "Back pain"), ("LA-7", "Other pain"))},
        {"linkId": "1.5", "type": "open-choice", "text": "Where", "answerOption": codings(("home", "At home"))}]},
    {"linkId": "hours", "type": "decimal", "text": "Hours of sleep", "extension": [bound("minValue", 0)]},
    {"linkId": "count", "type": "integer", "text": "Cups", "extension": [bound("maxValue", 99)]},
    {"linkId": "weight", "type": "quantity", "text": "Weight", "extension": [UNIT]},
    {"linkId": "since", "type": "date", "text": "Since"},
    {"linkId": "at", "type": "dateTime", "text": "At"},
    {"linkId": "bed", "type": "time", "text": "Bed time"},
    {"linkId": "note", "type": "text", "text": "Anything else"},
    {"linkId": "if", "type": "string", "text": "A keyword"},
    {"linkId": "meds", "type": "group", "repeats": True, "text": "Medication", "item": [
        {"linkId": "drug", "type": "string", "text": "Drug"}, {"linkId": "dose", "type": "decimal", "text": "Dose"}]}]}
SCORE = {"resourceType": "Questionnaire", "id": "score", "url": "http://example.org/Questionnaire/score", "status": "active",
         "title": "Score", "item": [{"linkId": f"q{n}", "type": "choice", "text": f"Item {n}", "answerOption": LEVELS}
                                    for n in range(1, 10)]}
TEXTS = ["plain", "=HYPERLINK(1)", "'quoted", "-1", "two\nlines", 'with "quotes", commas', "Ümläut ✓", "NA", " spaces ",
         "<b>&amp;", "x" * 5000]


def answers(questionnaire):
    """A response's items, and what tables have to show of them: a value for each column."""
    truth, items = {}, []

    def answer(link, kind, value):
        return {"linkId": link, "answer": [{"value" + kind: value}]}

    def maybe():
        return chance.random() < 0.7

    if questionnaire is SCORE:
        for n in range(1, 10):
            if maybe():
                code = chance.choice(["-1", "0", "1"])
                truth[f"q{n}"] = code
                items.append(answer(f"q{n}", "Coding", {"system": "http://example.org/codes", "code": code}))
        return items, truth
    group = []
    truth["1.1"] = chance.choice([True, False])
    group.append(answer("1.1", "Boolean", truth["1.1"]))
    for link, codes in [("1.2", ["good", "so-so", "bad"]), ("1.3", ["-1", "0", "1"])]:
        if maybe():
            truth[link] = chance.choice(codes)
            group.append(answer(link, "Coding", {"system": "http://example.org/codes", "code": truth[link]}))
    if maybe():
        chosen = chance.sample(["head", "back", "LA-7"], chance.randint(1, 3))
        group.append({"linkId": "1.4", "answer": [
            {"valueCoding": {"system": "http://example.org/codes", "code": code}} for code in chosen]})
        truth.update({f"1.4={code}": code in chosen for code in ["head", "back", "LA-7"]})
    if maybe():
        if chance.random() < 0.5:
            truth["1.5"] = "home"
            group.append(answer("1.5", "Coding", {"system": "http://example.org/codes", "code": "home"}))
        else:
            truth["1.5:text"] = chance.choice(["at work", "=1+1"])
            group.append(answer("1.5", "String", truth["1.5:text"]))
    items.append({"linkId": "1", "item": group})
    if maybe():
        truth["hours"] = round(chance.uniform(0, 14), 2)
        items.append(answer("hours", "Decimal", truth["hours"]))
    if maybe():
        truth["count"] = chance.randint(-5, 99)
        items.append(answer("count", "Integer", truth["count"]))
    if maybe():
        truth["weight"], truth["weight:unit"] = round(chance.uniform(40, 120), 1), chance.choice(["kg", "g"])
        items.append(answer("weight", "Quantity", {
            "value": truth["weight"], "system": "http://unitsofmeasure.org", "code": truth["weight:unit"]}))
    if maybe():
        truth["since"] = str(datetime.date(1950, 1, 1) + datetime.timedelta(days=chance.randint(0, 27000)))
        items.append(answer("since", "Date", truth["since"]))
    if maybe():
        truth["at"] = f"2026-02-{chance.randint(1, 28):02}T{chance.randint(0, 23):02}:30:15{chance.choice(['Z', '+01:00', '-05:30'])}"
        items.append(answer("at", "DateTime", truth["at"]))
    if maybe():
        truth["bed"] = f"{chance.randint(0, 23):02}:15:00"
        items.append(answer("bed", "Time", truth["bed"]))
    if maybe():
        truth["note"] = chance.choice(TEXTS)
        items.append(answer("note", "String", truth["note"]))
    if maybe():
        truth["if"] = chance.choice(TEXTS[:9])
        items.append(answer("if", "String", truth["if"]))
    for number in range(chance.randint(0, 3)):
        prefix = f"meds[{number + 1}]/" if number else ""
        inner = [answer("drug", "String", chance.choice(["aspirin", "ibuprofen"]))]
        truth[prefix + "drug"] = inner[0]["answer"][0]["valueString"]
        if maybe():
            truth[prefix + "dose"] = chance.choice([100, 2.5, 1e-3])
            inner.append(answer("dose", "Decimal", truth[prefix + "dose"]))
        items.append({"linkId": "meds", "item": inner})
    return items, truth


# MARK: A study

def tool(*arguments, **more):
    done = subprocess.run([options.tool, "study", *map(str, arguments)], cwd=work, capture_output=True, text=True, **more)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def request(url, body, **fields):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, {key.replace("_", "-"): v for key, v in fields.items()})) as r:
        return json.loads(r.read() or b"{}")


for questionnaire in [DIARY, SCORE]:
    (work / f"{questionnaire['id']}.json").write_text(json.dumps(questionnaire))
tool("keys", "keys/key-1")
(work / "antispam.txt").write_text("spam\n")
(work / "antispam.txt").chmod(0o600)
(work / "receiver.json").write_text(json.dumps({
    "registration": "open", "antispam": "antispam.txt", "certificate": "keys/key-1/certificate.pem", "keyID": "key-1",
    "requestsPerMinute": 1000000}))
server = Served(options.tool, "study", "serve", "--config", "receiver.json", "--port", "0", "--json", cwd=work)
try:
    base = server.summary["url"] + "/c3pro"
    client = request(base + "/register", {"sandbox": False, "receipt-data": "x"}, Antispam="spam",
                     Content_Type="application/json")
    basic = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
    token = request(base + "/oauth", b"grant_type=client_credentials", Authorization="Basic " + basic,
                    Content_Type="application/x-www-form-urlencoded")["access_token"]

    def send(resource):
        request(f"{base}/fhir/{resource['resourceType']}", resource, Authorization="Bearer " + token,
                Content_Type="application/json")

    expected = {"diary": {}, "score": {}}
    for _ in range(options.participants):
        person = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        who = {"reference": f"Patient/{person}"}
        signed = "2026-01-01T09:00:00Z"
        send({"resourceType": "Contract", "status": "executed", "applies": {"start": signed}, "version": "1", "signer": [{
            "type": {"system": "http://hl7.org/fhir/ValueSet/contract-signer-type", "code": "CONSENTER"}, "party": who,
            "signature": [{"type": [{"code": "1.2.840.10065.1.12.1.7"}], "when": signed, "who": who}]}]})
        for number in range(chance.randint(1, 4)):
            questionnaire = chance.choice([DIARY, SCORE])
            items, truth = answers(questionnaire)
            # Unique, so that a row is found by it.
            authored = f"2026-01-02T10:{number:02}:00.{len(expected['diary']) + len(expected['score']):06}+01:00"
            expected[questionnaire["id"]][authored] = truth
            send({"resourceType": "QuestionnaireResponse", "status": "completed", "questionnaire": questionnaire["url"] + "|2",
                  "identifier": {"system": "urn:x", "value": str(uuid.uuid4())}, "authored": authored, "subject": who,
                  "item": items})
finally:
    server.stop()
both = ["--questionnaires", "diary.json", "score.json"]
tool("consume", "--keys", "keys", "--once", *both)
for kind in ["tables", "stata", "redcap", "odm"]:
    tool("export", "--format", kind, "--output", kind, *both)
tool("export", "--format", "tables", "--output", "bare")
counts = {name: len(rows) for name, rows in expected.items()}
print(f"{options.participants} participants, {counts} responses")

# MARK: Provenance

for kind in ["tables", "stata", "redcap", "odm", "bare"]:
    provenance = json.loads((work / kind / f"provenance-{'tables' if kind == 'bare' else kind}.json").read_text())
    assert provenance["responses"] == sum(counts.values()) and provenance["participants"] == options.participants, provenance
    for file in provenance["files"]:
        data = (work / kind / file["name"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == file["sha256"] and len(data) == file["bytes"], file
print("provenance: digests and sizes of all files hold")

# MARK: pandas

def compare(tables, shown, time_of, missing_columns=()):
    compared = 0
    for name, truths in expected.items():
        table = tables[name]
        assert len(table) == len(truths), (name, len(table), len(truths))
        for _, row in table.iterrows():
            truth = truths[time_of(row)]
            for column in table.columns:
                if column in ["participant", "response", "authored", "status", "version"]:
                    continue
                assert shown(name, column, row[column], truth.get(column)), (name, column, row[column], truth.get(column))
                compared += 1
            unknown = set(truth) - set(table.columns)
            assert not unknown, unknown
    return compared


exec((work / "tables" / "read.py").read_text())
moments = {name: {pandas.Timestamp(key): key for key in rows} for name, rows in expected.items()}
every = {pandas.Timestamp(key): key for rows in expected.values() for key in rows}
LABELS = {"good": "Good, really", "so-so": "So | so", "bad": 'Bad <b> "x"', "-1": "Less", "0": "Same", "1": "More",
          "home": "At home"}


def same(name, column, value, truth):
    if truth is None:
        return pandas.isna(value)
    if isinstance(truth, (bool, int, float)):
        return value == truth
    if column in ["since", "at"]:
        return value == pandas.Timestamp(truth)
    if column in ["1.2", "1.3", "1.5"] or column.startswith("q"):
        return value == LABELS[truth]
    return value == truth


tables = read_study(work / "tables")
compared = compare(tables, same, lambda row: every[row["authored"]])
assert list(tables["diary"]["1.2"].cat.categories) == ["Good, really", "So | so", 'Bad <b> "x"']
assert tables["diary"].attrs["labels"]["hours"] == "Hours of sleep"
kinds = {column: str(kind) for column, kind in tables["diary"].dtypes.items()}
assert kinds["1.1"] == "boolean" and kinds["count"] == "Int64" and kinds["hours"] == "Float64", kinds
assert kinds["since"].startswith("datetime64") and kinds["at"] == "datetime64[ns, UTC]", kinds
print(f"pandas: {compared} cells of {sum(counts.values())} rows are what was answered")

# Without questionnaires the same values, by the codes.
bare = read_study(work / "bare")


def same_code(name, column, value, truth):
    return value == truth if isinstance(truth, str) and column[:3] in ["1.2", "1.3", "1.5"] or column[:1] == "q" and truth \
        else same(name, column, value, truth)


# Nobody said that own words stand beside the options: they are in one column.
asked = expected
expected = {name: {key: {column.removesuffix(":text"): value for column, value in truth.items()}
                   for key, truth in rows.items()} for name, rows in asked.items()}
print(f"pandas, without questionnaires: {compare(bare, same_code, lambda row: every[row['authored']])} cells")
expected = asked

# MARK: Stata's files, read by pandas

codebook = pandas.read_csv(work / "stata" / "codebook.csv", dtype=str, keep_default_na=False)
stata = {}
for name in expected:
    own = codebook[codebook["file"] == name]
    path = work / "stata" / f"{name}.dta"
    names = {variable: column.removeprefix("'") for variable, column in zip(own["variable"], own["column"])}
    stata[name] = pandas.read_stata(path).rename(columns=names)
    with pandas.io.stata.StataReader(path) as reader:
        labels = reader.variable_labels()
        assert "commit" in reader.data_label or name in reader.data_label.lower(), reader.data_label
    assert all(labels[v] == text[:80] for v, text in zip(own["variable"], own["label"]) if v in labels and v != "authored")


def same_stata(name, column, value, truth):
    if truth is None:
        return pandas.isna(value) or value == ""
    if isinstance(truth, bool):
        return value == ("yes" if truth else "no")
    if column == "at":
        return pandas.Timestamp(value, tz="UTC") == pandas.Timestamp(truth)
    return same(name, column, value, truth)


# Milliseconds are as fine as Stata's times are.
rough = {str(key.tz_convert("UTC").tz_localize(None).round("ms")): text for key, text in every.items()}
fine = {name: {} for name in expected}
if len(rough) == len(every):
    cells = compare(stata, same_stata, lambda row: rough[str(pandas.Timestamp(row["authored"]).round("ms"))])
else:
    # Several responses in one millisecond: by the response's id, which the tables have, too.
    ids = {r["response"]: every[r["authored"]] for name in tables for _, r in tables[name].iterrows()}
    cells = compare(stata, same_stata, lambda row: ids[row["response"]])
print(f"Stata's files in pandas: {cells} cells")

# MARK: R

program = r"""
source("tables/read.R")
tables <- read_study("tables")
out <- list()
for (name in names(tables)) {
  table <- tables[[name]]
  for (column in names(table)) {
    values <- table[[column]]
    if (inherits(values, "POSIXct")) values <- format(values, "%Y-%m-%dT%H:%M:%SZ", tz = "UTC")
    text <- as.character(values)
    cat(name, column, class(table[[column]])[1], paste(ifelse(is.na(text), "\\N", gsub("\n", "\\\\n", text)), collapse = "\t"),
        attr(table[[column]], "label"), sep = "\x1f")
    cat("\x1e")
  }
}
"""
# R reads UTF-8 as such in a locale of UTF-8 alone.
read = subprocess.run(["Rscript", "--vanilla", "-e", program], cwd=work, capture_output=True,
                      env=os.environ | {"LC_ALL": "C.UTF-8"})
assert read.returncode == 0, read.stderr.decode()
cells = 0
for record in read.stdout.decode().split("\x1e")[:-1]:
    name, column, kind, values, label = record.split("\x1f")
    table = tables[name]
    expect = []
    for value in table[column]:
        if pandas.isna(value):
            expect.append("\\N")
        elif isinstance(value, (bool,)) or str(table.dtypes[column]) == "boolean":
            expect.append(str(bool(value)).upper())
        elif column == "since":
            expect.append(str(value.date()))
        elif column in ["at", "authored"]:
            expect.append(value.tz_convert("UTC").strftime("%Y-%m-%dT%H:%M:%SZ"))
        else:
            expect.append(str(value).replace("\n", "\\n"))
    got = values.split("\t")
    assert len(got) == len(expect), (name, column, len(got), len(expect))
    for a, b in zip(got, expect):
        number = kind == "numeric" and a != "\\N" and b != "\\N"
        assert a == b or number and float(a) == float(b), (name, column, a, b)
        cells += 1
kinds = {tuple(r.split("\x1f")[:2]): r.split("\x1f")[2] for r in read.stdout.decode().split("\x1e")[:-1]}
assert kinds["diary", "1.2"] == "factor" and kinds["diary", "1.1"] == "logical" and kinds["diary", "since"] == "Date", kinds
print(f"R: {cells} cells are those that pandas read")

# MARK: ODM

from odmlib import odm_loader, loader
from odmlib.oid_generator import create_oid_checker

schemas = importlib.resources.files("odmlib") / "schemas/odm/1.3.2/ODM1-3-2.xsd"
schema = etree.XMLSchema(etree.parse(str(schemas)))
tree = etree.parse(str(work / "odm" / "odm.xml"))
schema.assertValid(tree)
load = loader.ODMLoader(odm_loader.XMLODMLoader(model_package="odm_1_3_2"))
load.open_odm_document(str(work / "odm" / "odm.xml"))
odm = load.load_odm()
assert odm.verify_oids(create_oid_checker("odm_1_3_2"))
space = "{http://www.cdisc.org/ns/odm/v1.3}"
aliases = {item.get("OID"): item.get("Name") for item in tree.iter(space + "ItemDef")}
cells = 0
for event in tree.iter(space + "StudyEventData"):
    values = {data.get("ItemOID"): data.get("Value") for data in event.iter(space + "ItemData")}
    name = event.find(space + "FormData").get("FormOID").removeprefix("F.")
    truth = expected[name][values[f"I.{name}.authored"]]
    got = {aliases[oid]: value for oid, value in values.items() if oid.split(".")[2] not in ("response", "authored", "status", "version")}
    want = {column: str(value).lower() if isinstance(value, bool) else value for column, value in truth.items()}
    want = {column: value for column, value in want.items()}
    assert set(got) == set(want), (got, want)
    for column, value in want.items():
        assert got[column] == value or float(got[column]) == float(value), (column, got[column], value)
        cells += 1
assert len(tree.findall(f".//{space}StudyEventData")) == sum(counts.values())
print(f"ODM 1.3.2: valid by its schema and odmlib's references; {cells} values")

# MARK: REDCap

rules = yaml.safe_load((importlib.resources.files("linkml_redcap") / "data_dictionary/schema/redcap_data_dictionary.yaml")
                       .read_text())
attributes = list(rules["classes"]["Field"]["attributes"].items())
with open(work / "redcap" / "dictionary.csv", newline="", encoding="utf-8") as file:
    rows = list(csv.reader(file))
assert len(rows[0]) == len(attributes) == 18
fields, forms = {}, []
for row in rows[1:]:
    for (name, rule), cell in zip(attributes, row):
        assert cell or not rule.get("required"), (name, row)
        assert not cell or "pattern" not in rule or re.search(rule["pattern"], cell), (name, cell)
        values = rules["enums"].get(rule.get("range"), {}).get("permissible_values")
        assert not cell or values is None or cell in values, (name, cell, rule["range"])
    assert row[0] not in fields and len(row[0]) <= 100 and "__" not in row[0] and not row[0].endswith("_"), row[0]
    choices = [part.split(",", 1) for part in row[5].split(" | ")] if row[5] else []
    codes = [code.strip() for code, _ in choices]
    assert len(codes) == len(set(codes)) and all(re.fullmatch("[a-z0-9_]+", code) for code in codes), row
    assert bool(codes) == (row[3] in ["radio", "dropdown", "checkbox"]), row
    fields[row[0]] = (row[3], codes, row[7])
    if not forms or forms[-1] != row[1]:
        forms.append(row[1])
assert len(forms) == len(set(forms)) and rows[1][0] == "record_id" and rows[1][3] == "text", forms
codes = {(field, value): code for field, value, _, code, _, _ in
         list(csv.reader(open(work / "redcap" / "codes.csv", newline="", encoding="utf-8")))[1:]}
cells = 0
for name, truths in expected.items():
    with open(work / "redcap" / f"import-{name}.csv", newline="", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert len(found) == len(truths)
    seen = set()
    for row in found:
        key = (row["record_id"], row["redcap_repeat_instrument"], row["redcap_repeat_instance"])
        assert key not in seen and row["redcap_repeat_instrument"] in forms
        seen.add(key)
        for column, cell in row.items():
            if column in ("record_id", "redcap_repeat_instrument", "redcap_repeat_instance", f"{name}_complete"):
                continue
            field, _, option = column.partition("___")
            kind, values, validation = fields[field]
            assert not option or kind == "checkbox" and option in values, column
            if not cell:
                continue
            if kind in ("radio", "dropdown"):
                assert cell in values, (column, cell)
            if kind in ("yesno", "checkbox"):
                assert cell in "01"
            if validation == "integer":
                assert re.fullmatch(r"-?\d+", cell)
            if validation == "number":
                assert re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", cell), cell
            if validation == "date_ymd":
                datetime.date.fromisoformat(cell)
            if validation == "datetime_seconds_ymd":
                datetime.datetime.strptime(cell, "%Y-%m-%d %H:%M:%S")
            cells += 1
    moods = sorted(codes["diary_v_1_2", row["diary_v_1_2"]] for row in found if row.get("diary_v_1_2")) if name == "diary" else []
    assert name != "diary" or moods == sorted(t["1.2"] for t in truths.values() if "1.2" in t)
print(f"REDCap: {len(fields)} fields in {len(forms)} forms keep its rules, and {cells} values the fields")
shutil.rmtree(work)
