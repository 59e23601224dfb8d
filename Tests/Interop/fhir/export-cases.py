"""Documents for scripts/interop fhir-export, and what reads the exports.

usage: fhir-export-cases.py write FOLDER        documents with every field, nonsense, and of other kinds
       fhir-export-cases.py check FILE…         bundles, through fhir.resources and fhirclient
"""

import json
import pathlib
import sys

NAMESPACE = "http://indivo.org/vocab/xml/documents#"


def models():
    """The fields of the core models, from their descriptions."""
    compound = {
        "CodedValue": ["title", "system", "identifier"], "ValueAndUnit": ["value", "unit"],
        "Name": ["family", "given", "middle", "prefix", "suffix"],
        "Address": ["country", "city", "postalcode", "region", "street"],
        "VitalSign": ["unit", "value", "name_title", "name_system", "name_identifier"],
        "Pharmacy": ["ncpdpid", "org", "adr_city"], "Organization": ["name", "adr_city", "adr_street"],
        "Provider": ["dea_number", "npi_number", "name_family", "race", "ethnicity", "gender", "bday", "tel_1_number",
                     "tel_1_type", "tel_1_preferred_p", "email", "preferred_language", "adr_city"],
        "QuantitativeResult": ["value_value", "value_unit", "normal_range_min_value", "normal_range_max_value",
                               "normal_range_max_unit", "non_critical_range_min_value"],
        "BloodPressure": ["systolic_value", "systolic_unit", "diastolic_value", "diastolic_unit", "position_title",
                          "site_title", "method_title"],
    }
    found = []

    def add(model):
        fields = []
        for name, kind in model.items():
            if name == "__modelname__":
                continue
            if isinstance(kind, list):
                fields.append((name, [add(kind[0])]))
            elif isinstance(kind, dict):
                fields.append((name, add(kind)))
            elif kind in compound:
                fields += [(f"{name}_{part}", "Text") for part in compound[kind]]
            else:
                fields.append((name, kind))
        found.append((model["__modelname__"], fields))
        return model["__modelname__"], fields

    for file in sorted(pathlib.Path("schemas/models").glob("*.sdml")):
        described = json.loads(file.read_text())
        for model in described if isinstance(described, list) else [described]:
            add(model)
    return found


def value(name, kind, number):
    if kind in ("Number",):
        return f"{number}.10"
    if kind == "Date" or name.endswith("bday"):
        return "2012-05-04T10:00:00Z" if kind == "Date" else "1970-05-04"
    for end, text in [("_gender", "f"), ("_type", "h"), ("_preferred_p", "true"), ("_unit", "mg/dL"),
                      ("_system", "http://purl.bioontology.org/ontology/SNOMEDCT/"), ("_value", f"{number}.5")]:
        if name.endswith(end):
            return text
    return f"text {number}"


def xml(model, make):
    name, fields = model

    def field(number, name, kind):
        if isinstance(kind, list):
            return f'<Field name="{name}"><Models>{"".join(xml(inner, make) for inner in kind)}</Models></Field>'
        if isinstance(kind, tuple):
            return f'<Field name="{name}">{xml(kind, make)}</Field>'
        return f'<Field name="{name}">{make(name, kind, number)}</Field>'

    return f'<Model name="{name}">{"".join(field(i, n, k) for i, (n, k) in enumerate(fields))}</Model>'


def write(folder):
    folder.mkdir()

    def put(name, text):
        (folder / name).write_text(text)

    for model in models():
        for kind, make in [("full", value), ("nonsense", lambda *_: "&#xE9; ?!"), ("empty", lambda *_: "")]:
            put(f"{model[0]}-{kind}.xml", f'<Models xmlns="{NAMESPACE}">{xml(model, make)}</Models>')
    put("Other.xml", '<x xmlns="urn:x"><y>1</y></x>')
    put("Custom.xml", f'<Models xmlns="{NAMESPACE}"><Model name="Sleep"><Field name="a">1</Field></Model></Models>')
    put("Demographics.xml", f"""<Demographics xmlns="{NAMESPACE}"><dateOfBirth>1979-04-02</dateOfBirth>
        <gender>odd</gender><email>a@example.org</email><race>r</race><preferredLanguage>English</preferredLanguage>
        <Name><familyName>Lopez</familyName></Name><Telephone><type>c</type></Telephone></Demographics>""")
    put("Note.xml", f"""<SimpleClinicalNote xmlns="{NAMESPACE}"><dateOfVisit>2012-02-02T12:00:00Z</dateOfVisit>
        <finalizedAt>2012-02-03T13:12:00Z</finalizedAt><visitType type="t" value="v" abbrev="a">x</visitType>
        <signature><at>2012-02-03T13:12:00Z</at><provider><name>n</name></provider></signature></SimpleClinicalNote>""")


def check(files):
    from fhir.resources.R4B.bundle import Bundle
    from fhirclient.models import bundle as smart

    failures = 0
    for file in files:
        tree = json.loads(pathlib.Path(file).read_text())
        name = pathlib.Path(file).name
        for reader, read in [("fhir.resources", lambda: Bundle.model_validate(tree)), ("fhirclient", lambda: smart.Bundle(tree))]:
            try:
                read()
            except Exception as error:  # whatever a reader does not like
                failures += 1
                print(f"{name}: {reader}: {str(error)[:3000]}", file=sys.stderr)
        print(f"{name}: {len(tree['entry'])} resources")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(pathlib.Path(sys.argv[2]))
    else:
        check(sys.argv[2:])
