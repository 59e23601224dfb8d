"""`indivo fhir login` against an authorization server of authlib. usage: client.py PATH-OF-INDIVO"""
import logging
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import warnings

warnings.simplefilter("ignore")
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.jose import JsonWebKey
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, request
from servers import free_port
from werkzeug.serving import make_server

SECRET = "s3cret/ &?"
failed = False


def check(what, holds, detail=""):
    global failed
    failed = failed or not holds
    print(("passed  " if holds else "FAILED  ") + what + (f": {detail}" if detail and not holds else ""), flush=True)


class Client:
    client_id = "growth"
    redirect_uri = ""

    def get_client_id(self): return self.client_id
    def get_default_redirect_uri(self): return self.redirect_uri
    def get_allowed_scope(self, scope): return scope
    def check_redirect_uri(self, uri): return uri == self.redirect_uri
    def check_client_secret(self, secret): return secrets.compare_digest(secret, SECRET)
    def check_endpoint_auth_method(self, method, endpoint): return method == "client_secret_basic"
    def check_response_type(self, kind): return kind == "code"
    def check_grant_type(self, kind): return kind in ("authorization_code", "refresh_token")


class Code:
    def __init__(self, **values): self.__dict__.update(values)
    def get_redirect_uri(self): return self.redirect_uri
    def get_scope(self): return self.scope
    def get_nonce(self): return self.nonce
    def get_auth_time(self): return int(time.time())
    def get_acr(self): return None
    def get_amr(self): return None


class Token:
    def __init__(self, values):
        self.values = values
        self.end = time.time() + values["expires_in"]
        self.revoked = False

    def check_client(self, client): return True
    def get_scope(self): return self.values["scope"]
    def get_expires_in(self): return self.values["expires_in"]
    def is_expired(self): return time.time() > self.end
    def is_revoked(self): return self.revoked
    def get_user(self): return "u1"
    def get_client(self): return Client()


client, codes, tokens = Client(), {}, []
key = JsonWebKey.generate_key("RSA", 2048, {"kid": "r1", "use": "sig", "alg": "RS256"}, is_private=True)
# Whether the next refresh waits before it responds, so that the client can be killed meanwhile.
pause = threading.Event()
refreshing = threading.Event()
lifetime = 3600


class AuthorizationCodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]

    def save_authorization_code(self, code, request):
        data = request.payload.data if hasattr(request, "payload") else request.data
        codes[code] = Code(
            code=code, client_id=client.client_id, redirect_uri=data.get("redirect_uri"), scope=request.payload.scope,
            nonce=data.get("nonce"), code_challenge=data.get("code_challenge"),
            code_challenge_method=data.get("code_challenge_method"))
        return codes[code]

    def query_authorization_code(self, code, client): return codes.get(code)
    def delete_authorization_code(self, code): codes.pop(code.code, None)
    def authenticate_user(self, code): return "u1"


class IDToken(OpenIDCode):
    def exists_nonce(self, nonce, request): return False

    def get_jwt_config(self, grant, *others):
        return {"key": key, "alg": "RS256", "iss": issuer, "exp": 300}

    def generate_user_info(self, user, scope):
        return UserInfo(sub=user, fhirUser=base + "/Practitioner/1")


class RefreshTokenGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        found = [t for t in tokens if t.values.get("refresh_token") == refresh_token and not t.revoked]
        return found[0] if found else None

    def authenticate_user(self, credential): return "u1"

    def revoke_old_credential(self, credential):
        # The old one stays good until the new one is used: the first read with a newer token spends it.
        credential.replaced = True


class Validator(BearerTokenValidator):
    def authenticate_token(self, text):
        found = [t for t in tokens if t.values["access_token"] == text]
        if found:
            for other in tokens[:tokens.index(found[0])]:
                other.revoked = other.revoked or getattr(other, "replaced", False)
        return found[0] if found else None


class Revocation(RevocationEndpoint):
    def query_token(self, text, hint):
        found = [t for t in tokens if text in (t.values["access_token"], t.values.get("refresh_token"))]
        return found[0] if found else None

    def revoke_token(self, token, request):
        token.revoked = True


port = free_port()
issuer = f"http://127.0.0.1:{port}"
base = issuer + "/fhir"
client.redirect_uri = f"http://127.0.0.1:{free_port()}/callback"

app = Flask("smart")
app.secret_key = secrets.token_hex()
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
logging.getLogger("werkzeug").setLevel(logging.ERROR)
warnings.simplefilter("ignore")


def save_token(values, request):
    values["expires_in"] = lifetime
    values["patient"] = "ann"
    tokens.append(Token(dict(values)))


server = AuthorizationServer(app, query_client=lambda id: client if id == client.client_id else None, save_token=save_token)
server.register_grant(AuthorizationCodeGrant, [CodeChallenge(required=True), IDToken(require_nonce=True)])
server.register_grant(RefreshTokenGrant)
server.register_endpoint(Revocation)
protect = ResourceProtector()
protect.register_token_validator(Validator())


@app.get("/fhir/.well-known/smart-configuration")
def configuration():
    return jsonify(
        issuer=issuer, jwks_uri=issuer + "/jwks", authorization_endpoint=issuer + "/authorize",
        token_endpoint=issuer + "/token", revocation_endpoint=issuer + "/revoke",
        code_challenge_methods_supported=["S256"], capabilities=["launch-standalone"])


@app.get("/jwks")
def jwks():
    return jsonify(keys=[key.as_dict(is_private=False)])


@app.get("/authorize")
def authorize():
    assert request.args["aud"] == base
    try:
        grant = server.get_consent_grant(end_user="u1")
        return server.create_authorization_response(grant_user="u1", grant=grant)
    except TypeError:
        return server.create_authorization_response(grant_user="u1")


@app.post("/token")
def token():
    response = server.create_token_response()
    if request.form["grant_type"] == "refresh_token" and pause.is_set():
        refreshing.set()
        time.sleep(5)
    return response


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response("revocation")


@app.get("/fhir/Patient/ann")
@protect()
def patient():
    return app.response_class('{"resourceType":"Patient","id":"ann"}', mimetype="application/fhir+json")


def run(indivo, environment, *arguments):
    return subprocess.run(
        [indivo, "fhir", *arguments, "--base", base], env=environment, capture_output=True, text=True, timeout=60)


def main():
    global lifetime
    indivo = sys.argv[1]
    threading.Thread(target=make_server("127.0.0.1", port, app, threaded=True).serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_STATE_HOME": folder, "FHIR_CLIENT_SECRET": SECRET}
        environment.pop("FHIR_TOKEN", None)
        login = subprocess.Popen(
            [indivo, "fhir", "login", "--base", base, "--client-id", "growth", "--redirect-uri", client.redirect_uri],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        page = login.stdout.readline().strip()
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page).query))
        # Somebody else's visit comes first.
        foreign = requests.get(client.redirect_uri, params={"code": "stolen", "state": "other"})
        check("a visit of another login is turned away", "another login" in foreign.text, foreign.text)
        answer = requests.get(page)
        check("the browser ends at the app", "You are logged in" in answer.text, answer.text)
        _, messages = login.communicate(timeout=30)
        check("the login ends well", login.returncode == 0 and "patient ann" in messages, messages)
        check("the app asks with PKCE by S256", asked["code_challenge_method"] == "S256")
        file = f"{folder}/indivo/smart-sessions.json"
        check("the session is its owner's alone", os.stat(file).st_mode & 0o777 == 0o600)
        read = run(indivo, environment, "read", "Patient/ann")
        check("the session reads", read.returncode == 0 and '"ann"' in read.stdout, read.stderr)
        check("no token is in a message", not any(t.values["access_token"] in messages + read.stderr for t in tokens))

        lifetime = 1
        for t in tokens:
            t.end = 0
        read = run(indivo, environment, "read", "Patient/ann")
        check("an expired token is refreshed", read.returncode == 0 and len(tokens) == 2, read.stderr)
        for moment in range(3):
            time.sleep(1.1)
            pause.set()
            refreshing.clear()
            killed = subprocess.Popen(
                [indivo, "fhir", "read", "Patient/ann", "--base", base], env=environment, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            check("the refresh has begun", refreshing.wait(20))
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            pause.clear()
            read = run(indivo, environment, "read", "Patient/ann")
            check("kill -9 in the middle of a refresh loses no session", read.returncode == 0, read.stderr)
        out = run(indivo, environment, "logout")
        check("logging out revokes the tokens", out.returncode == 0 and tokens[-1].revoked, out.stderr)
        read = run(indivo, environment, "read", "Patient/ann")
        check("after it nothing is read", read.returncode == 3, read.stderr)
    sys.exit(1 if failed else 0)


main()
