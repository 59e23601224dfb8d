"""Checks the sandbox's pages in headless Chromium. Called by scripts/interop pages: pages.py INDIVO FOLDER"""

import base64
import datetime
import hashlib
import hmac
import json
import os
import random
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import generated_samples as samples
from browser import App, chromium
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from servers import Served

WIDTHS = {"phone": (390, 844), "desktop": (1280, 900)}
SCHEMES = ["light", "dark"]

# What axe would find first, on the page as it is shown. Returns a list of sentences.
AUDIT = r"""
const problems = [];
const say = (what, element) => problems.push(what + (element ? ": " + element.outerHTML.slice(0, 120) : ""));
if (document.documentElement.lang !== "en") say("the page names no language");
if (!document.title) say("the page has no title");
if (document.querySelectorAll("main").length !== 1) say("there is not one main part");
const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")];
if (headings.filter(h => h.tagName === "H1").length !== 1) say("there is not one h1");
let level = 0;
for (const heading of headings) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) say("a heading skips a level", heading);
    if (!heading.textContent.trim()) say("a heading is empty", heading);
    level = own;
}
for (const input of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    const label = input.labels && [...input.labels].some(l => l.textContent.trim());
    if (!label && !input.getAttribute("aria-label")) say("a field has no label", input);
}
for (const control of document.querySelectorAll("a[href], button")) {
    if (!control.textContent.trim() && !control.getAttribute("aria-label")) say("a control has no name", control);
}
for (const picture of document.querySelectorAll("img:not([alt]), svg:not([aria-label]):not([aria-hidden])")) {
    // A part of a picture is in the text of the whole.
    if (!picture.parentElement.closest("svg[aria-label]")) say("a picture has no text", picture);
}
for (const cell of document.querySelectorAll("th")) {
    if (!cell.scope) say("a table's head has no scope", cell);
    if (!cell.textContent.trim()) say("a table's head is empty", cell);
}
const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) say("two elements have the id " + id);
if (document.documentElement.scrollWidth > window.innerWidth) {
    say(`the page is ${document.documentElement.scrollWidth} wide and the window ${window.innerWidth}`);
}

const parse = text => {
    const m = text.match(/rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)/);
    return m ? [Number(m[1]), Number(m[2]), Number(m[3]), m[4] === undefined ? 1 : Number(m[4])] : [0, 0, 0, 1];
};
const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3])).concat(1);
const luminance = color => {
    const [r, g, b] = color.slice(0, 3).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const background = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(element) || !element.getClientRects().length) continue;
    seen.add(element);
    const style = getComputedStyle(element);
    const isDrawn = element instanceof SVGElement;
    if (isDrawn && element.tagName.toLowerCase() === "title") continue;
    const under = background(element);
    const color = over(parse(isDrawn ? style.fill : style.color), under);
    const [light, dark] = [luminance(color), luminance(under)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)}`, element);
    if (!isDrawn && size < 12) say(`text of ${size} pixels`, element);
}
for (const control of document.querySelectorAll("button, .button, input:not([type=hidden]), ul.list a")) {
    if (!control.checkVisibility()) continue;
    const box = control.getBoundingClientRect();
    if (box.height < 24 || box.width < 24) say(`a control of ${box.width.toFixed()} by ${box.height.toFixed()} pixels`, control);
}
return problems;
"""

# The element that has the focus, and whether one can see that it has.
FOCUS = r"""
const element = document.activeElement;
if (!element || element === document.body) return null;
const style = getComputedStyle(element);
const isVisible = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
return [element.outerHTML.slice(0, 120), isVisible];
"""

# Of radio buttons of a name, Tab reaches one.
FOCUSABLE = ("a[href], button:not([tabindex='-1']), input:not([type=hidden]):not([type=radio]), select, textarea, summary, "
             "[tabindex='0']")


class Sandbox(Served):
    """`indivo sandbox` on free ports."""

    def __init__(self, tool, *options):
        super().__init__(tool, "sandbox", "--port", "0", "--ui-port", "0", "--json", *options, stderr=None)

    def signed(self, method, path, form=None, token=("", ""), **oauth):
        """Sends a signed request; gives the status and the body."""
        url = self.summary["api"] + path
        fields = {
            "oauth_consumer_key": self.summary["consumer_key"], "oauth_signature_method": "HMAC-SHA1",
            "oauth_timestamp": str(int(time.time())), "oauth_nonce": secrets.token_hex(16), "oauth_version": "1.0",
            **({"oauth_token": token[0]} if token[0] else {}), **oauth}
        quote = lambda text: urllib.parse.quote(text, safe="-._~")
        pairs = sorted((quote(k), quote(v)) for k, v in {**fields, **(form or {})}.items())
        base = "&".join([method, quote(url), quote("&".join(f"{k}={v}" for k, v in pairs))])
        key = quote(self.summary["consumer_secret"]) + "&" + quote(token[1])
        digest = hmac.new(key.encode(), base.encode(), hashlib.sha1).digest()
        fields["oauth_signature"] = base64.b64encode(digest).decode()
        header = "OAuth " + ", ".join(f'{k}="{quote(v)}"' for k, v in fields.items())
        request = urllib.request.Request(url, method=method, headers={"Authorization": header})
        if form is not None:
            request.data = urllib.parse.urlencode(form).encode()
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


class Check:
    def __init__(self, sandbox, pictures):
        self.sandbox = sandbox
        self.pictures = pictures
        self.passed = 0
        self.failures = []
        self.driver = chromium(log=True)

    def expect(self, condition, sentence):
        if condition:
            self.passed += 1
        else:
            self.failures.append(sentence)
            print("FAILED:", sentence)

    def show(self, width, scheme):
        wide, high = WIDTHS[width]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": wide, "height": high, "deviceScaleFactor": 1, "mobile": width == "phone"})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, path):
        self.driver.get(path if path.startswith("http") else self.sandbox.summary["ui"] + path)

    def console(self, allowed=()):
        """What the console complains about; a page that is an error by intent may say its status."""
        return [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING") and not any(word in entry["message"] for word in allowed)]

    def page(self, name, path, status=200):
        """Looks at one page, in every width and scheme, and prints what came of it."""
        failures = len(self.failures)
        for width in WIDTHS:
            for scheme in SCHEMES:
                where = f"{name} ({width}, {scheme})"
                self.show(width, scheme)
                self.open(path)
                self.picture(f"{name}-{width}-{scheme}")
                self.audit(where)
                complaints = self.console([f"status of {status} "] if status != 200 else [])
                self.expect(not complaints, f"{where}: the console says {complaints}")
        reached = self.tab_through(name)
        if len(self.failures) == failures:
            print(f"passed: {name} at {' and '.join(f'{w}x{h}' for w, h in WIDTHS.values())} in {' and '.join(SCHEMES)}, "
                  f"{reached} controls by keyboard", flush=True)

    def audit(self, where):
        """What is shown, and what is shown when everything is unfolded."""
        problems = self.driver.execute_script(AUDIT)
        self.expect(not problems, f"{where}: {'; '.join(problems)}")
        if not self.driver.find_elements(By.TAG_NAME, "details"):
            return
        self.driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        where += ", unfolded"
        problems = self.driver.execute_script(AUDIT)
        self.expect(not problems, f"{where}: {'; '.join(problems)}")

    def picture(self, name):
        high = self.driver.execute_script("return document.documentElement.scrollHeight")
        wide = self.driver.execute_script("return window.innerWidth")
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": wide, "height": min(high, 6000), "scale": 1}})
        with open(os.path.join(self.pictures, name + ".png"), "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def tab_through(self, name):
        """Every control is reached by Tab, in the order of the page, and shows that it has the focus."""
        expected = self.driver.execute_script(
            f"return [...document.querySelectorAll(\"{FOCUSABLE}\")].filter(e => e.checkVisibility())"
            ".map(e => e.outerHTML.slice(0, 120))")
        self.driver.execute_script("document.activeElement && document.activeElement.blur(); window.scrollTo(0, 0)")
        reached = []
        # Once round: where the page took the focus itself, Tab begins there, and passes the browser's own controls.
        for _ in range(len(expected) + 3):
            self.press(Keys.TAB)
            focus = self.driver.execute_script(FOCUS)
            if focus:
                reached.append(focus[0])
                if not focus[1]:
                    self.expect(False, f"{name}: one cannot see the focus on {focus[0]}")
        missing = set(expected) - set(reached)
        self.expect(not missing, f"{name}: Tab does not reach {missing}")
        return len(expected)

    def press(self, *keys):
        actions = ActionChains(self.driver)
        for key in keys:
            actions.send_keys(key)
        actions.perform()

    def tab_to(self, selector):
        for _ in range(200):
            if self.driver.execute_script("return document.activeElement.matches(arguments[0])", selector):
                return
            self.press(Keys.TAB)
        self.expect(False, f"the keyboard does not reach {selector} on {self.driver.current_url}")

    def wait_for(self, part):
        WebDriverWait(self.driver, 15).until(lambda driver: part in driver.current_url)

    def log_in(self):
        """By keyboard alone, from wherever the login page is shown."""
        self.wait_for("/login")
        self.tab_to("input[name=username]")
        self.press(self.sandbox.summary["account"], Keys.TAB, self.sandbox.summary["password"], Keys.ENTER)

    def request_token(self, callback):
        status, body = self.sandbox.signed(
            "POST", "/oauth/request_token", {"indivo_record_id": self.sandbox.summary["records"][0]["id"]},
            oauth_callback=callback)
        self.expect(status == 200, f"request_token is answered {status}")
        fields = dict(urllib.parse.parse_qsl(body))
        return fields["oauth_token"], fields["oauth_token_secret"]


def walk(check):
    """The way of a person with a keyboard: login, consent, back to the app, which then reads the record."""
    app = App()
    check.show("phone", "light")
    token = check.request_token(app.url)
    check.open(f"/oauth/authorize?oauth_token={token[0]}")
    check.log_in()
    check.wait_for("/oauth/authorize")
    check.tab_to("button.primary")
    check.press(Keys.ENTER)
    check.wait_for("/back")
    fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(check.driver.current_url).query))
    check.expect(fields.get("oauth_token") == token[0], "the callback names the request token")
    status, body = check.sandbox.signed(
        "POST", "/oauth/access_token", token=token, oauth_verifier=fields.get("oauth_verifier", ""))
    check.expect(status == 200, f"access_token is answered {status}")
    granted = dict(urllib.parse.parse_qsl(body))
    record = check.sandbox.summary["records"][0]
    status, body = check.sandbox.signed(
        "GET", f"/records/{record['id']}", token=(granted["oauth_token"], granted["oauth_token_secret"]))
    check.expect(status == 200 and record["label"] in body, "the app reads the record")
    complaints = check.console()
    check.expect(not complaints, f"the console says {complaints} on the way")
    print("walked by keyboard: login, consent, back to the app, which read the record with its token", flush=True)


def launch(check):
    """The way from the record list into the app, by keyboard."""
    summary = check.sandbox.summary
    check.open(f"/apps/{summary['app_id']}")
    check.tab_to(f"a[href*='{summary['records'][2]['id']}']")
    check.press(Keys.ENTER)
    check.wait_for("/complete/")
    check.tab_to("button.primary")
    check.press(Keys.SPACE)
    check.wait_for("oauth_header=")
    check.expect(f"record_id={summary['records'][2]['id']}" in check.driver.current_url, "the app is told the record")
    print("walked by keyboard: record choice, consent, the app's start page", flush=True)


class FHIRServer(Served):
    """`indivo fhir serve` on a free port, with a patient who was measured a few times."""

    def __init__(self, tool, *options):
        super().__init__(tool, "fhir", "serve", "--port", "0", "--json", *options, stderr=None)
        self.summary["ui"] = self.summary["pages"].rstrip("/")

    def store(self, resource):
        request = urllib.request.Request(
            f"{self.summary['base']}/{resource['resourceType']}/{resource['id']}", method="PUT",
            headers={"Content-Type": "application/fhir+json"}, data=json.dumps(resource).encode())
        urllib.request.urlopen(request).close()

    def fill(self):
        patient = {"reference": "Patient/moss"}
        self.store({
            "resourceType": "Patient", "id": "moss", "name": [{"family": "Moss", "given": ["Ann"]}], "gender": "female",
            "birthDate": "1980-02-03", "address": [{"line": ["Long Lane 1"], "city": "Anytown"}],
            "identifier": [{"type": {"text": "Medical record number"}, "value": "61ebe359-bfdc-4613-8bf2-c5e300945f0a"}]})
        for number, value in enumerate([70.5, 71.25, 69, 95]):
            self.store({
                "resourceType": "Observation", "id": f"w{number}", "status": "final", "subject": patient,
                "code": {"coding": [{"system": "http://loinc.org", "code": "29463-7", "display": "Body weight"}]},
                "effectiveDateTime": f"2026-0{number + 1}-01", "referenceRange": [{"low": {"value": 60}, "high": {"value": 80}}],
                "valueQuantity": {"value": value, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"}})
        self.store({"resourceType": "Observation", "id": "text", "status": "final", "subject": patient,
                    "code": {"text": "Mood"}, "valueString": "well", "effectiveDateTime": "2026-01-05"})
        self.store({"resourceType": "Condition", "id": "c", "subject": patient, "code": {"text": "Hay fever"},
                    "onsetDateTime": "2020-05", "clinicalStatus": {"coding": [
                        {"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}]}})


def fhir_pages(tool, pictures):
    """The pages of the FHIR server. Returns how many checks passed, and those that failed."""
    server = FHIRServer(tool)
    check = None
    try:
        server.fill()
        check = Check(server, pictures)
        check.page("fhir-patients", "/")
        check.page("fhir-patient", "/patients/moss")
        check.page("fhir-resource", "/resources/Observation/w1")
        check.page("fhir-not-found", "/patients/nobody", status=404)
        server.store(survey_questionnaire())
        check.page("fhir-questionnaires", "/questionnaires")
        check.page("fhir-survey", "/questionnaires/wellbeing/")
    finally:
        if check:
            check.driver.quit()
        status = server.stop()
    check.expect(status == 0, f"the FHIR server ended with {status}")
    return check.passed, check.failures


def smart_pages(tool, pictures):
    """The pages of the FHIR server's logins, and the way through them by keyboard. Returns what `fhir_pages` does."""
    app = App()
    check = None
    with tempfile.TemporaryDirectory() as folder:
        apps = {"apps": [{"client_id": "growth", "client_name": "Growth chart", "redirect_uris": [app.url], "launch_url": app.url}]}
        patient = {"resourceType": "Patient", "id": "moss", "name": [{"family": "Moss", "given": ["Ann"]}], "birthDate": "1980-02-03"}
        for name, content in [("apps", apps), ("patient", patient)]:
            with open(f"{folder}/{name}.json", "w") as file:
                json.dump(content, file)
        server = FHIRServer(tool, "--apps", f"{folder}/apps.json", "--load", f"{folder}/patient.json")
        try:
            check = Check(server, pictures)
            login = "/auth/authorize?" + urllib.parse.urlencode({
                "response_type": "code", "client_id": "growth", "redirect_uri": app.url, "state": "s1", "aud": server.summary["base"],
                "scope": "openid fhirUser launch/patient offline_access patient/Patient.rs patient/Observation.cruds?category=laboratory",
                "code_challenge": "a" * 43, "code_challenge_method": "S256"})
            check.page("smart-login", login)
            check.page("smart-wrong-app", "/auth/authorize?client_id=other", status=400)
            check.show("phone", "dark")
            check.open(login)
            check.wait_for("/auth/login")
            check.tab_to("input[name=name]")
            check.press("demo", Keys.TAB, "demo", Keys.ENTER)
            check.wait_for("/auth/patient")
            check.page("smart-patient", login)
            check.page("smart-launch", "/auth/launch")
            check.open(login)
            check.wait_for("/auth/patient")
            check.tab_to("button[name=patient]")
            check.press(Keys.ENTER)
            check.wait_for("/auth/decide")
            check.page("smart-consent", check.driver.current_url)
            check.tab_to("input[name=scope]")
            check.press(Keys.SPACE)
            check.tab_to("button.primary")
            check.press(Keys.ENTER)
            check.wait_for("/back")
            fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(check.driver.current_url).query))
            check.expect(fields.get("state") == "s1" and fields.get("code"), "the app gets its state and a code")
            print("walked by keyboard: login, patient, consent, back to the app with a code", flush=True)
        finally:
            if check:
                check.driver.quit()
            status = server.stop()
        check.expect(status == 0, f"the SMART server ended with {status}")
    return check.passed, check.failures


def health_pages(tool, pictures):
    """A month of a phone and a watch, as a FHIR patient's and as an Indivo record's. Returns what `fhir_pages` does."""
    views = {"day": "by=day&on=2026-03-31", "month": "by=month&on=2026-03-29", "year": "by=year&on=2026-03-29"}
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "samples.jsonl")
        samples.write(file, samples.life())

        def convert(*options):
            run = subprocess.run([tool, "samples", "convert", file, *options], stdout=subprocess.PIPE, text=True, check=True)
            return run.stdout.splitlines()

        server = FHIRServer(tool)
        check = None
        try:
            server.fill()
            entries = [{"resource": resource, "request": {"method": "PUT", "url": f"{resource['resourceType']}/{resource['id']}"}}
                       for resource in map(json.loads, convert("--to", "fhir", "--subject", "Patient/moss"))]
            for start in range(0, len(entries), 200):
                bundle = {"resourceType": "Bundle", "type": "batch", "entry": entries[start:start + 200]}
                request = urllib.request.Request(
                    server.summary["base"], headers={"Content-Type": "application/fhir+json"}, data=json.dumps(bundle).encode())
                urllib.request.urlopen(request).close()
            check = Check(server, pictures)
            for name, query in views.items():
                check.page(f"fhir-health-{name}", f"/patients/moss/health?{query}")
                text = check.driver.find_element(By.TAG_NAME, "main").text
                for part in ["Steps", "Heart rate", "Sleep", "Blood pressure", "Weight"]:
                    check.expect(part in text, f"fhir-health-{name} has no {part}")
            check.page("fhir-health-wrong-zone", "/patients/moss/health?zone=Europe/Berlim", status=400)
        finally:
            if check:
                check.driver.quit()
            status = server.stop()
        check.expect(status == 0, f"the FHIR server ended with {status}")
        passed, failures = check.passed, check.failures

        documents = os.path.join(folder, "documents")
        os.mkdir(documents)
        for number, line in enumerate(convert("--to", "indivo", "--since", "2026-03-22", "--table", "schemas/health/indivo-table.json")):
            with open(os.path.join(documents, f"{number}.xml"), "w", encoding="utf-8") as document:
                document.write(line)
        sandbox = Sandbox(tool, "--models", "schemas/health/indivo", "--load", documents)
        check = None
        try:
            check = Check(sandbox, pictures)
            check.open("/login")
            check.log_in()
            check.wait_for("/")
            record = sandbox.summary["records"][-1]["id"]
            for name, query in views.items():
                check.page(f"record-health-{name}", f"/records/{record}/health?zone=Europe/Berlin&{query}")
                text = check.driver.find_element(By.TAG_NAME, "main").text
                for part in ["Steps", "Heart rate", "Sleep", "Blood pressure", "Weight"]:
                    check.expect(part in text, f"record-health-{name} has no {part}")
        finally:
            if check:
                check.driver.quit()
            status = sandbox.stop()
        check.expect(status == 0, f"the sandbox ended with {status}")
        return passed + check.passed, failures + check.failures


CONTROL = "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl"


def control(code):
    return {"url": CONTROL, "valueCodeableConcept": {"coding": [
        {"system": "http://hl7.org/fhir/questionnaire-item-control", "code": code}]}}


def survey_questionnaire():
    """A questionnaire with every kind of control."""
    often = [{"valueCoding": {"system": "http://example.org/often", "code": str(number), "display": text}}
             for number, text in enumerate(["Not at all", "Several days", "More than half the days", "Nearly every day"])]
    unit = "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption"
    ucum = "http://unitsofmeasure.org"
    dot = ("iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC")
    return {
        "resourceType": "Questionnaire", "id": "wellbeing", "url": "http://example.org/wellbeing", "title": "How are you?",
        "status": "active", "language": "en", "item": [
            {"linkId": "you", "type": "group", "text": "About you", "item": [
                {"linkId": "intro", "type": "display", "text": "Welcome.", "_text": {"extension": [{
                    "url": "http://hl7.org/fhir/StructureDefinition/rendering-markdown",
                    "valueMarkdown": "Thank you for **taking part**. It takes about five minutes, and you can stop at any time."}]}},
                {"linkId": "name", "type": "string", "text": "What shall we call you?", "required": True},
                {"linkId": "born", "type": "date", "text": "When were you born?", "item": [
                    {"linkId": "born-help", "type": "display", "text": "The year alone is enough.", "extension": [control("help")]}]},
                {"linkId": "smokes", "type": "boolean", "text": "Do you smoke?", "required": True},
                {"linkId": "many", "type": "integer", "text": "How many cigarettes a day?", "required": True,
                 "enableWhen": [{"question": "smokes", "operator": "=", "answerBoolean": True}]},
                {"linkId": "pain", "type": "integer", "text": "How strong is your pain now?", "extension": [
                    control("slider"), {"url": "http://hl7.org/fhir/StructureDefinition/minValue", "valueInteger": 0},
                    {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueInteger": 10}]}]},
            {"linkId": "phq", "type": "group", "text": "In the last two weeks, how often were you bothered by this?",
             "extension": [control("gtable")], "item": [
                 {"linkId": "phq1", "type": "choice", "text": "Little interest or pleasure in doing things", "required": True, "answerOption": often},
                 {"linkId": "phq2", "type": "choice", "text": "Feeling down, depressed, or hopeless", "required": True, "answerOption": often}]},
            {"linkId": "body", "type": "group", "text": "Body and medicines", "item": [
                {"linkId": "weight", "type": "quantity", "text": "Your weight", "extension": [
                    {"url": unit, "valueCoding": {"system": ucum, "code": "kg", "display": "kg"}},
                    {"url": unit, "valueCoding": {"system": ucum, "code": "[lb_av]", "display": "lb"}}]},
                {"linkId": "woke", "type": "dateTime", "text": "When did you last wake up?"},
                {"linkId": "food", "type": "open-choice", "repeats": True, "text": "What did you eat?", "answerOption": [
                    {"valueCoding": {"code": "fruit", "display": "Fruit"}}, {"valueCoding": {"code": "bread", "display": "Bread"}},
                    {"valueCoding": {"code": "none", "display": "Nothing"}, "extension": [
                        {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-optionExclusive", "valueBoolean": True}]}]},
                {"linkId": "drug", "type": "group", "repeats": True, "text": "A medicine that you take", "item": [
                    {"linkId": "drug-name", "type": "string", "text": "Its name"},
                    {"linkId": "drug-form", "type": "choice", "text": "Its form", "extension": [control("drop-down")], "answerOption": [
                        {"valueString": "Tablet"}, {"valueString": "Drops"}]}]},
                {"linkId": "picture", "type": "display", "text": "This is where it may hurt.", "extension": [{
                    "url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-itemMedia",
                    "valueAttachment": {"contentType": "image/png", "title": "A body", "data": dot}}]},
                {"linkId": "photo", "type": "attachment", "text": "A photo, if you like"},
                {"linkId": "notes", "type": "text", "text": "Anything else?"}]}]}


class SurveyServer(Served):
    """`indivo survey serve` on a free port."""

    def __init__(self, tool, folder, questionnaire=None, *options):
        file = os.path.join(folder, "questionnaire.json")
        with open(file, "w") as output:
            json.dump(questionnaire or survey_questionnaire(), output)
        super().__init__(tool, "survey", "serve", file, "--port", "0", "--json", *options)
        self.summary["ui"] = self.summary["url"].rstrip("/")


def answer_survey(check):
    """The way of a person through a survey by keyboard, on a phone."""
    driver = check.driver
    check.show("phone", "light")
    check.open("/")
    check.wait_for("/responses/")

    def field(name):
        return driver.find_element(By.NAME, name)

    check.tab_to("button.primary")
    check.press(Keys.ENTER)
    WebDriverWait(driver, 15).until(lambda d: d.find_elements(By.ID, "summary"))
    check.picture("survey-problems-phone")
    check.audit("survey with problems")
    check.expect(driver.execute_script("return document.activeElement.id") == "summary", "the problems get the focus")
    described = field("name.0").get_attribute("aria-describedby") or ""
    check.expect("name.problem" in described and driver.find_elements(By.ID, "name.problem"), "a problem describes its field")
    check.console(["422"])
    check.tab_to("[name='name.0']")
    check.press("Ada")
    check.tab_to("[name='born.0.year']")
    check.press("1980")
    check.tab_to("[name='smokes']")
    check.press(Keys.SPACE)
    WebDriverWait(driver, 15).until(lambda d: d.find_elements(By.NAME, "many.0"))
    check.expect(field("name.0").get_attribute("value") == "Ada", "what was entered stays when a condition shows a question")
    check.expect(driver.execute_script("return document.activeElement.name") == "smokes", "the focus stays when a condition shows a question")
    check.picture("survey-condition-phone")
    field("many.0").send_keys("12")
    slider = driver.find_element(By.CSS_SELECTOR, "input[type=range]")
    check.expect(slider.is_displayed() and field("pain.0").get_attribute("value") == "", "a slider that nobody moved is no answer")
    slider.send_keys(Keys.ARROW_RIGHT)
    check.expect(field("pain.0").get_attribute("value") == "1", "the slider sets the number")
    check.tab_to("button.primary")
    check.press(Keys.ENTER)
    check.wait_for("page=2")
    check.page("survey-table", driver.current_url)
    check.show("phone", "light")
    for name in ["phq1", "phq2"]:
        driver.execute_script("arguments[0].click()", driver.find_element(By.CSS_SELECTOR, f"[name={name}][value$='|2']"))
    driver.find_element(By.CSS_SELECTOR, "button.primary").click()
    check.wait_for("page=3")
    check.page("survey-body", driver.current_url)
    check.show("phone", "light")
    field("0.:drug-name.0").send_keys("Aspirin")
    check.tab_to("[data-keep]")
    check.press(Keys.ENTER)
    WebDriverWait(driver, 15).until(lambda d: d.find_elements(By.NAME, "1.:drug-name.0"))
    check.expect(field("0.:drug-name.0").get_attribute("value") == "Aspirin", "another repetition keeps the first")
    check.picture("survey-repetitions-phone")
    check.open(driver.current_url.split("?")[0] + "?page=3")
    driver.find_element(By.CSS_SELECTOR, "button.primary").click()
    WebDriverWait(driver, 15).until(lambda d: "Thank you" in d.page_source)
    check.picture("survey-done-phone")
    check.audit("the end of the survey")
    complaints = check.console()
    check.expect(not complaints, f"the console says {complaints} in the survey")
    response = json.loads(check.sandbox.process.stdout.readline())
    text = json.dumps(response)
    check.expect(response["status"] == "completed" and all(word in text for word in ["Ada", "1980", "Aspirin", "More than half"]),
                 "the response has what was entered")
    print("answered by keyboard: a survey of three pages, with a condition, a slider, a table and a repetition", flush=True)


def survey_pages(tool, pictures):
    """The pages of a survey. Returns how many checks passed, and those that failed."""
    server = SurveyServer(tool, pictures)
    check = None
    try:
        check = Check(server, pictures)
        check.page("survey-first", "/")
        check.page("survey-unknown", "/responses/" + "A" * 20, status=404)
        answer_survey(check)
    finally:
        if check:
            check.driver.quit()
        status = server.stop()
    check.expect(status == 0, f"the survey server ended with {status}")
    return check.passed, check.failures


def search_terminology(server):
    """Stores a value set of 1,100 animals and one that is to be escaped. Returns a questionnaire that asks for one and for several of them."""
    concepts = [{"code": f"a{number}", "display": f"Animal {number}"} for number in range(1100)]
    concepts += [{"code": "cat", "display": "Cat, domestic"}, {"code": "wild", "display": "Cat, wild <b onclick=alert(1)>"}, {"code": "dog", "display": "Dog"}]
    server.store({"resourceType": "CodeSystem", "id": "animals", "url": "http://example.org/animals", "status": "active",
                  "content": "complete", "concept": concepts})
    server.store({"resourceType": "ValueSet", "id": "animals", "url": "http://example.org/vs/animals", "status": "active",
                  "compose": {"include": [{"system": "http://example.org/animals"}]}})
    return {
        "resourceType": "Questionnaire", "url": "http://example.org/pets", "title": "Pets", "status": "active", "language": "en", "item": [
            {"linkId": "pet", "type": "choice", "text": "Your pet", "required": True, "answerValueSet": "http://example.org/vs/animals",
             "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/preferredTerminologyServer", "valueUrl": server.summary["base"]}]},
            {"linkId": "grown", "type": "boolean", "text": "Is it grown up?"},
            *[{"linkId": name, "type": "choice", "text": "Its food", "extension": [*more, {
                "url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-answerExpression", "valueExpression": {
                    "language": "text/fhirpath", "expression": "iif(%resource.item.where(linkId = 'grown').answer.value, "
                    "'meat' | 'fish' | 'corn', 'milk' | 'corn')"}}]} for name, more in [("food", []), ("drink", [control("drop-down")])]],
            {"linkId": "seen", "type": "choice", "repeats": True, "text": "Animals that you saw", "answerValueSet": "http://example.org/vs/animals"}]}


def search_codes(check):
    """Finds codes by typing, with the script, and then without it."""
    driver = check.driver
    labels = lambda name: driver.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map(label => label.innerText.trim())",
        f"[data-item='{name}'] .options label")
    found = lambda name, texts: WebDriverWait(driver, 15).until(lambda d: labels(name) == texts, f"{name}: {labels(name)} instead of {texts}")
    check.show("phone", "light")
    check.open("/")
    check.wait_for("/responses/")
    check.tab_to("[name='pet.search']")
    check.press("ca")
    found("pet", ["Cat, domestic", "Cat, wild <b onclick=alert(1)>"])
    check.picture("survey-search-phone")
    check.audit("found codes")
    check.expect(driver.execute_script("return document.activeElement.name") == "pet.search", "the focus stays in the field that is typed in")
    check.expect(driver.find_element(By.ID, "pet.search.note").text == "Found: 2.", "what was found is told")
    check.press("t w")
    found("pet", ["Cat, wild <b onclick=alert(1)>"])
    check.expect(driver.find_element(By.NAME, "pet.search").get_attribute("value") == "cat w", "what was typed stays")
    check.press(Keys.TAB, Keys.TAB, Keys.SPACE)
    check.expect([e.get_attribute("value") for e in driver.find_elements(By.CSS_SELECTOR, "[name='pet']:checked")] ==
                 ["http://example.org/animals|wild"], "the code that was found last is chosen, and not the one before it")
    driver.find_element(By.CSS_SELECTOR, "[name='grown'][value='true']").click()
    found("food", ["meat", "fish", "corn"])
    driver.find_elements(By.NAME, "food")[2].click()
    foods = lambda: [[e.get_attribute("value") for e in driver.find_elements(By.CSS_SELECTOR, s)] for s in ["[name='food']", "[name='drink'] option"]]
    tokens = foods()
    driver.find_element(By.CSS_SELECTOR, "[name='grown'][value='false']").click()
    found("food", ["milk", "corn"])
    check.expect(all(len(now) < len(before) and now[-1] == before[-1] and now[-2] not in before for now, before in zip(foods(), tokens)),
                 f"options that an answer changes are what they are called: {foods()} after {tokens}")
    check.expect(driver.find_elements(By.NAME, "food")[1].is_selected(), "what was chosen stays chosen where it is an option still")
    check.tab_to("[name='seen.search']")
    check.press("dog", Keys.ENTER)
    found("seen", ["Dog"])
    check.press(Keys.TAB, Keys.TAB, Keys.SPACE)
    check.tab_to("[name='seen.search']")
    check.press(*[Keys.BACKSPACE] * 3, "animal 7")
    WebDriverWait(driver, 15).until(lambda d: "Animal 7" in labels("seen"))
    check.expect(labels("seen")[-1] == "Dog" and len(labels("seen")) == 21, "what was chosen stays among what is found")
    check.expect("There are more" in driver.find_element(By.ID, "seen.search.note").text, "it is told that there are more")
    check.page("survey-search", driver.current_url)

    # Without a script the button and Return send the page.
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        check.open("/")
        check.wait_for("/responses/")
        driver.find_element(By.NAME, "pet.search").send_keys("cat d")
        driver.find_element(By.CSS_SELECTOR, "button[value='find pet']").click()
        found("pet", ["Cat, domestic"])
        driver.find_element(By.CSS_SELECTOR, "[name='pet']").click()
        driver.find_element(By.NAME, "seen.search").send_keys("dog", Keys.ENTER)
        found("seen", ["Dog"])
        driver.find_element(By.CSS_SELECTOR, "[name='seen']").click()
        driver.find_element(By.CSS_SELECTOR, "button.primary").click()
        WebDriverWait(driver, 15).until(lambda d: "Thank you" in d.page_source)
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    complaints = check.console()
    check.expect(not complaints, f"the console says {complaints} in the search")
    answers = [item["answer"][0]["valueCoding"] for item in json.loads(check.sandbox.process.stdout.readline())["item"]]
    check.expect([(answer["code"], answer["display"]) for answer in answers] == [("cat", "Cat, domestic"), ("dog", "Dog")],
                 f"what was chosen is the answer: {answers}")
    print("found by typing: codes of a large value set, with a script and without", flush=True)


def search_pages(tool, pictures):
    """A survey with a value set that is searched on a terminology server. Returns what `survey_pages` does."""
    terminology = FHIRServer(tool)
    server = check = None
    try:
        questionnaire = search_terminology(terminology)
        server = SurveyServer(tool, pictures, questionnaire, "--terminology", terminology.summary["base"])
        check = Check(server, pictures)
        search_codes(check)
    finally:
        if check:
            check.driver.quit()
        if server:
            server.stop()
        terminology.stop()
    return check.passed, check.failures


class StudyPages(Served):
    """`indivo study pages` on a free port: a study of 40 participants, with messages that failed and some that were given up."""

    PASSWORD = "a password for tests"

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        path = lambda name: os.path.join(folder, name)
        questionnaire = {
            "resourceType": "Questionnaire", "id": "sleep", "url": "http://example.org/Questionnaire/sleep", "status": "active",
            "title": "Sleep diary", "item": [
                {"linkId": "hours", "type": "decimal", "text": "How many hours did you sleep?"},
                {"linkId": "rested", "type": "boolean", "text": "Did you feel rested in the morning?"},
                {"linkId": "woke", "type": "choice", "repeats": True, "text": "What woke you?", "answerOption": [
                    {"valueCoding": {"system": "http://example.org/woke", "code": code, "display": display}}
                    for code, display in [("noise", "Noise from the street or from the neighbours"), ("light", "Light"),
                                          ("child", "A child"), ("pain", "Pain")]]},
                {"linkId": "note", "type": "text", "text": "Anything else?"}]}
        with open(path("sleep.json"), "w") as file:
            json.dump(questionnaire, file)
        self.run("study", "keys", path("keys/key-1"), "--bits", "2048")
        self.run("study", "user", "ada", "--users", path("users"), "--role", "operate", input=self.PASSWORD + "\n")
        # A message without meaning makes queue and warehouse, with the ontology of the questionnaire.
        self.run("study", "consume", "--queue", "sqlite:" + path("queue.sqlite"), "--store", "sqlite:" + path("study.sqlite"),
                 "--keys", path("keys"), "--questionnaires", path("sleep.json"), "--once")
        self.fill(path("study.sqlite"), path("queue.sqlite"))
        super().__init__(
            tool, "study", "pages", "--queue", "sqlite:" + path("queue.sqlite"), "--store", "sqlite:" + path("study.sqlite"),
            "--users", path("users"), "--port", "0", "--json")
        self.summary |= {"ui": self.summary["url"], "account": "ada", "password": self.PASSWORD}

    def run(self, *arguments, input=None):
        subprocess.run([self.tool, *arguments], input=input, text=True, check=True, stdout=subprocess.DEVNULL)

    @staticmethod
    def fill(study, queue):
        """Facts, participants and messages as a consumer leaves them."""
        chance = random.Random(7)
        now = datetime.datetime.now(datetime.timezone.utc)
        moment = lambda days: (now - datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        with sqlite3.connect(study) as db:
            codes = {}
            for path, code in db.execute("SELECT concept_path, concept_cd FROM concept_dimension"):
                # An answer stands below its question behind an escaped "=".
                codes[path.split("\\")[-2].removeprefix("~3d")] = code

            def fact(person, code, kind, text=None, number=None, unit=None, at="2026-03-01 09:00:00"):
                db.execute("INSERT INTO observation_fact (encounter_num, patient_num, concept_cd, provider_id, start_date, modifier_cd,"
                           " instance_num, valtype_cd, tval_char, nval_num, units_cd) VALUES (?, ?, ?, '@', ?, '@',"
                           " 1, ?, ?, ?, ?)", (person, person, code, at, kind, text, number, unit))

            states = ["MA"] * 14 + ["NY"] * 9 + ["CA"] * 7 + ["TX"] * 6 + ["VT"] * 4
            for person, state in enumerate(states, 1):
                db.execute("INSERT INTO study_participant VALUES (?, ?, ?, ?)", (person, f"digest-{person}", f"name-{person}", moment(20)))
                db.execute("INSERT INTO patient_dimension (patient_num, statecityzip_path) VALUES (?, ?)", (person, state + "\\021"))
                db.execute("INSERT INTO study_consent VALUES (?, ?, ?, '1', ?, 0)", (f"digest-{person}", f"m-{person}", moment(20), person % 3 > 0))
                fact(person, codes["hours"], "N", "E", round(chance.uniform(4, 9), 1))
                fact(person, codes["true" if person % 4 else "false"], "T", "yes")
                survey = next(code for name, code in codes.items() if name.startswith("sleep-"))
                fact(person, survey, "@", at=moment(person % 20).replace("T", " ").rstrip("Z"))
                fact(person, codes["note"], "T", f"my private note {person}")
                for code in ["noise"] * (person % 2) + ["light"] * (person % 5 > 1) + ["pain"] * (person == 3):
                    fact(person, codes[code], "T", code)
            for number in range(300):
                state = chance.choice(["loaded"] * 12 + ["waiting", "refused"])
                db.execute("INSERT INTO study_message (id, kind, received, state) VALUES (?, 'envelope', ?, ?)",
                           (f"delivery:{number:08}", moment(chance.triangular(0, 29, 4)), state))
            for number, reason in enumerate(["it is not decrypted: the key key-0 is not there", "an item without linkId"]):
                db.execute("INSERT INTO study_message (id, kind, body, received, state, reason) VALUES (?, 'envelope', 'x', ?, 'failed', ?)",
                           ("sha-256:" + f"{number}" * 64, moment(number), reason))
        with sqlite3.connect(queue) as db:
            for number in range(3):
                db.execute("INSERT INTO dead (id, content, received, body, reason, died) VALUES (?, 'envelope', ?, 'x',"
                           " 'it was received 5 times without an end', 0)",
                           (f"delivery:6f1b0f0e-5d0b-4e9c-9a53-00000000000{number}", moment(number)))


def study_pages(tool, pictures):
    """The pages of a study's team. Returns how many checks passed, and those that failed."""
    with tempfile.TemporaryDirectory() as folder:
        server = StudyPages(tool, folder)
        check = None
        try:
            check = Check(server, pictures)
            driver = check.driver
            check.page("study-login", "/login")
            check.show("phone", "light")
            check.open("/messages")
            check.wait_for("/login")
            check.tab_to("input[name=name]")
            check.press("ada", Keys.TAB, "a wrong password", Keys.ENTER)
            WebDriverWait(driver, 15).until(lambda d: d.find_elements(By.CSS_SELECTOR, "[role=alert]"))
            check.picture("study-login-wrong")
            check.audit("study-login-wrong")
            check.console(["403"])
            driver.find_element(By.NAME, "name").clear()
            check.tab_to("input[name=name]")
            check.press("ada", Keys.TAB, server.PASSWORD, Keys.ENTER)
            WebDriverWait(driver, 15).until(lambda d: "What came in" in d.page_source)
            cookie = next(c for c in driver.get_cookies() if c["name"] == "study")
            check.expect(cookie["httpOnly"] and cookie["sameSite"] == "Strict", f"the session's cookie is {cookie}")
            check.page("study-overview", "/")
            check.page("study-messages", "/messages")
            check.page("study-sources", "/questions")
            source = driver.find_element(By.CSS_SELECTOR, "main ul.list a").get_attribute("href")
            check.page("study-answers", source)
            text = driver.find_element(By.TAG_NAME, "main").text
            for part in ["How many hours did you sleep?", "Noise from the street", "< 5", "Median"]:
                check.expect(part in text, f"study-answers has no {part}")
            check.expect("private" not in text, "study-answers shows an answer in own words")
            check.page("study-progress", "/progress")
            text = driver.find_element(By.TAG_NAME, "main").text
            check.expect("Enrolment" in text and "take part" in text and "Who answered" in text, "study-progress lacks a part")
            check.page("study-map", "/map")
            check.expect(driver.execute_script("return document.querySelector('img.map').naturalWidth > 0"), "the map is not drawn")
            check.page("study-not-found", "/nothing", status=404)
            check.show("phone", "light")
            check.open("/messages")
            check.tab_to("form[action='/messages/redeliver'] button")
            check.press(Keys.ENTER)
            check.wait_for("done=1")
            check.open("/messages")
            check.tab_to("section[aria-labelledby=failed] form.choices button")
            check.press(Keys.ENTER)
            check.wait_for("done=2")
            check.picture("study-messages-done")
            check.audit("study-messages-done")
            check.tab_to("form[action='/logout'] button")
            check.press(Keys.ENTER)
            check.wait_for("/login")
            check.open("/questions")
            check.wait_for("/login")
            complaints = check.console()
            check.expect(not complaints, f"the console says {complaints} on the study's pages")
            print("walked by keyboard: login, a dead letter put back, failed messages asked for again, logout", flush=True)
        finally:
            if check:
                check.driver.quit()
            status = server.stop()
        check.expect(status == 0, f"the study's pages ended with {status}")
        return check.passed, check.failures


def main():
    tool, pictures = sys.argv[1:3]
    alone = {"study": study_pages, "search": search_pages}.get("".join(sys.argv[3:]))
    if alone:
        passed, failures = alone(tool, pictures)
        print(f"{passed} checks passed, {len(failures)} failed; the pictures are in {pictures}")
        sys.exit(1 if failures else 0)
    sandbox = Sandbox(tool)
    check = None
    try:
        check = Check(sandbox, pictures)
        summary = sandbox.summary
        record = summary["records"][0]["id"]
        app = summary["app_id"]
        check.page("welcome", "/")
        check.page("login", "/login")
        check.page("logged-out", "/login/did_logout")
        check.page("not-found", "/nothing", status=404)
        walk(check)
        check.page("record-choice", f"/apps/{app}")
        check.page("authorisation", f"/apps/{app}/complete/?record_id={summary['records'][1]['id']}")
        other = summary["records"][1]["id"]
        _, body = sandbox.signed("POST", "/oauth/request_token", {"indivo_record_id": other}, oauth_callback="app:///x")
        unapproved = dict(urllib.parse.parse_qsl(body))["oauth_token"]
        check.page("authorisation-oauth", f"/oauth/authorize?oauth_token={unapproved}")
        check.page("unknown-token", "/oauth/authorize?oauth_token=nothing", status=400)
        launch(check)
        for person in summary["records"]:
            check.page("record-" + person["label"].split()[0].lower(), f"/records/{person['id']}")
        check.open(f"/records/{record}")
        document = check.driver.find_element(By.CSS_SELECTOR, "main a[href*='/documents/']").get_attribute("href")
        check.page("document", document)
        sandbox.signed("GET", f"/records/{record}/documents/")
        check.page("home", "/")
        check.page("logout", "/logout")
        check.open("/logout")
        check.tab_to("button.primary")
        check.press(Keys.ENTER)
        check.wait_for("/login/did_logout")
        check.open("/login")
        check.press("demo", Keys.TAB, "wrong", Keys.ENTER)
        WebDriverWait(check.driver, 15).until(lambda d: d.find_elements(By.CSS_SELECTOR, "[role=alert]"))
        check.picture("login-wrong-password")
        check.audit("wrong password")
    finally:
        if check:
            check.driver.quit()
        status = sandbox.stop()
    check.expect(status == 0, f"the sandbox ended with {status}")
    passed, failures = fhir_pages(tool, pictures)
    for more in [(passed, failures), smart_pages(tool, pictures), health_pages(tool, pictures), survey_pages(tool, pictures),
                 search_pages(tool, pictures), study_pages(tool, pictures)]:
        check.passed, check.failures = check.passed + more[0], check.failures + more[1]
    passed, failures = check.passed, check.failures
    print(f"{passed} checks passed, {len(failures)} failed; the pictures are in {pictures}")
    sys.exit(1 if failures else 0)


main()
