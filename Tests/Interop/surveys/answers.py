"""Answers questionnaires at random with `indivo survey run`, and checks the responses.

usage: survey-answers.py INDIVO SEED QUESTIONNAIRE…     each response has to be a QuestionnaireResponse of
                                                        fhir.resources (R4B), and valid by `indivo survey validate`
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from fhir.resources.R4B.questionnaireresponse import QuestionnaireResponse

WITHOUT_VALUES = {"group", "display", "question"}


def options(item, contained):
    listed = [next(v for k, v in option.items() if k.startswith("value")) for option in item.get("answerOption", [])]
    value_set = contained.get(item.get("answerValueSet", ""), {})
    for include in value_set.get("compose", {}).get("include", []):
        listed += [{"system": include.get("system"), "code": c["code"]} for c in include.get("concept", [])]
    return [{k: v for k, v in o.items() if v is not None} if isinstance(o, dict) else o for o in listed]


def value(item, contained, chance):
    choices = options(item, contained)
    if choices:
        return chance.choice(choices)
    match item["type"]:
        case "boolean":
            return chance.random() < 0.5
        case "integer":
            return chance.randint(0, 100)
        case "decimal":
            return chance.randint(0, 1000) / 10
        case "date":
            return f"20{chance.randint(10, 25)}-0{chance.randint(1, 9)}-11"
        case "dateTime":
            return "2022-03-04T05:06:07+01:00"
        case "time":
            return "08:30:00"
        case "quantity":
            return {"value": chance.randint(1, 200), "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"}
        case "choice" | "open-choice":
            return {"system": "http://example.org/codes", "code": f"c{chance.randint(0, 3)}"}
        case "reference":
            return {"reference": f"Patient/{chance.randint(1, 9)}"}
        case "attachment":
            return {"contentType": "text/plain", "data": "aGVsbG8="}
        case "url":
            return "https://example.org/x"
        case _:
            return f"answer {chance.randint(0, 99)}"


def answers(items, contained, chance, result):
    for item in items:
        if item.get("type") not in WITHOUT_VALUES and "linkId" in item and chance.random() < 0.8:
            result[item["linkId"]] = value(item, contained, chance)
        answers(item.get("item", []), contained, chance, result)
    return result


def main():
    indivo, seed, *files = sys.argv[1:]
    failures = 0
    for name in files:
        questionnaire = json.loads(Path(name).read_text())
        if questionnaire.get("resourceType") != "Questionnaire":
            continue
        contained = {"#" + r["id"]: r for r in questionnaire.get("contained", []) if "id" in r}
        chance = random.Random(f"{seed} {Path(name).name}")
        with tempfile.TemporaryDirectory() as folder:
            answer_file, response_file = Path(folder, "a.json"), Path(folder, "r.json")
            answer_file.write_text(json.dumps(answers(questionnaire.get("item", []), contained, chance, {})))
            run = subprocess.run([indivo, "survey", "run", name, "--answers", answer_file], capture_output=True, text=True)
            if run.returncode not in (0, 1):
                print(f"{name}: run ended with {run.returncode}: {run.stderr}")
                failures += 1
                continue
            try:
                QuestionnaireResponse.model_validate_json(run.stdout)
            except Exception as error:
                print(f"{name}: fhir.resources: {error}")
                failures += 1
            response_file.write_text(run.stdout)
            validate = subprocess.run([indivo, "survey", "validate", name, response_file], capture_output=True, text=True)
            # What breaks rules of the questionnaire was reported by run; the response itself is sound.
            unsound = [line for line in validate.stdout.splitlines() if line.startswith("error") and line not in run.stderr]
            if unsound:
                print(f"{name}: validate: {unsound}")
                failures += 1
    print(f"{len(files)} files, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
