"""Judges tasks of ResearchKit by jsonschema, for scripts/interop survey-tasks.

usage: tasks.py INDIVO SEED QUESTIONNAIRE…
"""

import copy, json, random, subprocess, sys

from jsonschema import Draft202012Validator

tool, seed, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
chance = random.Random(seed)


def run(*arguments, input=None):
    return subprocess.run([tool, "survey", *arguments], input=input, capture_output=True, text=True)


schema = json.loads(run("check-task", "--schema").stdout)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
failures = []


def places(value):
    """Every object in a value."""
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from places(member)
    elif isinstance(value, list):
        for element in value:
            yield from places(element)


def change(task):
    """Changes something that the schema speaks of, or what it does not."""
    objects = [one for one in places(task) if "_class" in one]
    target = chance.choice(objects)
    name = chance.choice([name for name in target if name != "_class"] or ["identifier"])
    match chance.randrange(6):
        case 0:
            target["nobodyKnows"] = 1
        case 1:
            target[name] = {"a": [1]}
        case 2:
            target[name.upper()] = target.pop(name, None)
        case 3:
            del target["_class"]
        case 4:
            target["_class"] = chance.choice(["ORKStep", "ORKTextChoice", "ORKBooleanAnswerFormat"])
        case 5:
            target.pop(name, None)


# What the check says and a schema cannot: it is of values together, or only a warning.
ONLY_CHECKED = ("steps between", "bounds of a scale", "the maximum", "nothing to choose", "another ", "no step", "no steps",
                "“invalidMessage”", "predicates for", "a time is expected", "a pattern is expected")
tasks = changed = refused = 0
for file in files:
    task = run("task", file)
    if task.returncode != 0 or not task.stdout:
        continue
    tasks += 1
    value = json.loads(task.stdout)
    for error in validator.iter_errors(value):
        failures.append(f"{file}: jsonschema refuses the task: {error.message[:200]}")
        break
    if not value["steps"]:
        continue
    for _ in range(2):
        other = copy.deepcopy(value)
        change(other)
        changed += 1
        isValid = validator.is_valid(other)
        found = json.loads(run("check-task", "--json", "-", input=json.dumps(other)).stdout)
        errors = [one for one in found if one["severity"] == "error" and not any(text in one["text"] for text in ONLY_CHECKED)]
        refused += not isValid
        # A class of the app's own is a warning, and for the schema an error.
        if isValid != (not errors):
            failures.append(f"{file}: jsonschema says {isValid}, check-task {errors[:2]}")
for failure in failures[:20]:
    print("FAILED:", failure)
print(f"{tasks} tasks, {changed} changed, of which {refused} refused; {len(failures)} differences")
sys.exit(bool(failures) or tasks < 100)
