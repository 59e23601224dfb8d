"""Foreign clients against `indivo fhir serve --smart`. usage: server.py PATH-OF-INDIVO"""
import glob
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

import requests
from browser import App, chromium
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from fhirclient import client as fhirclient
from fhirclient.models.observation import Observation
from fhirclient.models.patient import Patient
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from servers import Served

failed = False


def check(what, holds, detail=""):
    global failed
    failed = failed or not holds
    print(("passed  " if holds else "FAILED  ") + what + (f": {detail}" if detail and not holds else ""), flush=True)


app = App()
REDIRECT = app.url
LAUNCH = app.url.replace("/back", "/launch")


class Chromium:
    """A person at Chromium: reads the pages, types and clicks, and ends where the app is."""

    def __init__(self):
        self.driver = chromium("--window-size=390,844")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def at(self, *paths):
        WebDriverWait(self.driver, 20).until(lambda driver: urllib.parse.urlsplit(driver.current_url).path in paths)
        return urllib.parse.urlsplit(self.driver.current_url).path

    def click(self, selector):
        button = self.driver.find_element(By.CSS_SELECTOR, selector)
        button.click()
        WebDriverWait(self.driver, 20).until(lambda _: self.is_gone(button))

    def is_gone(self, element):
        try:
            element.is_enabled()
            return False
        except Exception:
            return True

    def name_oneself(self):
        self.driver.find_element(By.NAME, "name").send_keys("demo")
        self.driver.find_element(By.NAME, "password").send_keys("demo")
        self.click("form button.primary")

    def log_in(self, url, patient="ann"):
        self.driver.get(url)
        while (path := self.at("/auth/login", "/auth/patient", "/auth/decide", "/back")) != "/back":
            if path == "/auth/login":
                self.name_oneself()
            elif path == "/auth/patient":
                self.click(f'button[name="patient"][value="{patient}"]')
            else:
                self.click('button[name="decision"][value="allow"]')
        return self.driver.current_url

    def launch(self, url, app, patient):
        self.driver.get(url)
        if self.at("/auth/login", "/auth/launch") == "/auth/login":
            self.name_oneself()
        self.driver.find_element(By.CSS_SELECTOR, f'[name="app"][value="{app}"], [name="app"] [value="{app}"]').click()
        self.click(f'button[name="patient"][value="{patient}"]')
        self.at("/launch")
        return self.driver.current_url


class Browser:
    """A browser without scripts: cookies, redirections within the server, forms."""

    def __init__(self):
        self.session = requests.Session()

    def open(self, url, form=None):
        server = urllib.parse.urlsplit(url).netloc
        for _ in range(10):
            answer = self.session.request("POST" if form else "GET", url, data=form, allow_redirects=False)
            if "Location" not in answer.headers:
                return url, answer.text
            url, form = urllib.parse.urljoin(url, answer.headers["Location"]), None
            if urllib.parse.urlsplit(url).netloc != server:
                return url, ""
        raise RuntimeError("too many redirections")

    def submit(self, page, path, fields):
        url, text = page
        hidden = {name: html.unescape(value) for name, value in
                  re.findall(r'<input type="hidden" name="([^"]*)"\s+value="([^"]*)"', text)}
        return self.open(urllib.parse.urljoin(url, path), list(hidden.items()) + list(fields))

    def log_in(self, url, patient="ann"):
        page = self.open(url)
        if urllib.parse.urlsplit(page[0]).path == "/auth/login":
            page = self.submit(page, "/auth/login", [("name", "demo"), ("password", "demo")])
        if urllib.parse.urlsplit(page[0]).path == "/auth/patient":
            page = self.submit(page, "/auth/patient", [("patient", patient)])
        if urllib.parse.urlsplit(page[0]).path == "/auth/decide":
            boxes = re.findall(r'<input type="checkbox" name="scope" value="([^"]*)"', page[1])
            page = self.submit(page, "/auth/decide", [("scope", html.unescape(b)) for b in boxes] + [("decision", "allow")])
        return page[0]


def patient(id):
    return {"resourceType": "Patient", "id": id, "name": [{"family": id}]}


def weight(id):
    return {"resourceType": "Observation", "id": f"w-{id}", "status": "final", "code": {"text": "weight"},
            "subject": {"reference": f"Patient/{id}"}}


def with_fhirclient(base, pages, browser):
    smart = fhirclient.FHIRClient(settings={
        "app_id": "growth", "api_base": base, "redirect_uri": REDIRECT,
        "scope": "openid fhirUser launch/patient offline_access patient/*.read"})
    check("fhirclient is not ready without a login", not smart.ready)
    back = browser.log_in(smart.authorize_url)
    smart.handle_callback(back)
    check("fhirclient: a standalone launch gives the patient", smart.patient_id == "ann", smart.patient_id)
    check("fhirclient reads the patient", smart.patient.name[0].family == "ann")
    found = Observation.where(struct={}).perform_resources(smart.server)
    check("fhirclient finds that patient's observations", [o.id for o in found] == ["w-ann"])
    try:
        Patient.read("bob", smart.server)
        check("fhirclient does not read another patient", False)
    except Exception:
        check("fhirclient does not read another patient", True)
    check("fhirclient refreshes", smart.reauthorize() and Patient.read("ann", smart.server).id == "ann")
    url = browser.launch(pages + "auth/launch", "growth", "bob")
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    check("a health record's launch brings iss and launch", url.startswith(LAUNCH) and query["iss"] == base)
    ehr = fhirclient.FHIRClient(settings={
        "app_id": "growth", "api_base": query["iss"], "redirect_uri": REDIRECT, "launch_token": query["launch"],
        "scope": "launch patient/*.rs"})
    ehr.handle_callback(browser.log_in(ehr.authorize_url))
    check("fhirclient: a launch from a health record gives its patient", ehr.patient_id == "bob", ehr.patient_id)


def backend_service(configuration, key, scope):
    service = OAuth2Session("loader", key, token_endpoint_auth_method="private_key_jwt", scope=scope)
    # SMART's assertions live for five minutes at most, authlib's own for an hour.
    service.register_client_auth_method(PrivateKeyJWT(
        configuration["token_endpoint"], claims={"exp": int(time.time()) + 240}, headers={"kid": "k1"}, alg="ES384"))
    return service, service.fetch_token(configuration["token_endpoint"], grant_type="client_credentials")


def with_authlib(base, key):
    configuration = requests.get(base + "/.well-known/smart-configuration").json()
    registered = requests.post(configuration["registration_endpoint"], json={
        "client_name": "authlib", "redirect_uris": [REDIRECT], "grant_types": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_method": "client_secret_basic"}).json()
    check("authlib's app is registered", "client_secret" in registered)
    session = OAuth2Session(
        registered["client_id"], registered["client_secret"], redirect_uri=REDIRECT, code_challenge_method="S256",
        scope="openid fhirUser launch/patient offline_access patient/Patient.rs",
        token_endpoint_auth_method="client_secret_basic")
    verifier, nonce = uuid.uuid4().hex * 2, uuid.uuid4().hex
    url, state = session.create_authorization_url(
        configuration["authorization_endpoint"], code_verifier=verifier, aud=base, nonce=nonce)
    back = Browser().log_in(url)
    token = session.fetch_token(
        configuration["token_endpoint"], authorization_response=back, code_verifier=verifier, state=state)
    check("authlib logs in with PKCE", token["patient"] == "ann" and token["token_type"] == "Bearer")
    keys = KeySet.import_key_set(requests.get(configuration["jwks_uri"]).json())
    claims = jwt.decode(token["id_token"], keys, algorithms=["ES256"]).claims
    jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": configuration["issuer"]},
        aud={"essential": True, "value": registered["client_id"]},
        nonce={"essential": True, "value": nonce}, exp={"essential": True}).validate(claims)
    check("authlib verifies the ID token", claims["fhirUser"] == base + "/Practitioner/demo")
    check("authlib reads with the token", session.get(base + "/Patient/ann").status_code == 200)
    check("authlib reads nothing beyond its scopes", session.get(base + "/Observation").status_code == 403)
    older = token["refresh_token"]
    newer = session.refresh_token(configuration["token_endpoint"], refresh_token=older)
    check("authlib gets another refresh token", newer["refresh_token"] != older)
    check("authlib reads with the newer token", session.get(base + "/Patient/ann").status_code == 200)
    try:
        session.refresh_token(configuration["token_endpoint"], refresh_token=older)
        check("a refresh token is good once", False)
    except Exception:
        check("a refresh token is good once", True)
    check("its second use ends the session", session.get(base + "/Patient/ann").status_code == 401)

    service, token = backend_service(configuration, key, "system/*.rs")
    check("authlib works as a backend service", service.get(base + "/Patient").json()["total"] == 2, token)


def with_smart_fetch(base, key, folder):
    """A backend service of another hand takes everything, and later what has changed (Bulk Data 2)."""
    with open(f"{folder}/key.jwks", "w") as file:
        json.dump({"keys": [key.as_dict(private=True) | {"alg": "ES384", "key_ops": ["sign"]}]}, file)

    def export(name, *options):
        done = subprocess.run(
            [os.path.join(os.path.dirname(sys.executable), "smart-fetch"), "bulk", f"{folder}/{name}",
             "--fhir-url", base, "--smart-client-id", "loader", "--smart-key", f"{folder}/key.jwks",
             "--no-compression", "--type", "Patient,Observation", "--no-default-filters", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        found = []
        for path in glob.glob(f"{folder}/{name}/*.ndjson"):
            if not path.endswith("/log.ndjson"):
                with open(path) as lines:
                    found += [json.loads(line) for line in lines]
        check(f"smart-fetch ends well: {name}", done.returncode == 0, done.stdout)
        return sorted(resource["id"] for resource in found)

    check("smart-fetch exports all patients and their observations",
          export("all") == ["ann", "bob", "w-ann", "w-bob"])
    check("smart-fetch exports what a filter of a type leaves",
          export("filtered", "--type-filter", "Observation?patient=ann") == ["ann", "bob", "w-ann"])
    configuration = requests.get(base + "/.well-known/smart-configuration").json()
    service, _ = backend_service(configuration, key, "system/*.cruds")
    # What is stored now is later than what was loaded, by the server's clock.
    changed = service.put(base + "/Patient/bob", json=patient("bob")).json()["meta"]["lastUpdated"]
    check("smart-fetch exports what has changed since", export("changed", "--since", changed) == ["bob"])


def main():
    key = ECKey.generate_key("P-384", {"kid": "k1"}, private=True)
    apps = {"apps": [
        {"client_id": "growth", "redirect_uris": [REDIRECT], "launch_url": LAUNCH},
        {"client_id": "loader", "grant_types": ["client_credentials"], "scope": "system/*.cruds",
         "jwks": {"keys": [key.as_dict(private=False)]}}]}
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/apps.json", "w") as file:
            json.dump(apps, file)
        for resource in [patient("ann"), patient("bob"), weight("ann"), weight("bob")]:
            with open(f"{folder}/{resource['resourceType']}-{resource['id']}.json", "w") as file:
                json.dump(resource, file)
        server = Served(
            sys.argv[1], "fhir", "serve", "--port", "0", "--json", "--apps", f"{folder}/apps.json", "--load",
            *[f"{folder}/{name}.json" for name in ["Patient-ann", "Patient-bob", "Observation-w-ann", "Observation-w-bob"]])
        try:
            addresses = server.summary
            with Chromium() as browser:
                with_fhirclient(addresses["base"], addresses["pages"], browser)
            with_authlib(addresses["base"], key)
            with_smart_fetch(addresses["base"], key, folder)
        finally:
            server.stop()
    sys.exit(1 if failed else 0)


main()
