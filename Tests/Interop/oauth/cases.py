"""Generates requests that oauthlib has signed, and verifies with oauthlib the same requests signed by another.

usage: oauth-cases.py sign SEED COUNT > cases.jsonl
       oauth-cases.py verify cases.jsonl signed.jsonl

A case has the request as it goes over the wire (method, scheme, authority, target, content_type, body), the credentials,
and oauthlib's Authorization header. signed.jsonl has one object a line, in the order of the cases: {"authorization": …}.
"""
import json
import random
import sys
from urllib.parse import quote

from oauthlib import oauth1
from oauthlib.oauth1.rfc5849 import signature
from oauthlib.oauth1.rfc5849.utils import parse_authorization_header, unescape
from oauthlib.common import Request, urldecode

FORM = "application/x-www-form-urlencoded"
ODD = "&=+%~!*'()-._/?:@#[];,$\"<>\\^`{|} \t\u00e4\u00df\u0416\u4e2d\u05d0\u0301\U0001f600\u2028\u00a0" + "abcXYZ019"
LITERAL = "abcXYZ019-._~!$&'()*+,=:@"


def text(choose, longest=12, shortest=0):
    return "".join(choose.choice(ODD) for _ in range(choose.randint(shortest, longest)))


def encoded(choose, plain):
    """One of the ways in which forms are encoded: everything that must be, a space as %20 or +, a little more."""
    safe = choose.choice(["", "-._~", "*", "!'()*"])
    result = quote(plain, safe=safe)
    return result.replace("%20", "+") if choose.random() < 0.5 else result


def parameters(choose, names):
    pairs = []
    for _ in range(choose.randint(0, 5)):
        name = choose.choice(names) if names and choose.random() < 0.3 else text(choose, 8, 1)
        names.append(name)
        # Repeated names, empty values.
        pairs.append((name, "" if choose.random() < 0.15 else text(choose, 20)))
    return "&".join(encoded(choose, n) + "=" + encoded(choose, v) for n, v in pairs)


def path(choose):
    segments = []
    for _ in range(choose.randint(0, 5)):
        kind = choose.random()
        if kind < 0.5:
            segments.append("".join(choose.choice(LITERAL) for _ in range(choose.randint(1, 10))))
        elif kind < 0.8:
            segments.append(quote(text(choose, 8, 1), safe=""))
        else:
            segments.append(choose.choice(["records", "me@apps.example.org", "%7Euser", "a%2Fb", "%2f", ""]))
    return "/" + "/".join(segments)


def authority(choose, scheme):
    host = choose.choice(["localhost", "indivo.example.org", "INDIVO.Example.org", "127.0.0.1", "[::1]"])
    port = choose.choice(["", ":8000", ":80", ":443", ":8443"])
    return host + port


def case(choose):
    scheme = choose.choice(["http", "https"])
    names = []
    query = parameters(choose, names) if choose.random() < 0.6 else ""
    method = choose.choice(["GET", "POST", "PUT", "DELETE"])
    content_type = body = None
    if method in ("POST", "PUT") and choose.random() < 0.8:
        if choose.random() < 0.6:
            content_type, body = FORM, parameters(choose, names)
        else:
            content_type, body = choose.choice([("application/xml", "<a b='1'>&amp;</a>"), ("text/plain", text(choose, 40))])
    made = {
        "method": method, "scheme": scheme, "authority": authority(choose, scheme),
        "target": path(choose) + ("?" + query if query else ""), "content_type": content_type, "body": body,
        "consumer_key": text(choose, 12, 1), "consumer_secret": text(choose, 24),
        "token": None, "token_secret": None,
    }
    if choose.random() < 0.7:
        made["token"], made["token_secret"] = text(choose, 20, 1), text(choose, 24)
    options = {}
    if choose.random() < 0.2:
        options["callback_uri"] = choose.choice(["oob", "http://127.0.0.1:8002/callback?a=b c", "x-y:///ä"])
    if choose.random() < 0.2:
        options["verifier"] = text(choose, 12, 1)
    client = oauth1.Client(
        made["consumer_key"], client_secret=made["consumer_secret"], resource_owner_key=made["token"],
        resource_owner_secret=made["token_secret"], nonce="%032x" % choose.getrandbits(128),
        timestamp=str(1700000000 + choose.randint(0, 10 ** 8)), **options)
    headers = {"Content-Type": content_type} if content_type else {}
    url = scheme + "://" + made["authority"] + made["target"]
    _, headers, _ = client.sign(url, http_method=method, body=body, headers=headers)
    made["authorization"] = headers["Authorization"]
    return made


def sign(seed, count):
    choose = random.Random(seed)
    made = 0
    while made < count:
        try:
            line = json.dumps(case(choose), ensure_ascii=True, sort_keys=True)
        except ValueError:
            continue  # what oauthlib does not take at all
        print(line)
        made += 1


def verify(cases, signed):
    count = wrong = 0
    with open(cases) as requests, open(signed) as signatures:
        for line, other in zip(requests, signatures, strict=True):
            made, header = json.loads(line), json.loads(other)["authorization"]
            params = [(n, unescape(v)) for n, v in parse_authorization_header(header) if n != "realm"]
            url = made["scheme"] + "://" + made["authority"] + made["target"]
            query = made["target"].partition("?")[2]
            body = made["body"] if made["content_type"] == FORM else ""
            collected = signature.collect_parameters(
                uri_query=query, body=urldecode(body) if body else [], headers={"Authorization": header},
                exclude_oauth_signature=True, with_realm=False)
            request = Request(url, made["method"], body, {"Authorization": header})
            request.params = collected
            request.signature = dict(params)["oauth_signature"]
            count += 1
            is_good = (
                dict(params)["oauth_consumer_key"] == made["consumer_key"]
                and signature.verify_hmac_sha1(request, made["consumer_secret"], made["token_secret"] or ""))
            if not is_good:
                wrong += 1
                print("not verified:", line, header, file=sys.stderr)
    print(f"oauthlib verified {count - wrong} of {count} requests that were signed here")
    if wrong or not count:
        sys.exit(1)


if sys.argv[1] == "sign":
    sign(int(sys.argv[2]), int(sys.argv[3]))
else:
    verify(sys.argv[2], sys.argv[3])
