"""Foreign FHIR clients against `indivo fhir serve`. usage: server.py PATH-OF-INDIVO"""
import os
import sys
import urllib.error
import urllib.request
import uuid

from servers import Served

TOKEN = "token-of-the-test"


class Server(Served):
    def __init__(self, command):
        environment = {**os.environ, "FHIR_TOKEN": TOKEN}
        super().__init__(*command, env=environment)
        self.base = self.summary["base"]


def passed(text):
    print(f"passed: {text}", flush=True)


def with_fhirpy(base):
    from fhirpy import SyncFHIRClient
    from fhirpy.base.exceptions import MultipleResourcesFound, OperationOutcome, ResourceNotFound

    client = SyncFHIRClient(base, authorization=f"Bearer {TOKEN}")
    system = "urn:example:mrn"
    patient = client.resource(
        "Patient", name=[{"family": "Moss", "given": ["Ann"]}], birthDate="1980-02-03", gender="female",
        identifier=[{"system": system, "value": "1"}])
    patient.save()
    assert patient.id and patient["meta"]["versionId"] == "1", patient
    passed("fhirpy creates a resource")

    read = client.reference("Patient", patient.id).to_resource()
    assert read.serialize() == patient.serialize()
    passed("fhirpy reads it back as it was")

    for family in ["Reed", "Fern", "Ivy", "Fir", "Müller"]:
        client.resource("Patient", name=[{"family": family}], gender="male").save()
    patients = client.resources("Patient")
    assert patients.search(name="müll").get()["name"][0]["family"] == "Müller"
    assert patients.search(identifier=f"{system}|1", birthdate__ge="1980").get().id == patient.id
    assert patients.search(gender="male").count() == 5
    assert [p["name"][0]["family"] for p in patients.sort("family").limit(2).fetch()] == ["Fern", "Fir"]
    assert len(patients.limit(2).fetch_all()) == 6, "all pages"
    assert [p.id for p in patients.search(gender="female").elements("gender").fetch()] == [patient.id]
    passed("fhirpy searches, sorts and follows pages")

    weights = []
    for value in ["70.5", "71"]:
        weight = client.resource(
            "Observation", status="final", subject=patient.to_reference(), effectiveDateTime="2026-03-01",
            code={"coding": [{"system": "http://loinc.org", "code": "29463-7"}]},
            valueQuantity={"value": float(value), "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"})
        weight.save()
        weights.append(weight)
    observations = client.resources("Observation")
    assert {o.id for o in observations.search(patient=patient.id, code="http://loinc.org|29463-7").fetch()} == {
        w.id for w in weights}
    assert [o.id for o in observations.search(value_quantity="gt70800|http://unitsofmeasure.org|g").fetch()] == [weights[1].id]
    assert len(observations.search(subject__Patient__name="moss").fetch()) == 2
    included = observations.include("Observation", "subject").fetch_raw()
    assert {e["resource"]["resourceType"] for e in included["entry"]} == {"Observation", "Patient"}
    assert len(patients.revinclude("Observation", "subject").search(_id=patient.id).fetch_raw()["entry"]) == 3
    passed("fhirpy finds by reference, quantity and chain, and includes")

    patient["active"] = True
    patient.save()
    assert patient["meta"]["versionId"] == "2" and client.reference("Patient", patient.id).to_resource()["active"] is True
    passed("fhirpy updates")

    def created_once(number):
        conditional = SyncFHIRClient(
            base, authorization=f"Bearer {TOKEN}", extra_headers={"If-None-Exist": f"identifier={system}|{number}"})
        made = conditional.resource("Patient", identifier=[{"system": system, "value": number}])
        made.save()
        return made

    assert created_once("1").id == patient.id
    other = created_once("2")
    assert other.id != patient.id and created_once("2").id == other.id
    other["active"] = False
    updated, is_new = patients.search(identifier=f"{system}|2").update(other)
    assert not is_new and updated["active"] is False
    try:
        patients.search(gender="male").update(client.resource("Patient", gender="male"))
        raise AssertionError("several matches")
    except MultipleResourcesFound:
        pass
    passed("fhirpy creates and updates conditionally")

    urn = f"urn:uuid:{uuid.uuid4()}"
    bundle = client.resource("Bundle", type="transaction", entry=[
        {"fullUrl": urn, "resource": {"resourceType": "Patient", "name": [{"family": "Transacted"}]},
         "request": {"method": "POST", "url": "Patient"}},
        {"resource": {"resourceType": "Condition", "subject": {"reference": urn}, "code": {"text": "Hay fever"}},
         "request": {"method": "POST", "url": "Condition"}}])
    bundle.save()
    condition = client.resources("Condition").search(subject__Patient__name="transacted").get()
    assert condition["subject"]["reference"].startswith("Patient/")
    bad = client.resource("Bundle", type="transaction", entry=[
        {"resource": {"resourceType": "Patient", "name": [{"family": "Half"}]}, "request": {"method": "POST", "url": "Patient"}},
        {"request": {"method": "GET", "url": "Patient/nobody"}}])
    try:
        bad.save()
        raise AssertionError("a transaction with a bad entry")
    except (OperationOutcome, ResourceNotFound):
        pass
    assert patients.search(name="half").count() == 0
    passed("fhirpy transacts, all or nothing")

    weights[0].delete()
    try:
        client.reference("Observation", weights[0].id).to_resource()
        raise AssertionError("a deleted resource")
    except (OperationOutcome, ResourceNotFound):
        pass
    assert observations.search(patient=patient.id).count() == 1
    passed("fhirpy deletes")


def with_fhirclient(base):
    import fhirclient.models.bundle as bundles
    import fhirclient.models.humanname as names
    import fhirclient.models.observation as observations
    import fhirclient.models.patient as patients
    from fhirclient import client
    from fhirclient.server import FHIRNotFoundException

    smart = client.FHIRClient(settings={"app_id": "test", "api_base": base})
    smart.server.session.headers["Authorization"] = f"Bearer {TOKEN}"
    statement = smart.server.capabilityStatement
    assert statement.fhirVersion == "4.0.1" and statement.rest[0].mode == "server"
    passed("fhirclient reads the CapabilityStatement into its classes")

    patient = patients.Patient({"name": [{"family": "Client", "given": ["Smart"]}], "birthDate": "1970-12-01"})
    created = patient.create(smart.server)
    patient = patients.Patient.read(created["id"], smart.server)
    assert patient.name[0].family == "Client" and patient.birthDate.isostring == "1970-12-01"
    patient.name.append(names.HumanName({"family": "Second"}))
    patient.update(smart.server)
    assert len(patients.Patient.read(patient.id, smart.server).name) == 2
    passed("fhirclient creates, reads and updates")

    found = patients.Patient.where({"family": "second", "birthdate": "1970"}).perform_resources(smart.server)
    assert [p.id for p in found] == [patient.id]
    raw = smart.server.request_json(f"Patient/{patient.id}/$everything")
    assert bundles.Bundle(raw).entry[0].resource.id == patient.id
    passed("fhirclient searches, and reads $everything")

    observation = observations.Observation({"status": "final", "code": {"text": "x"}, "subject": {"reference": f"Patient/{patient.id}"}})
    made = observation.create(smart.server)
    observation = observations.Observation.read(made["id"], smart.server)
    observation.delete()
    try:
        observations.Observation.read(made["id"], smart.server)
        raise AssertionError("a deleted resource")
    except Exception as error:
        assert "410" in repr(error) or "Gone" in repr(error) or isinstance(error, FHIRNotFoundException), repr(error)
    passed("fhirclient deletes")


def main():
    server = Server([*sys.argv[1:], "fhir", "serve", "--port", "0", "--json"])
    try:
        try:
            urllib.request.urlopen(server.base + "/Patient")
            raise AssertionError("no token")
        except urllib.error.HTTPError as error:
            assert error.code == 401, error.code
        passed("without the token there is nothing")
        with_fhirpy(server.base)
        with_fhirclient(server.base)
    finally:
        status = server.stop()
    assert status == 0, f"the server ended with {status}"
    print("All passed.")


main()
