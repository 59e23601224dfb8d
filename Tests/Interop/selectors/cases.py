"""Writes pairs of documents and selectors with what soupsieve finds, one JSON object a line.

usage: selector-cases.py SEED DOCUMENTS SELECTORS_PER_DOCUMENT > cases.jsonl

Each line: {"xml": …, "namespaces": {…}, "cases": [[selector, [places of the elements in document order]], …]}
A selector that soupsieve refuses has null for its places.
"""
import json
import random
import sys
import warnings

import soupsieve
from bs4 import BeautifulSoup, NavigableString
from soupsieve import css_match

warnings.filterwarnings("ignore")
P, Q = "urn:p", "urn:q"
NAMES = ["a", "b", "c", "d", "e", "p:a", "p:b", "q:c"]
WORDS = ["one", "two", "three", "one-two", "One", "tWo", "", "x y", "two three"]
TEXTS = ["hello", "world", "", " ", "\n ", "hello world", "é", "one"]


# soupsieve takes the document for an element: it is the root's parent in `* > *`, and upsets the counting of the root's
# siblings. Without a parent the root is what CSS says.
original_parent = css_match._DocumentNav.get_parent


def get_parent(self, el, no_iframe=False):
    parent = original_parent(self, el, no_iframe)
    return None if isinstance(parent, BeautifulSoup) else parent


css_match._DocumentNav.get_parent = get_parent

# soupsieve 2.6 loses the last place of an+b when the last node of a parent is an element. So every parent ends in a
# blank text, here for the root, and in `document` for the others.
original_fake_parent = css_match._DocumentNav.create_fake_parent


def create_fake_parent(el):
    parent = original_fake_parent(el)
    parent.contents.append(NavigableString(" "))
    return parent


css_match._DocumentNav.create_fake_parent = staticmethod(create_fake_parent)


def document(r):
    budget = [r.randint(3, 45)]

    def element(depth):
        budget[0] -= 1
        name = r.choice(NAMES)
        attributes = []
        if depth == 0:
            attributes.append(f'xmlns:p="{P}" xmlns:q="{Q}"')
        if r.random() < 0.1:
            attributes.append(f'xmlns="{r.choice(["urn:e", "urn:d", ""])}"')  # bs4 renames p:x where p's URI is the default
        if r.random() < 0.3:
            attributes.append(f'id="{r.choice("stuv")}"')
        if r.random() < 0.4:
            attributes.append(f'class="{" ".join(r.choice(["k", "l", "m", "k-l"]) for _ in range(r.randint(0, 3)))}"')
        for attribute in ("x", "y", "p:x"):
            if r.random() < 0.3:
                attributes.append(f'{attribute}="{r.choice(WORDS)}"')
        inside = []
        while budget[0] > 0 and depth < 7 and r.random() < (0.75 if depth < 3 else 0.5):
            inside.append(r.choice(TEXTS) if r.random() < 0.3 else element(depth + 1))
            if r.random() < 0.1:
                inside.append("<!--one-->")
        if r.random() < 0.2:
            inside.append(r.choice(TEXTS))
        if any(part.startswith("<") for part in inside):
            inside.append(" ")
        return f"<{' '.join([name] + attributes)}>{''.join(inside)}</{name}>"

    return element(0)


def formula(r):
    return r.choice(["odd", "even", "1", "2", "3", "n", "2n", "2n+1", "-n+2", "3n-1", "n+2", "+3n", " 2n + 1 ", "-2n+5", "0n+2"])


def attribute(r):
    name = r.choice(["x", "y", "id", "class", "p|x", "q|x"])  # soupsieve reads [|x] as [*|x], and [*|x] as neither
    if r.random() < 0.25:
        return f"[{name}]"
    word = r.choice(WORDS + ["on", "wo", "hre"])
    operator = r.choice(["=", "~=", "|=", "^=", "$=", "*=", "!="])
    # CSS: nothing starts with, ends in or holds the empty text. For soupsieve everything does.
    if not word and operator in ("^=", "$=", "*="):
        operator = "="
    value = f'"{word}"' if not word.isalpha() or r.random() < 0.5 else word
    flag = r.choice(["", "", "", " i", " s"])
    return f"[{name}{operator}{value}{flag}]"


def simple(r, depth):
    kind = r.random()
    if kind < 0.15:
        return "." + r.choice(["k", "l", "m", "k-l"])
    if kind < 0.22:
        return "#" + r.choice("stuv")
    if kind < 0.42:
        return attribute(r)
    if kind < 0.62 or depth > 2:
        return r.choice([
            ":root", ":empty", ":first-child", ":last-child", ":only-child", ":first-of-type", ":last-of-type",
            ":only-of-type", f":nth-child({formula(r)})", f":nth-last-child({formula(r)})",
            f":nth-of-type({formula(r)})", f":nth-last-of-type({formula(r)})"])
    if kind < 0.70:
        return f":not({group(r, depth + 1)})"
    if kind < 0.78:
        return f":{r.choice(['is', 'where'])}({group(r, depth + 1)})"
    if kind < 0.87:
        lead = r.choice(["", "", "> ", "+ ", "~ "])
        return f":has({lead}{group(r, depth + 1)})"
    if kind < 0.94:
        return f":{r.choice(['nth-child', 'nth-last-child'])}({formula(r)} of {group(r, depth + 1)})"
    return f':contains("{r.choice(["hello", "world", "o w", "one", "é", ""])}")'


# Where a default namespace is given, CSS applies it to every compound without a name; soupsieve only to the last one.
needs_names = False


def compound(r, depth):
    name = r.choice(([] if needs_names else ["", ""]) + ["*", "a", "b", "c", "d", "e", "p|a", "p|b", "q|c", "*|a", "|b", "p|*", "|*", "*|*"])
    parts = [simple(r, depth) for _ in range(r.choice([0, 1, 1, 2]))]
    return name + "".join(parts) or "*"


def complex_selector(r, depth):
    text = compound(r, depth)
    for _ in range(r.choice([0, 0, 1, 1, 2, 3] if depth == 0 else [0, 0, 0, 1])):
        text += r.choice([" ", " ", " > ", ">", " + ", "~", " /* c */ "]) + compound(r, depth)
    return text


def group(r, depth):
    return r.choice([", ", ","]).join(complex_selector(r, depth) for _ in range(r.choice([1, 1, 1, 2])))


def main():
    global needs_names
    seed, documents, selectors = (int(argument) for argument in sys.argv[1:4])
    r = random.Random(seed)
    for _ in range(documents):
        text = document(r)
        soup = BeautifulSoup(text, "xml")
        places = {id(element): place for place, element in enumerate(soup.find_all(True))}
        namespaces = {"p": P, "q": Q}
        if r.random() < 0.15:
            namespaces[""] = r.choice(["urn:e", "urn:d"])
        needs_names = "" in namespaces
        cases = []
        for _ in range(selectors):
            selector = group(r, 0)
            try:
                found = sorted(places[id(element)] for element in soupsieve.select(selector, soup, namespaces=namespaces))
            except soupsieve.SelectorSyntaxError:
                found = None
            cases.append([selector, found])
        print(json.dumps({"xml": text, "namespaces": namespaces, "cases": cases}, ensure_ascii=False))


main()
