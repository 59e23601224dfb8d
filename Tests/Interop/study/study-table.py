"""Reads export/facts.csv as the documentation's page for statisticians does, and checks the table of responses."""
import pandas

facts = pandas.read_csv("export/facts.csv", dtype={"concept": str, "text": str, "flag": str})
facts["start"] = pandas.to_datetime(facts["start"], utc=True, format="ISO8601")
facts = facts[facts["modifier"] == "@"]

# The answers of surveys: a row for each response, a column for each question.
answers = facts[facts["concept"].str.startswith("SURVEY:")].copy()
parts = answers["concept"].str.split(":", n=2, expand=True)
answers["questionnaire"] = parts[1]
answers[["question", "code"]] = parts[2].str.split("=", n=1, expand=True)
answers = answers.dropna(subset=["question"])
answers["value"] = answers["number"].combine_first(answers["code"]).combine_first(answers["text"])
responses = answers.pivot_table(
    index=["participant", "questionnaire", "visit", "start"], columns="question", values="value",
    aggfunc=lambda values: values.iloc[0] if len(values) == 1 else list(values))

# Measurements: a daily mean for each participant. For steps and other amounts, .sum() instead.
measured = facts[facts["concept"].str.startswith(("LOINC:", "HEALTHKIT:")) & facts["number"].notna()]
daily = measured.groupby(["participant", "concept", "unit", measured["start"].dt.date])["number"].mean()

print(responses.to_string(), daily.to_string(), sep="\n")
assert list(responses.columns) == ["hours", "rested"], responses.columns
assert list(responses["hours"]) == [7.5, 7.5] and list(responses["rested"]) == ["true", "true"], responses
assert daily.tolist() == [61.0], daily
