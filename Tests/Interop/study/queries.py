"""Participants, and the counts that i2b2's queries have to give, for scripts/interop study-queries.

The counts are made from the resources that the phones sent, by this program alone; the queries are written as i2b2's query
builder writes them (setfinder.py), over what is dragged from the ontology by its names.
"""

import argparse, base64, csv, datetime, decimal, http.client, io, itertools, json, os, random, re, shutil, signal, socket
import subprocess, sys, tempfile, time, uuid

from cryptography import x509
from cryptography.hazmat.primitives import hashes, padding as blocks
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import setfinder
from servers import free_port
from services import PostgreSQL
from setfinder import Item, Panel

D = decimal.Decimal
parser = argparse.ArgumentParser()
parser.add_argument("tool")
parser.add_argument("--participants", type=int, default=200)
parser.add_argument("--seed", type=int, default=35)
options = parser.parse_args()
chance = random.Random(options.seed)
root = os.path.dirname(os.path.abspath(__file__)) + "/../../.."
mapping = json.load(open(f"{root}/schemas/health/mapping.json"))
work = tempfile.mkdtemp(prefix="study-queries-")
database = PostgreSQL()
YEAR = datetime.date.today().year
LOINC, UCUM, RXNORM = "http://loinc.org", "http://unitsofmeasure.org", "http://www.nlm.nih.gov/research/umls/rxnorm"
HEALTHKIT = "http://developer.apple.com/documentation/healthkit"

# MARK: Units, by their definitions: dimension, factor to its base, zero.

UNITS = {
    "kg": ("mass", D(1)), "g": ("mass", D("1e-3")), "mg": ("mass", D("1e-6")), "ug": ("mass", D("1e-9")),
    "[lb_av]": ("mass", D("0.45359237")), "[oz_av]": ("mass", D("0.028349523125")),
    "m": ("length", D(1)), "cm": ("length", D("0.01")), "km": ("length", D(1000)), "[in_i]": ("length", D("0.0254")),
    "[ft_i]": ("length", D("0.3048")), "s": ("time", D(1)), "min": ("time", D(60)), "h": ("time", D(3600)),
    "ms": ("time", D("0.001")), "/min": ("rate", D(1)), "/s": ("rate", D(60)), "/h": ("rate", 1 / D(60)),
    "mm[Hg]": ("pressure", D("0.133322")), "kPa": ("pressure", D(1)), "kcal": ("energy", D("4.184")), "kJ": ("energy", D(1)),
    "m/s": ("speed", D(1)), "km/h": ("speed", D(1) / D("3.6")), "L": ("volume", D(1)), "mL": ("volume", D("0.001")),
    "Cel": ("temperature", D(1), D(0)), "[degF]": ("temperature", D(5) / D(9), D(-32)), "%": ("part", D("0.01")),
    "mg/dL": ("glucose", D(1)), "mmol/L": ("glucose", D("18.0156")), "W": ("power", D(1)), "kW": ("power", D(1000)),
    "{score}": ("one", D(1)), "": ("one", D(1)),
}


def convert(value, unit, target):
    """A number in another unit as a column of five decimals has it."""
    if unit != target:
        (dimension, factor, *zero), (other, divisor, *shift) = UNITS[unit], UNITS[target]
        assert dimension == other, (unit, target)
        value = (value + (zero or [0])[0]) * factor / divisor - (shift or [0])[0]
    return value.quantize(D("0.00001"), decimal.ROUND_HALF_UP)


# MARK: Instruments

def choice(link, text, options, code=None, kind="choice", **more):
    item = {"linkId": link, "type": kind, "text": text, "answerOption": options, **more}
    return item | ({"code": [{"system": LOINC, "code": code}]} if code else {})


def codings(system, pairs):
    return [{"valueCoding": {"system": system, "code": code, "display": display}} for code, display in pairs]


def instrument(name, title, items):
    return {"resourceType": "Questionnaire", "url": f"http://example.org/Questionnaire/{name}", "status": "active",
            "title": title, "item": items}


def limits(low, high):
    base = "http://hl7.org/fhir/StructureDefinition/"
    return [{"url": base + "minValue", "valueInteger": low}, {"url": base + "maxValue", "valueInteger": high}]


def in_unit(code):
    return {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
            "valueCoding": {"system": UCUM, "code": code, "display": code}}


FREQUENCY = codings(LOINC, [("LA6568-5", "Not at all"), ("LA6569-3", "Several days"),
                            ("LA6570-1", "More than half the days"), ("LA6571-9", "Nearly every day")])
PHQ9 = ["44250-9", "44255-8", "44259-0", "44254-1", "44251-7", "44258-2", "44252-5", "44253-3", "44260-8"]
phq9 = instrument("phq9", "Patient Health Questionnaire (PHQ-9)", [
    *[choice(f"q{n}", f"PHQ item {n}", FREQUENCY, code) for n, code in enumerate(PHQ9, 1)],
    {"linkId": "total", "type": "integer", "text": "PHQ total", "extension": limits(0, 27),
     "code": [{"system": LOINC, "code": "44261-6"}]}])
OFTEN = codings("http://example.org/often", [("never", "Never"), ("some", "Several days"), ("half", "Half the days"),
                                             ("daily", "Daily")])
gad7 = instrument("gad7", "Generalized Anxiety Disorder (GAD-7)", [
    *[choice(f"a{n}", f"GAD item {n}", OFTEN) for n in range(1, 8)],
    {"linkId": "total", "type": "decimal", "text": "GAD total", "extension": limits(0, 21)}])
DIMENSIONS = ["Mobility", "Self-care", "Usual activities", "Pain or discomfort", "Anxiety or depression"]
LEVELS = codings("http://example.org/level", [(str(n), f"level {n}") for n in range(1, 6)])
eq5d = instrument("eq5d", "Health today", [
    *[choice(f"d{n}", name, LEVELS) for n, name in enumerate(DIMENSIONS, 1)],
    {"linkId": "vas", "type": "integer", "text": "Your health today", "extension": limits(0, 100)}])
SYMPTOMS = ["Emptying", "Frequency", "Intermittency", "Urgency", "Weak stream", "Straining", "Nocturia"]
ipss = instrument("ipss", "Prostate Symptom Score", [
    *[choice(f"s{n}", name, [{"valueInteger": value} for value in range(6)]) for n, name in enumerate(SYMPTOMS, 1)],
    choice("life", "Quality of life", codings("http://example.org/life", [(str(n), f"life {n}") for n in range(7)]))])
DRUGS = [("1191", "Aspirin"), ("5640", "Ibuprofen"), ("161", "Acetaminophen"), ("6809", "Metformin")]
diary = instrument("diary", "Diary", [
    {"linkId": "slept", "type": "boolean", "text": "Slept well"},
    {"linkId": "weight", "type": "quantity", "text": "Weight", "extension": [in_unit("kg")]},
    {"linkId": "pain", "type": "decimal", "text": "Pain now", "extension": limits(0, 10)},
    {"linkId": "place", "type": "string", "text": "Where you are"},
    choice("mood", "Mood", codings("http://example.org/mood", [("good", "Good"), ("flat", "Flat"), ("low", "Low")]),
           kind="open-choice", repeats=True),
    choice("meal", "Last meal", [{"valueString": name} for name in ["breakfast", "lunch", "dinner", "it's none"]]),
    {"linkId": "note", "type": "text", "text": "Anything else"},
    choice("interest", "Interest (again)", FREQUENCY, PHQ9[0]),
    {"linkId": "meds", "type": "group", "text": "Medications", "repeats": True, "item": [
        choice("drug", "Drug", codings(RXNORM, DRUGS)),
        {"linkId": "dose", "type": "quantity", "text": "Dose", "extension": [in_unit("mg")]}]}])
INSTRUMENTS = [phq9, gad7, eq5d, ipss, diary]

# MARK: HealthKit

# The type, the range in its own unit, and other units that phones send.
QUANTITIES = [
    ("HeartRate", 50, 120, ["/s"]), ("RestingHeartRate", 45, 90, ["/s"]), ("RespiratoryRate", 10, 25, []),
    ("BodyMass", 50, 120, ["[lb_av]", "g"]), ("Height", 150, 200, ["[in_i]", "m"]), ("BodyTemperature", 35, 40, ["[degF]"]),
    ("BloodGlucose", 60, 250, ["mmol/L"]), ("OxygenSaturation", 88, 100, []), ("ActiveEnergyBurned", 10, 900, ["kJ"]),
    ("BasalEnergyBurned", 900, 2400, ["kJ"]), ("DistanceWalkingRunning", 100, 9000, ["km", "[ft_i]"]),
    ("DistanceCycling", 100, 30000, ["km"]), ("AppleExerciseTime", 1, 120, ["h"]), ("WaistCircumference", 60, 130, ["[in_i]"]),
    ("WalkingSpeed", 1, 7, ["m/s"]), ("HeartRateVariabilitySDNN", 10, 120, ["s"]), ("DietaryCaffeine", 5, 400, ["g"]),
    ("DietaryWater", 1, 4, ["mL"]), ("DietaryProtein", 5, 150, ["mg"]), ("LeanBodyMass", 40, 90, ["[lb_av]"]),
    ("BodyFatPercentage", 8, 40, []), ("SixMinuteWalkTestDistance", 200, 700, ["km"]),
]
CATEGORIES = ["SleepAnalysis", "Headache", "Fatigue", "AppetiteChanges", "MindfulSession", "MenstrualFlow"]
PRESSURE = [("BloodPressureSystolic", 90, 180), ("BloodPressureDiastolic", 50, 110)]


def entry(kind, name):
    prefix = {"quantities": "HKQuantityTypeIdentifier", "categories": "HKCategoryTypeIdentifier"}[kind]
    return prefix + name, mapping[kind][prefix + name]


def concept(identifier, known):
    return {"coding": [*known.get("codes", []), {"system": HEALTHKIT, "code": identifier, "display": known["display"]}],
            "text": known["display"]}


def label(known):
    """What the ontology calls it: by its code of LOINC, where it has one."""
    shared = [code for code in known.get("codes", []) if code["system"] in (LOINC, "http://snomed.info/sct")]
    return (shared[0] if shared else known)["display"]


# MARK: What participants send

class Fact:
    """What one answer or measurement means: the truth that is counted."""

    def __init__(self, *names, start=None, visit=None, number=None, unit=None, text=None, is_long=False, operator="E",
                 modifiers=()):
        # Where the ontology has it, by what people read there; a code that two questions share is in both places.
        self.names = names
        self.start, self.visit, self.number, self.unit, self.text = start, visit, number, unit, text
        self.is_long, self.operator, self.modifiers = is_long, operator, dict(modifiers)


WORDS = "aurora granite willow harbor copper lantern meadow violin saffron glacier".split()


class Participant:
    def __init__(self):
        self.id = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        self.sex = chance.choice(["female", "male", "female", "male", "other", "unknown", None])
        self.born = YEAR - chance.randint(18, 88)
        self.consents = chance.random() > 0.04
        self.leaves = self.consents and chance.random() < 0.06
        # What each visit has in the end, and what is sent, in rounds: a later one corrects or takes back.
        self.visits, self.rounds = {}, [[], []]
        self.rounds[0].append(self.patient())

    @property
    def counts(self):
        return self.consents and not self.leaves

    @property
    def facts(self):
        return [fact for facts in self.visits.values() for fact in facts] if self.counts else []

    def patient(self):
        gender = {"gender": self.sex} if self.sex else {}
        return {"resourceType": "Patient", "id": self.id, "birthDate": str(self.born), **gender}

    def send(self, resource, facts, again=None):
        """Sends a resource; one of eight is corrected, and one of sixteen taken back."""
        visit = resource["identifier"]["value"] if "questionnaire" in resource else resource["identifier"][0]["value"]
        self.rounds[0].append(resource)
        change = chance.random()
        if change < 0.06:
            self.rounds[1].append(resource | {"status": "entered-in-error"})
            facts = []
        elif change < 0.18:
            new, facts = again()
            self.rounds[1].append(new)
        for fact in facts:
            fact.visit = visit
        self.visits[visit] = facts


def moment(day):
    """A time on a day as a phone in some zone writes it, and in UTC."""
    zone = chance.choice([0, 60, -300, 330])
    local = datetime.datetime(2025, 1, 1) + datetime.timedelta(days=day, seconds=chance.randrange(86400))
    shown = f"{local:%Y-%m-%dT%H:%M:%S}{'+' if zone >= 0 else '-'}{abs(zone) // 60:02}:{abs(zone) % 60:02}"
    return shown, local - datetime.timedelta(minutes=zone)


def quantity(value, unit, comparator=None):
    return {"value": value, "unit": unit, "system": UCUM, "code": unit} | ({"comparator": comparator} if comparator else {})


def amount(low, high):
    return D(chance.randint(int(low * 10), int(high * 10))) / 10


SHARED = [("Surveys", phq9["title"], "PHQ item 1"), ("Surveys", diary["title"], "Interest (again)")]


class Response:
    """A response as it is filled in: items, and the facts that they are."""

    def __init__(self, form, written, start):
        self.form, self.items, self.start = form, [], start
        self.facts = [Fact(("Surveys", form["title"]), start=start, modifiers={"time": written})]
        self.questions = {item["linkId"]: item for item in form["item"]}

    def fact(self, *names, also=(), **more):
        self.facts.append(Fact(("Surveys", self.form["title"], *names), *also, start=self.start, **more))

    def add(self, link, *values):
        self.items.append({"linkId": link, "answer": list(values)})

    def pick(self, item, count=1):
        options = chance.sample(item["answerOption"], count)
        self.add(item["linkId"], *options)
        for option in options:
            name = option["valueCoding"]["display"]
            self.fact(item["text"], name, text=name)

    def score(self, item, value, key="valueInteger"):
        self.add(item["linkId"], {key: value})
        self.fact(item["text"], number=D(value), unit="")

    def fill(self):
        for item in self.form["item"]:
            link, text = item["linkId"], item["text"]
            if self.form is phq9 and link != "total" or link == "interest":
                option = chance.choice(item["answerOption"])["valueCoding"]
                self.add(link, {"valueCoding": option})
                names = SHARED if link in ("q1", "interest") else [("Surveys", self.form["title"], text)]
                fact = Fact(*names, start=self.start, text=option["display"], modifiers={"question": link})
                self.facts.append(fact)
            elif self.form is not diary and item["type"] == "choice" and "valueCoding" in item["answerOption"][0]:
                self.pick(item)
            elif self.form is not diary:
                top = {"phq9": 27, "gad7": 21, "eq5d": 100, "ipss": 5}[self.form["url"].split("/")[-1]]
                self.score(item, chance.randint(0, top), "valueDecimal" if item["type"] == "decimal" else "valueInteger")
        if self.form is diary:
            self.fill_diary()
        return self

    def fill_diary(self):
        slept = chance.random() < 0.6
        self.add("slept", {"valueBoolean": slept})
        self.fact("Slept well", "yes" if slept else "no")
        unit = chance.choice(["kg", "[lb_av]", "g"])
        value = amount(*{"kg": (45, 130), "[lb_av]": (99, 286), "g": (45000, 130000)}[unit])
        self.add("weight", {"valueQuantity": quantity(value, unit)})
        self.fact("Weight", number=value, unit=unit)
        self.score(self.questions["pain"], amount(0, 10), "valueDecimal")
        place = " ".join(chance.sample(WORDS, 2)) + chance.choice(["", " o'clock", " far away" * 40])
        self.add("place", {"valueString": place})
        self.fact("Where you are", text=place)
        if chance.random() < 0.8:
            self.pick(self.questions["mood"], chance.randint(1, 2))
        else:
            word = chance.choice(WORDS)
            self.add("mood", {"valueString": f"rather {word}"})
            self.fact("Mood", text=f"rather {word}")
        meal = chance.choice(self.questions["meal"]["answerOption"])["valueString"]
        self.add("meal", {"valueString": meal})
        self.fact("Last meal", text=meal)
        if chance.random() < 0.6:
            note = " ".join(chance.choice(WORDS) for _ in range(chance.choice([3, 5, 60])))
            self.add("note", {"valueString": note})
            self.fact("Anything else", text=note, is_long=True)
        for index in range(chance.randint(0, 3)):
            option = chance.choice(codings(RXNORM, DRUGS))
            unit = chance.choice(["mg", "g", "ug"])
            value = amount(*{"mg": (50, 900), "g": (0.1, 0.9), "ug": (50000, 900000)}[unit])
            comparator = chance.choice([None, None, None, "<", ">="])
            dose = {"valueQuantity": quantity(value, unit, comparator)}
            self.items.append({"linkId": "meds", "item": [{"linkId": "drug", "answer": [option]}, {"linkId": "dose", "answer": [dose]}]})
            group = {"group": "meds" if index == 0 else f"meds[{index + 1}]"}
            self.fact("Medications", "Drug", option["valueCoding"]["display"], modifiers=group)
            operator = {None: "E", "<": "L", ">=": "GE"}[comparator]
            self.fact("Medications", "Dose", number=value, unit=unit, operator=operator, modifiers=group)

    def resource(self, person, identifier, written, status):
        return {"resourceType": "QuestionnaireResponse", "identifier": {"system": "urn:study", "value": identifier},
                "questionnaire": self.form["url"], "status": status, "authored": written,
                "subject": {"reference": f"Patient/{person.id}"}, "item": self.items}


def answer(person, form, number):
    identifier = f"{form['url'].split('/')[-1]}-{number}"

    def filled(status, day):
        written, start = moment(day)
        response = Response(form, written, start).fill()
        return response.resource(person, identifier, written, status), response.facts

    day = chance.randint(0, 300)
    person.send(*filled("completed", day), again=lambda: filled("amended", day + 2))


def measurement(person, name, number):
    identifier = f"{name}-{number}"

    def measured(status, day):
        written, start = moment(day)
        resource = {"resourceType": "Observation", "identifier": [{"system": "urn:samples", "value": identifier}], "status": status,
                    "effectiveDateTime": written, "issued": written, "subject": {"reference": f"Patient/{person.id}"}}
        return measure(resource, name, start)

    day = chance.randint(0, 300)
    person.send(*measured("final", day), again=lambda: measured("corrected", day + 2))


def measure(resource, name, start):
    """Gives an observation its code and value, and returns it with its facts."""
    if name == "BloodPressure":
        panel = mapping["correlations"]["HKCorrelationTypeIdentifierBloodPressure"]
        resource["code"] = concept("HKCorrelationTypeIdentifierBloodPressure", panel)
        facts, resource["component"] = [Fact(("Measurements", label(panel)), start=start)], []
        for part, low, high in PRESSURE:
            unit = chance.choice(["mm[Hg]", "mm[Hg]", "kPa"])
            value = amount(low, high) if unit == "mm[Hg]" else amount(low / 7.5, high / 7.5)
            known = entry("quantities", part)
            resource["component"].append({"code": concept(*known), "valueQuantity": quantity(value, unit)})
            facts.append(Fact(("Measurements", label(known[1])), start=start, number=value, unit=unit, modifiers={"panel": True}))
        return resource, facts
    if name in CATEGORIES:
        known = entry("categories", name)
        resource["code"] = concept(*known)
        values = mapping["values"].get(known[1].get("values"))
        if values is None:
            resource["valueBoolean"], text = True, "yes"
        else:
            code, text = chance.choice(sorted(values["values"].items()))
            resource["valueCodeableConcept"] = {"coding": [{"system": values["system"], "code": code, "display": text}]}
        return resource, [Fact(("Measurements", label(known[1])), start=start, text=text)]
    low, high, others = next(row[1:] for row in QUANTITIES if row[0] == name)
    known = entry("quantities", name)
    own = known[1]["unit"]["code"]
    unit = chance.choice([own, own, *others])
    value = amount(low, high) if unit == own else convert(amount(low, high), own, unit)
    resource["code"] = concept(*known)
    resource["valueQuantity"] = quantity(value, unit)
    return resource, [Fact(("Measurements", label(known[1])), start=start, number=value, unit=unit)]


participants = [Participant() for _ in range(options.participants)]
for person in participants:
    for form in INSTRUMENTS:
        for number in range(chance.randint(0, 3)):
            answer(person, form, number)
    for name in [row[0] for row in QUANTITIES] + CATEGORIES + ["BloodPressure"]:
        for number in range(chance.choice([0, 1, 1, 2])):
            measurement(person, name, number)

# MARK: From the phones to the warehouse

environment = {"PATH": os.environ["PATH"], "HOME": work, "LANG": "C.UTF-8"}
os.umask(0o077)


def tool(*arguments):
    done = subprocess.run([options.tool, "study", *arguments], env=environment, cwd=work, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"study {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def envelope(resource):
    """As C3-PRO's phones encrypt."""
    # Decimals keep their digits.
    plain = json.dumps(resource, default=lambda value: f"\0{value}\0")
    plain = re.sub(r'"\\u0000([^"]*)\\u0000"', r"\1", plain).encode()
    key = os.urandom(32)
    padder = blocks.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor()
    message = encryptor.update(padder.update(plain) + padder.finalize()) + encryptor.finalize()
    oaep = padding.OAEP(mgf=padding.MGF1(algorithm=hashes.SHA1()), algorithm=hashes.SHA1(), label=None)
    text = lambda data: base64.b64encode(data).decode()
    return json.dumps({"key_id": "key-1", "symmetric_key": text(certificate.public_key().encrypt(key, oaep)),
                       "message": text(message), "version": "4.0.1"}).encode()


def contract(person, status):
    who = {"reference": f"Patient/{person.id}"}
    return {"resourceType": "Contract", "status": status, "applies": {"start": "2025-01-01T00:00:00Z"}, "signer": [
        {"type": {"code": "CONSENTER"}, "party": who, "signature": [
            {"type": [{"code": "1.2.840.10065.1.12.1.7"}], "when": "2025-01-01T00:00:00Z", "who": who}]}]}


def bundle(resources):
    return {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": resource} for resource in resources]}


def post(target, headers, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", target, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status not in (200, 201):
        sys.exit(f"the receiver refuses: {answer.status} {content}")
    return json.loads(content) if content else {}


tool("keys", "keys/key-1", "--bits", "2048")
certificate = x509.load_pem_x509_certificate(open(f"{work}/keys/key-1/certificate.pem", "rb").read())
open(f"{work}/antispam.txt", "w").write("spam-secret\n")
json.dump({"registration": "open", "antispam": "antispam.txt", "requestsPerMinute": 1000000}, open(f"{work}/receiver.json", "w"))
forms = []
for form in INSTRUMENTS:
    forms.append(f"{form['url'].split('/')[-1]}.json")
    json.dump(form, open(f"{work}/{forms[-1]}", "w"))
port = free_port()
receiver = subprocess.Popen(
    [options.tool, "study", "serve", "--queue", database.url, "--config", "receiver.json", "--port", str(port)],
    env=environment, cwd=work, stdout=subprocess.DEVNULL, stderr=open(f"{work}/log", "wb"))
for _ in range(100):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        break
    except OSError:
        time.sleep(0.1)
client = post("/c3pro/register", {"Antispam": "spam-secret"}, b'{"receipt-data": "x"}')
basic = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
token = post("/c3pro/oauth", {"Authorization": f"Basic {basic}"}, b"grant_type=client_credentials")["access_token"]
rounds = [[contract(person, "executed") for person in participants if person.consents]]
for number in range(2):
    rounds.append([bundle(person.rounds[number]) for person in participants if person.rounds[number]])
rounds.append([contract(person, "revoked") for person in participants if person.leaves])
for messages in rounds:
    for message in messages:
        post("/c3pro/encfhir", {"Authorization": f"Bearer {token}"}, envelope(message))
receiver.send_signal(signal.SIGTERM)
receiver.wait(timeout=60)
consumed = json.loads(tool("consume", "--queue", database.url, "--store", database.url, "--keys", "keys", "--questionnaires",
                           *forms, "--once").splitlines()[-1])
if consumed["failed"] or consumed["pending"]:
    sys.exit(f"the consumer could not load all: {consumed}")
sent = sum(len(messages) for messages in rounds)
print(f"{sent} messages of {len(participants)} participants (seed {options.seed}): {consumed}", flush=True)

# MARK: The ontology, as a researcher sees it

rows = list(csv.DictReader(io.StringIO(database.ask(
    "COPY (SELECT * FROM study_metadata ORDER BY c_fullname) TO STDOUT WITH (FORMAT csv, HEADER)"))))
concepts = [row for row in rows if row["m_applied_path"] == "@"]
names = {row["c_fullname"]: row["c_name"] for row in concepts}


def place(row):
    """The names from below the root to a node."""
    path, found = row["c_fullname"], []
    while path.count("\\") > 2:
        found.insert(0, names[path])
        path = path[:path.rstrip("\\").rindex("\\") + 1]
    return tuple(found)


nodes = {}
for row in concepts:
    # Two measurements of one name are told apart by nothing that people read.
    nodes.setdefault(place(row), row)
modifiers = {row["c_name"]: row for row in rows if row["m_applied_path"] != "@"}
GROUP, QUESTION, TIME = modifiers["Group of the question"], modifiers["Question"], modifiers["Time as written"]
PANEL, ORIGINAL = modifiers["Panel of the component"], modifiers["Number and unit as given"]


def tag(node, name):
    found = re.search(f"<{name}>([^<]*)</{name}>", nodes[node]["c_metadataxml"])
    return found[1] if found else ""


def options_of(node):
    """The texts of a node's values by what people read of them."""
    unescaped = lambda text: text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    found = re.findall('<Val description="([^"]*)">([^<]*)</Val>', nodes[node]["c_metadataxml"])
    return {unescaped(label): unescaped(text) for label, text in found}


# MARK: Queries, each with its count

class Part:
    """What is dragged, and which facts it means."""

    def __init__(self, node, matches=lambda fact: True, **more):
        self.item = Item(nodes[node], **more)
        self.matches = lambda fact: any(name[:len(node)] == node for name in fact.names) and matches(fact)


queries = []


def ask(name, *panels, same_visit=False):
    """A query, its panels as (parts, exclude, total)."""
    statements = [Panel(*(part.item for part in parts), exclude=exclude, total=total) for parts, exclude, total in panels]

    def found(facts, panel):
        parts, _, total = panel
        hits = [fact for fact in facts if any(part.matches(fact) for part in parts)]
        return len(hits) >= (total or (">=", 1))[1]

    def holds(facts):
        return all(found(facts, panel) != panel[1] for panel in panels)

    count = 0
    for person in participants:
        facts = person.facts
        if same_visit:
            visits = itertools.groupby(sorted(facts, key=lambda fact: fact.visit), key=lambda fact: fact.visit)
            count += any(holds(list(group)) for _, group in visits)
        else:
            count += holds(facts)
    queries.append((name, setfinder.query(statements, same_visit), count))


def panel(*parts, exclude=False, total=None):
    return parts, exclude, total


def compares(operator, number, node, *others):
    """A number's constraint, and what it means in the unit that the dialog shows."""
    unit = tag(node, "NormalUnits")

    def matches(fact):
        if fact.number is None:
            return False
        value, own = convert(fact.number, fact.unit, unit), fact.operator
        return {"GT": value > number and own in "E GE" or value >= number and own == "G",
                "GE": value >= number and own in ("E", "GE", "G"),
                "LT": value < number and own in ("E", "LE") or value <= number and own == "L",
                "LE": value <= number and own in ("E", "LE", "L"),
                "EQ": value == number and own == "E",
                "NE": value != number,
                "BETWEEN": own == "E" and others != () and number <= value <= others[0]}[operator]

    return Part(node, matches, value=("number", operator, number, *others))


def is_text(node, operator, *labels):
    options = options_of(node)
    values = [options.get(label, label) for label in labels]
    test = {"EQ": lambda text: text == labels[0], "IN": lambda text: text in labels, "NE": lambda text: text != labels[0],
            "begin": lambda text: text.startswith(labels[0]), "end": lambda text: text.endswith(labels[0]),
            "contains": lambda text: labels[0] in text}[operator]
    # The column has the beginning of a text.
    return Part(node, lambda fact: fact.text is not None and not fact.is_long and test(fact.text[:255]),
                value=("text", operator, *values))


def words(node, *wanted):
    return Part(node, lambda fact: fact.is_long and all(word in fact.text.split() for word in wanted),
                value=("largetext", "contains", " & ".join(wanted)))


dragged = sorted({name[:length] for person in participants for fact in person.facts for name in fact.names
                  for length in range(1, len(name) + 1)})
missing = [node for node in dragged if node not in nodes]
if missing:
    sys.exit(f"the ontology lacks {missing}")
for node in dragged:
    ask(" / ".join(node), panel(Part(node)))

numbers = {}
for person in participants:
    for fact in person.facts:
        if fact.number is not None:
            for name in fact.names:
                numbers.setdefault(name, []).append(convert(fact.number, fact.unit, tag(name, "NormalUnits")))
for node, values in sorted(numbers.items()):
    values.sort()
    low, middle, high = (values[len(values) * part // 4] for part in (1, 2, 3))
    for operator, *limits_of in [("GE", middle), ("LT", low), ("BETWEEN", low, high), ("EQ", middle)]:
        ask(f"{' / '.join(node)} {operator} {limits_of}", panel(compares(operator, limits_of[0], node, *limits_of[1:])))
    if node[0] == "Surveys":
        for operator in ["GT", "LE", "NE"]:
            ask(f"{' / '.join(node)} {operator} {high}", panel(compares(operator, high, node)))

coded = {}
for person in participants:
    for fact in person.facts:
        for name in fact.names:
            if fact.text is not None and not fact.is_long and tag(name, "DataType") == "Enum":
                coded.setdefault(name, set()).add(fact.text)
for node, texts in sorted(coded.items()):
    for text in sorted(texts):
        ask(f"{' / '.join(node)} is {text}", panel(is_text(node, "EQ", text)))
    ask(f"{' / '.join(node)} in", panel(is_text(node, "IN", *sorted(texts)[:2])))

place_node, note = ("Surveys", "Diary", "Where you are"), ("Surveys", "Diary", "Anything else")
for word in WORDS:
    ask(f"where: {word}", panel(is_text(place_node, "contains", word)))
    ask(f"note: {word}", panel(words(note, word)))
ask("where begins", panel(is_text(place_node, "begin", "aurora")))
ask("where ends", panel(is_text(place_node, "end", "o'clock")))
ask("where, long", panel(is_text(place_node, "contains", "far away far")))
ask("note: two words", panel(words(note, "willow", "copper")))
mood = ("Surveys", "Diary", "Mood")
ask("mood in own words", panel(is_text(mood, "begin", "rather")))
ask("mood in other words", panel(is_text(mood, "NE", "rather violin")))

totals = [("Surveys", form["title"]) for form in INSTRUMENTS] + [("Measurements", "Heart rate"), ("Measurements", "Body weight")]
for node in [node for node in totals if node in nodes]:
    for count in (2, 3):
        ask(f"{' / '.join(node)}, {count} times", panel(Part(node), total=(">=", count)))
    for first, last in [("2025-03-01", "2025-06-30"), ("2025-08-15", None), (None, "2025-02-10")]:
        begin, end = first and first + "T00:00:00", last and last + "T23:59:59"
        limit = lambda fact, begin=begin, end=end: (not begin or fact.start.isoformat() >= begin) and (
            not end or fact.start.isoformat() <= end + ".99")
        ask(f"{' / '.join(node)} from {first} to {last}", panel(Part(node, limit, dates=(begin, end))))

drug, dose = ("Surveys", "Diary", "Medications", "Drug"), ("Surveys", "Diary", "Medications", "Dose")
for group in ["meds", "meds[2]", "meds[3]"]:
    for node in (drug, dose):
        ask(f"{node[-1]} in {group}", panel(Part(node, lambda fact, group=group: fact.modifiers.get("group") == group,
                                                 modifier=GROUP, modifier_value=("text", "EQ", group))))
for link, form in [("q1", "phq9"), ("interest", "diary")]:
    ask(f"the shared question in {form}", panel(Part(
        SHARED[0], lambda fact, link=link: fact.modifiers.get("question") == link,
        modifier=QUESTION, modifier_value=("text", "end", ":" + link))))
for part, low, _ in PRESSURE:
    node = ("Measurements", label(entry("quantities", part)[1]))
    ask(f"{part} in a panel", panel(Part(node, lambda fact: fact.modifiers.get("panel"), modifier=PANEL)))
for node in [("Surveys", "Diary", "Weight"), ("Measurements", "Body weight"), ("Measurements", "Heart rate")]:
    other = {"Weight": "[lb_av]"}.get(node[-1])
    own = tag(node, "NormalUnits")
    ask(f"{node[-1]} in another unit", panel(Part(node, lambda fact, own=own: fact.unit != own, modifier=ORIGINAL)))
    if other:
        ask(f"{node[-1]} of 200 pounds", panel(Part(
            node, lambda fact: fact.unit != "kg" and fact.number >= 200, modifier=ORIGINAL, modifier_value=("number", "GE", 200))))
for zone in ["+05:30", "-05:00"]:
    node = ("Surveys", "Diary")
    ask(f"diary at {zone}", panel(Part(node, lambda fact, zone=zone: fact.modifiers.get("time", "").endswith(zone), modifier=TIME,
                                       modifier_value=("text", "end", zone))))

slept, pain, weight = ("Surveys", "Diary", "Slept well", "no"), ("Surveys", "Diary", "Pain now"), ("Surveys", "Diary", "Weight")
gad, phq = ("Surveys", gad7["title"], "GAD total"), ("Surveys", phq9["title"], "PHQ total")
for limit in range(1, 10):
    bad = panel(compares("GE", limit, pain))
    ask(f"no sleep, pain {limit}, in one visit", panel(Part(slept)), bad, same_visit=True)
    ask(f"no sleep, pain {limit}, at any time", panel(Part(slept)), bad)
    ask(f"pain {limit}, aspirin or metformin, same visit", bad, panel(Part(drug + ("Aspirin",)), Part(drug + ("Metformin",))),
        same_visit=True)
    ask(f"pain {limit}, nothing noted in that visit", bad, panel(Part(note), exclude=True), same_visit=True)
for limit in range(5, 21, 5):
    ask(f"GAD {limit} without PHQ {limit}", panel(compares("GE", limit, gad)), panel(compares("GE", limit, phq), exclude=True))
    ask(f"GAD {limit} and PHQ {limit}", panel(compares("GE", limit, gad)), panel(compares("GE", limit, phq)))
    ask(f"GAD or PHQ {limit}", panel(compares("GE", limit, gad), compares("GE", limit, phq)))
    ask(f"GAD {limit}, no weight over 80", panel(compares("GE", limit, gad)), panel(compares("GT", 80, weight), exclude=True))

for sex, name in [("female", "Female"), ("male", "Male"), ("other", "Other"), ("unknown", "No information")]:
    queries.append((name, setfinder.query([Panel(Item(nodes["Demographics", "Sex", name]))]),
                    sum(person.counts and person.sex == sex for person in participants)))
for first in range(0, 90, 10):
    node = ("Demographics", "Age", f"{first} to {first + 9} years")
    queries.append((node[-1], setfinder.query([Panel(Item(nodes[node]))]),
                    sum(person.counts and first <= YEAR - person.born <= first + 9 for person in participants)))

# MARK: The judgement

statements = "SET client_min_messages = error;\n" + setfinder.PREPARATION + "".join(text for _, text, _ in queries)
file = f"{work}/queries.sql"
open(file, "w").write(statements)
done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", database.folder, "-U", "study", "-d", "postgres",
                       "-f", file], capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(f"PostgreSQL refuses a query: {done.stderr}\n{file}")
answers = [int(line) for line in done.stdout.split()]
assert len(answers) == len(queries), (len(answers), len(queries))
wrong = [(name, found, wanted) for (name, _, wanted), found in zip(queries, answers) if found != wanted]
for name, found, wanted in wrong[:40]:
    print(f"WRONG: {name}: {found}, not {wanted}")
different = len({wanted for _, _, wanted in queries})
mixed = database.ask("""SELECT count(*) FROM (SELECT concept_cd FROM observation_fact WHERE modifier_cd = '@' AND valtype_cd = 'N'
    GROUP BY concept_cd HAVING count(DISTINCT coalesce(units_cd, '')) > 1) AS mixed""")
print(f"{len(queries)} queries with {different} different counts, {len(wrong)} wrong; concepts of two units: {mixed}")
if wrong or mixed != "0" or len(queries) < 300 and options.participants >= 200:
    sys.exit(f"FAILED (seed {options.seed}); the files are in {work}")
shutil.rmtree(work)
print("ok", flush=True)
