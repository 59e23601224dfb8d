import FHIR
import Foundation
import Indivo
import Testing

@testable import IndivoFHIR

/// One fact, and what becomes of it.
struct MappingCase: CustomTestStringConvertible {
    var testDescription: String
    var content: FileContent
    /// Values by path.
    var values: [String: String]
    /// The fields in the report, with the reasons.
    var unmapped: [String] = []

    init(
        _ name: String,
        _ model: String,
        _ fields: KeyValuePairs<String, String>,
        xml: String = "",
        _ values: [String: String],
        unmapped: [String] = []
    ) {
        testDescription = name
        content = TestDocument.sdmx(model, TestDocument.fields(fields) + xml)
        self.values = values
        self.unmapped = unmapped
    }

    init(_ name: String, nested xml: String, _ values: [String: String], unmapped: [String] = []) {
        testDescription = name
        content = TestDocument.file(xml)
        self.values = values
        self.unmapped = unmapped
    }
}

private let snomed = "http://purl.bioontology.org/ontology/SNOMEDCT/"
private let smart = "http://smartplatforms.org/terms/codes/"

@Suite("Facts as resources")
struct MappingTests {
    static let cases: [MappingCase] = [
        MappingCase(
            "a problem with an end is resolved",
            "Problem",
            [
                "name_title": "Asthma", "name_system": snomed, "name_identifier": "195967001",
                "startDate": "2012-03-01T10:00:00Z", "endDate": "2013", "notes": "mild",
            ],
            [
                "Condition.code.text": "Asthma", "Condition.code.coding.0.system": "http://snomed.info/sct",
                "Condition.code.coding.0.code": "195967001",
                "Condition.onsetDateTime": "2012-03-01T10:00:00Z",
                "Condition.abatementDateTime": "2013", "Condition.clinicalStatus.coding.0.code": "resolved",
                "Condition.note.0.text": "mild", "Condition.id": "d1", "Condition.identifier.0.value": "d1",
            ]
        ),
        MappingCase(
            "a problem without a name, with a date in words",
            "Problem",
            ["startDate": "last year"],
            [
                "Condition.code.coding.0.code": "unknown", "Condition.clinicalStatus.coding.0.code": "active",
                "Condition.onsetString": "last year",
            ]
        ),
        MappingCase(
            "a date that is none is reported where FHIR takes no words",
            "LabResult",
            ["collected_at": "last year"],
            ["Observation.dataAbsentReason.coding.0.code": "unknown"],
            unmapped: ["collected_at unreadable"]
        ),
        MappingCase(
            "older names are read; a title that differs from the code's own is kept beside it",
            "Problem",
            [
                "name_title": "Sugar", "name_code_title": "Diabetes mellitus",
                "name_code_identifier": "73211009",
            ],
            ["Condition.code.text": "Sugar", "Condition.code.coding.0.display": "Diabetes mellitus"]
        ),
        MappingCase(
            "a time without a zone becomes its day, and is reported",
            "Problem",
            ["name_title": "x", "startDate": "2012-03-01T10:00:00"],
            ["Condition.onsetDateTime": "2012-03-01"],
            unmapped: ["startDate inexact"]
        ),
        MappingCase(
            "fields of others, and the earlier of two, are reported",
            "Problem",
            ["name_title": "x", "mood": "blue", "notes": "first"],
            xml: "<Field name=\"notes\">second</Field>",
            ["Condition.note.0.text": "second"],
            unmapped: ["mood no-element", "notes repeated"]
        ),
        MappingCase(
            "systems that nobody knows keep their names",
            "Problem",
            ["name_title": "x", "name_system": "our codes", "name_identifier": "7"],
            ["Condition.code.coding.0.system": "http://indivo.org/vocab/fhir/code-system/our%20codes"]
        ),
        MappingCase(
            "an object identifier is a URN",
            "Problem",
            ["name_title": "x", "name_system": "2.16.840.1.113883.6.103", "name_identifier": "7"],
            ["Condition.code.coding.0.system": "urn:oid:2.16.840.1.113883.6.103"]
        ),
        MappingCase(
            "a medication with dosage and fills",
            "Medication",
            [
                "drugName_title": "Aspirin 500 MG",
                "drugName_system": "http://purl.bioontology.org/ontology/RXNORM/",
                "drugName_identifier": "198466", "startDate": "2012-03-01", "frequency_value": "2",
                "frequency_unit": "/d",
                "quantity_value": "1", "quantity_unit": "{tablet}", "instructions": "with water",
                "provenance_identifier": "prescription", "provenance_title": "Prescribed",
            ],
            xml: """
                <Field name="fulfillments"><Models><Model name="Fill"><Field name="date">2012-03-02</Field>\
                <Field name="dispenseDaysSupply">30.0</Field><Field name="pbm">T1</Field>\
                <Field name="pharmacy_org">Corner</Field><Field name="pharmacy_ncpdpid">52</Field>\
                <Field name="provider_name_family">Okonjo</Field><Field name="provider_tel_1_type">w</Field>\
                <Field name="provider_tel_1_number">555</Field></Model></Models></Field>
                """,
            [
                "MedicationStatement.status": "active",
                "MedicationStatement.medicationCodeableConcept.coding.0.system":
                    "http://www.nlm.nih.gov/research/umls/rxnorm",
                "MedicationStatement.effectivePeriod.start": "2012-03-01",
                "MedicationStatement.dosage.0.timing.repeat.frequency": "2",
                "MedicationStatement.dosage.0.timing.repeat.periodUnit": "d",
                "MedicationStatement.dosage.0.doseAndRate.0.doseQuantity.code": "{tablet}",
                "MedicationStatement.dosage.0.text": "with water",
                "MedicationStatement.extension.0.valueCodeableConcept.text": "Prescribed",
                "MedicationDispense.identifier.0.value": "d1.fill.1",
                "MedicationDispense.medicationCodeableConcept.text": "Aspirin 500 MG",
                "MedicationDispense.daysSupply.value": "30.0",
                "MedicationDispense.whenHandedOver": "2012-03-02",
                "MedicationDispense.contained.0.name": "Corner",
                "MedicationDispense.contained.1.name.0.family": "Okonjo",
                "MedicationDispense.contained.1.telecom.0.use": "work",
                "MedicationDispense.contained.2.requester.reference": "#prescriber",
                "MedicationDispense.contained.2.insurance.0.display": "T1",
                "MedicationDispense.contained.2.medicationCodeableConcept.text": "Aspirin 500 MG",
            ]
        ),
        MappingCase(
            "a frequency in words, and a unit of nothing",
            "Medication",
            [
                "drugName_title": "x", "endDate": "2012-04-01", "frequency_value": "as needed",
                "quantity_unit": "mL",
            ],
            [
                "MedicationStatement.dosage.0.timing.code.text": "as needed",
                "MedicationStatement.status": "completed",
            ],
            unmapped: ["quantity_unit no-fact"]
        ),
        MappingCase(
            "an allergy to a drug",
            "Allergy",
            [
                "category_title": "Drug allergy", "category_system": snomed,
                "category_identifier": "416098002",
                "drug_allergen_title": "Penicillin G", "drug_class_allergen_title": "Penicillins",
                "allergic_reaction_title": "Urticaria", "severity_title": "Fatal",
                "severity_identifier": "399166001",
            ],
            [
                "AllergyIntolerance.type": "allergy", "AllergyIntolerance.category.0": "medication",
                "AllergyIntolerance._category.0.extension.0.valueCodeableConcept.text": "Drug allergy",
                "AllergyIntolerance.code.text": "Penicillin G; Penicillins",
                "AllergyIntolerance.reaction.0.manifestation.0.text": "Urticaria",
                "AllergyIntolerance.reaction.0.severity": "severe", "AllergyIntolerance.criticality": "high",
                "AllergyIntolerance.reaction.0._severity.extension.0.valueCodeableConcept.text": "Fatal",
                "AllergyIntolerance.clinicalStatus.coding.0.code": "active",
            ]
        ),
        MappingCase(
            "a category that FHIR does not have is kept as it is",
            "Allergy",
            ["category_title": "Odd"],
            [
                "AllergyIntolerance.extension.0.valueCodeableConcept.text": "Odd",
                "AllergyIntolerance.code.coding.0.code": "unknown",
            ]
        ),
        MappingCase(
            "no known allergies",
            "AllergyExclusion",
            ["name_title": "no known allergies", "name_identifier": "160244002"],
            ["AllergyIntolerance.code.coding.0.code": "160244002"]
        ),
        MappingCase(
            "a vaccination that was refused",
            "Immunization",
            [
                "date": "2012-01-02", "administration_status_identifier": "notAdministered",
                "administration_status_title": "Not administered", "product_name_title": "MMR",
                "product_name_system": "http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=cvx#",
                "product_name_identifier": "03", "product_class_title": "MEASLES",
                "refusal_reason_identifier": "allergy",
            ],
            [
                "Immunization.status": "not-done",
                "Immunization.vaccineCode.coding.0.system": "http://hl7.org/fhir/sid/cvx",
                "Immunization.vaccineCode.coding.1.display": "MEASLES",
                "Immunization.occurrenceDateTime": "2012-01-02",
                "Immunization.statusReason.coding.0.code": "allergy",
                "Immunization._status.extension.0.valueCodeableConcept.text": "Not administered",
            ]
        ),
        MappingCase(
            "a vaccination of an unknown day, in part",
            "Immunization",
            ["product_name_title": "MMR", "administration_status_identifier": "partialDose"],
            [
                "Immunization.status": "completed", "Immunization.isSubpotent": "true",
                "Immunization.occurrenceString": "unknown",
            ]
        ),
        MappingCase(
            "a laboratory's number with ranges, interpretation and specimen",
            "LabResult",
            [
                "test_name_title": "TSH", "test_name_system": "http://purl.bioontology.org/ontology/LNC/",
                "test_name_identifier": "11580-8", "status_identifier": "correction",
                "collected_at": "2012-05-04",
                "quantitative_result_value_value": "1.10", "quantitative_result_value_unit": "mcU/mL",
                "quantitative_result_normal_range_min_value": "0.4",
                "quantitative_result_normal_range_min_unit": "mcU/mL",
                "quantitative_result_normal_range_max_value": "about 4",
                "quantitative_result_non_critical_range_max_value": "50",
                "abnormal_interpretation_identifier": "critical", "accession_number": "A1", "notes": "n",
                "narrative_result": "fine", "collected_by_org_name": "Lab",
                "collected_by_name_family": "Okonjo",
                "collected_by_role": "nurse",
            ],
            [
                "Observation.code.coding.0.system": "http://loinc.org", "Observation.status": "corrected",
                "Observation.effectiveDateTime": "2012-05-04", "Observation.valueQuantity.value": "1.10",
                "Observation.valueQuantity.unit": "mcU/mL", "Observation.valueQuantity.code": "u[IU]/mL",
                "Observation.referenceRange.0.low.value": "0.4",
                "Observation.referenceRange.0.text": "to about 4",
                "Observation.referenceRange.0.type.coding.0.code": "normal",
                "Observation.referenceRange.1.type.text": "non-critical",
                "Observation.interpretation.0.coding.0.code": "AA",
                "Observation.interpretation.0.coding.1.code": "critical",
                "Observation.note.0.text": "fine", "Observation.note.1.text": "n",
                "Observation.contained.2.code.0.text": "nurse",
                "Observation.contained.3.accessionIdentifier.value": "A1",
                "Observation.contained.3.collection.collector.reference": "#collector",
                "Observation.specimen.reference": "#specimen",
            ]
        ),
        MappingCase(
            "a number with a comparator",
            "LabResult",
            [
                "test_name_title": "CRP", "quantitative_result_value_value": "&lt;= 5",
                "quantitative_result_value_unit": "odd/U",
            ],
            [
                "Observation.valueQuantity.comparator": "<=", "Observation.valueQuantity.value": "5",
                "Observation.valueQuantity.unit": "odd/U", "Observation.status": "unknown",
            ]
        ),
        MappingCase(
            "a result in words",
            "LabResult",
            ["test_name_title": "Ketones", "narrative_result": "Negative"],
            ["Observation.valueString": "Negative", "Observation.category.0.coding.0.code": "laboratory"]
        ),
        MappingCase(
            "a blood pressure is a panel",
            "VitalSigns",
            [
                "date": "2012-05-04T09:00:00Z", "bp_systolic_value": "120.0", "bp_systolic_unit": "mm[Hg]",
                "bp_diastolic_value": "80", "bp_diastolic_unit": "mm[Hg]", "bp_position_title": "Sitting",
                "bp_site_title": "Left arm", "bp_method_title": "Machine",
            ],
            [
                "Observation.code.coding.0.code": "85354-9",
                "Observation.component.0.valueQuantity.value": "120.0",
                "Observation.component.0.code.coding.0.code": "8480-6",
                "Observation.component.1.code.coding.0.code": "8462-4",
                "Observation.component.2.valueCodeableConcept.text": "Sitting",
                "Observation.bodySite.text": "Left arm", "Observation.method.text": "Machine",
                "Observation.identifier.0.value": "d1.bp",
                "Observation.effectiveDateTime": "2012-05-04T09:00:00Z",
            ]
        ),
        MappingCase(
            "a sign with its encounter",
            "VitalSigns",
            ["date": "2012-05-04", "weight_value": "74.80", "weight_unit": "kg"],
            xml: """
                <Field name="encounter"><Model name="Encounter"><Field name="startDate">2012-05-04</Field>\
                <Field name="endDate">2012-05-04</Field><Field name="type_code_identifier">ambulatory</Field>\
                <Field name="facility_name">Clinic</Field><Field \
                name="provider_name_family">Okonjo</Field></Model></Field>
                """,
            [
                "Observation.valueQuantity.value": "74.80", "Observation.code.coding.0.code": "3141-9",
                "Observation.code.coding.1.code": "29463-7",
                "Observation.meta.profile.0": "http://hl7.org/fhir/StructureDefinition/bodyweight",
                "Encounter.class.code": "AMB", "Encounter.status": "finished",
                "Encounter.contained.0.name": "Clinic",
                "Encounter.participant.0.individual.reference": "#provider",
                "Encounter.period.start": "2012-05-04",
            ]
        ),
        MappingCase(
            "a sign in the unit that its profile asks for",
            "VitalSigns",
            ["date": "2012-05-04", "height_value": "1.805", "height_unit": "m"],
            [
                "Observation.valueQuantity.value": "180.5", "Observation.valueQuantity.code": "cm",
                "Observation.valueQuantity.unit": "cm",
                "Observation.valueQuantity.extension.0.valueQuantity.value": "1.805",
                "Observation.valueQuantity.extension.0.valueQuantity.code": "m",
                "Observation.meta.profile.0": "http://hl7.org/fhir/StructureDefinition/bodyheight",
            ]
        ),
        MappingCase(
            "a sign whose unit has another name keeps its digits",
            "VitalSigns",
            ["date": "2012-05-04", "heart_rate_value": "70.0", "heart_rate_unit": "{beats}/min"],
            [
                "Observation.valueQuantity.value": "70.0", "Observation.valueQuantity.code": "/min",
                "Observation.valueQuantity.unit": "{beats}/min",
                "Observation.meta.profile.0": "http://hl7.org/fhir/StructureDefinition/heartrate",
            ]
        ),
        MappingCase(
            "a saturation has the profile's code beside the record's, and %",
            "VitalSigns",
            [
                "date": "2012-05-04", "oxygen_saturation_value": "97",
                "oxygen_saturation_unit": "%{HemoglobinSaturation}",
            ],
            [
                "Observation.code.coding.0.code": "2710-2", "Observation.code.coding.1.code": "2708-6",
                "Observation.valueQuantity.value": "97", "Observation.valueQuantity.code": "%",
                "Observation.meta.profile.0": "http://hl7.org/fhir/StructureDefinition/oxygensat",
            ]
        ),
        MappingCase(
            "a sign in a unit of something else keeps it",
            "VitalSigns",
            ["date": "2012-05-04", "height_value": "70", "height_unit": "kg"],
            ["Observation.valueQuantity.code": "kg", "Observation.code.coding.0.code": "8302-2"]
        ),
        MappingCase(
            "vital signs of nothing are reported",
            "VitalSigns",
            ["date": "2012-05-04", "bmi_unit": "kg/m2"],
            [:],
            unmapped: ["date no-fact", "bmi_unit no-fact"]
        ),
        MappingCase(
            "a measurement",
            "Measurement",
            ["type": "STEPS", "value": "+05.50", "unit": "steps", "datetime": "2012-05-04T00:00:00Z"],
            [
                "Observation.code.text": "STEPS", "Observation.valueQuantity.value": "5.50",
                "Observation.valueQuantity.code": "{steps}",
            ]
        ),
        MappingCase(
            "a procedure",
            "Procedure",
            [
                "name": "Appendectomy", "name_type": "http://codes.example.org/p#", "name_value": "85",
                "name_abbrev": "app",
                "date_performed": "2011-05-16T12:00:00Z", "provider_name": "Dr. Who",
                "provider_institution": "City",
                "location": "Room 1", "comments": "c",
            ],
            [
                "Procedure.status": "completed",
                "Procedure.code.coding.0.system": "http://codes.example.org/p#",
                "Procedure.code.coding.1.display": "app", "Procedure.performer.0.actor.display": "Dr. Who",
                "Procedure.performer.0.onBehalfOf.display": "City", "Procedure.location.display": "Room 1",
                "Procedure.note.0.text": "c", "Procedure.performedDateTime": "2011-05-16T12:00:00Z",
            ]
        ),
        MappingCase(
            "a procedure in nested XML",
            nested: """
                <Procedure \
                xmlns="http://indivo.org/vocab/xml/documents#">\
                <datePerformed>2011-05-16T12:00:00Z</datePerformed>\
                <name type="http://codes.example.org/p#" value="85" abbrev="app">Appendectomy</name>\
                <provider><name>Dr. \
                Who</name><institution>City</institution></provider><odd>1</odd></Procedure>
                """,
            [
                "Procedure.code.text": "Appendectomy", "Procedure.code.coding.0.code": "85",
                "Procedure.performer.0.actor.display": "Dr. Who",
                "Procedure.performedDateTime": "2011-05-16T12:00:00Z",
            ],
            unmapped: ["odd no-element"]
        ),
        MappingCase(
            "equipment in nested XML",
            nested: """
                <Equipment \
                xmlns="http://indivo.org/vocab/xml/documents#"><dateStarted>2011-02-05</dateStarted>\
                <dateStopped>2012-02-05</dateStopped><type>cardiac</type><name>Pacemaker</name>\
                <vendor>Acme</vendor>\
                <id>S1</id><description>left</description><specification>ISO</specification>\
                <certification>CE</certification></Equipment>
                """,
            [
                "Device.deviceName.0.name": "Pacemaker", "Device.type.text": "cardiac",
                "Device.manufacturer": "Acme",
                "Device.serialNumber": "S1", "Device.note.0.text": "left",
                "Device.specialization.0.systemType.text": "ISO", "Device.safety.0.text": "CE",
                "DeviceUseStatement.status": "completed",
                "DeviceUseStatement.timingPeriod.start": "2011-02-05",
            ]
        ),
        MappingCase(
            "a note in nested XML, with two signatures",
            nested: """
                <SimpleClinicalNote xmlns="http://indivo.org/vocab/xml/documents#">\
                <dateOfVisit>2012-02-02T12:00:00Z</dateOfVisit>\
                <finalizedAt>2012-02-03T13:12:00Z</finalizedAt>\
                <visitType type="http://codes.example.org/v#" value="acute" abbrev="a">Acute</visitType>\
                <visitLocation>Room 2</visitLocation><specialty value="hem">Hematology</specialty>\
                <signature><at>2012-02-03T13:12:00Z</at><provider><name>Who</name>\
                <institution>City</institution></provider>\
                </signature><signature><at>2012-02-04T13:12:00Z</at><provider><name>Dr. \
                No</name></provider></signature>\
                <chiefComplaint>cough</chiefComplaint><content>Füße</content></SimpleClinicalNote>
                """,
            [
                "DocumentReference.date": "2012-02-03T13:12:00Z",
                "DocumentReference.authenticator.display": "Who",
                "DocumentReference.author.2.display": "Dr. No", "DocumentReference.docStatus": "final",
                "DocumentReference.contained.0.period.start": "2012-02-02T12:00:00Z",
                "DocumentReference.contained.0.type.0.coding.0.code": "acute",
                "DocumentReference.contained.0.reasonCode.0.text": "cough",
                "DocumentReference.contained.0.location.0.location.display": "Room 2",
                "DocumentReference.context.practiceSetting.coding.0.code": "hem",
                "DocumentReference.content.0.attachment.data": Data("Füße".utf8).base64EncodedString(),
                "DocumentReference.content.0.attachment.creation": "2012-02-03T13:12:00Z",
            ],
            unmapped: ["signature[1].at no-element"]
        ),
        MappingCase(
            "a note in SDMX",
            "SimpleClinicalNote",
            [
                "date_of_visit": "2012-02-02", "signed_at": "2012-02-03", "provider_institution": "City",
                "content": "x",
            ],
            [
                "DocumentReference.author.0.display": "City",
                "DocumentReference.type.coding.0.code": "34109-9",
                "DocumentReference.content.0.attachment.creation": "2012-02-03",
            ]
        ),
    ]

    @Test("a fact becomes resources, and what has no element is reported", arguments: cases)
    func mapped(_ testCase: MappingCase) {
        let export = TestDocument.export(testCase.content)
        for (path, value) in testCase.values {
            #expect(TestDocument.value(path, in: export) == value, "\(path)")
        }
        #expect(export.unmapped.map { "\($0.field) \($0.reason.rawValue)" } == testCase.unmapped)
        #expect(export.unmapped.allSatisfy { $0.document == "d1" })
    }

    @Test("who the patient is, in nested XML and as servers give it in a model")
    func demographics() {
        let nested = TestDocument.file(
            """
            <Demographics \
            xmlns="http://indivo.org/vocab/xml/documents#"><dateOfBirth>1979-04-02</dateOfBirth>\
            <gender>female</gender><email>a@example.org</email><ethnicity>Basque</ethnicity>\
            <preferredLanguage>ES</preferredLanguage><race>white</race><Name><familyName>Lopez</familyName>\
            <givenName>Ana</givenName><middleName>M</middleName><prefix>Dr</prefix><suffix>Jr</suffix></Name>\
            <Telephone><type>h</type><number>555</number><preferred>true</preferred></Telephone>\
            <Telephone><type>c</type><number/></Telephone><Address><country>USA</country><city>Boston</city>\
            <postalCode>02115</postalCode><region>MA</region><street>1 Long \
            St</street></Address></Demographics>
            """
        )
        let flat = TestDocument.sdmx(
            "Demographics",
            TestDocument.fields([
                "bday": "1979-04-02", "gender": "female", "email": "a@example.org", "ethnicity": "Basque",
                "race": "white",
                "preferred_language": "ES", "name_family": "Lopez", "name_given": "Ana", "name_middle": "M",
                "name_prefix": "Dr", "name_suffix": "Jr", "tel_1_type": "h", "tel_1_number": "555",
                "tel_1_preferred_p": "True", "tel_2_type": "c", "adr_country": "USA", "adr_city": "Boston",
                "adr_postalcode": "02115", "adr_region": "MA", "adr_street": "1 Long St",
            ])
        )
        var patients: [AnyResource?] = []
        for content in [nested, flat] {
            let export = RecordContent(
                id: "r1",
                demographics: "demo",
                documents: [.init(id: "demo", content: content)]
            ).fhirBundle()
            #expect(export.unmapped.isEmpty)
            patients.append(export.bundle.entry.first?.resource)
            for (path, value) in [
                "Patient.id": "r1", "Patient.identifier.0.system": "http://indivo.org/vocab/fhir/record",
                "Patient.birthDate": "1979-04-02", "Patient.gender": "female",
                "Patient.name.0.family": "Lopez",
                "Patient.name.0.given.1": "M", "Patient.telecom.0.value": "a@example.org",
                "Patient.telecom.1.rank": "1",
                "Patient.telecom.2.use": "mobile",
                "Patient.telecom.2._value.extension.0.valueCode": "unknown",
                "Patient.communication.0.language.coding.0.code": "es",
                "Patient.communication.0.language.text": "ES",
                "Patient.extension.1.extension.0.valueString": "Basque",
                "Patient.address.0.line.0": "1 Long St",
                "Patient.address.0.state": "MA", "Patient.address.0.postalCode": "02115",
            ] { #expect(TestDocument.value(path, in: export) == value, "\(path)") }
        }
        #expect(patients[0] == patients[1])
    }

    @Test("numbers keep their digits; what is no number of FHIR stays out")
    func numbers() {
        for (text, digits) in [
            "1.10": "1.10", "1e2": "1e2", "+5": "5", "007": "7", ".5": "0.5", "5.": "5", "-.5": "-0.5",
            " 4 ": "4",
            "-00.0": "-0.0",
        ] { #expect(NumberText(text).number?.description == digits, "\(text)") }
        for text in [
            "", "INF", "NaN", "1,5", "1e999", "0x1", "--1", ".", "1.2.3", "1 2", "e5",
            String(repeating: "9", count: 60),
        ] {
            #expect(NumberText(text).number == nil, "\(text)")
        }
    }

    @Test("dates keep their precision; what FHIR cannot say is known")
    func dates() {
        for (text, expected, isExact) in [
            ("2012", "2012", true), ("2012-05", "2012-05", true), ("2012-05-04Z", "2012-05-04", true),
            ("2012-05-04+02:00", "2012-05-04", false),
            ("2012-05-04T10:00:00.5+02:00", "2012-05-04T10:00:00.5+02:00", true),
            ("2012-05-04T10:00:00", "2012-05-04", false), (" 2012-05-04 ", "2012-05-04", true),
        ] {
            let found = DateText(text).dateTime
            #expect(found?.0.description == expected, "\(text)")
            #expect(found?.isExact == isExact, "\(text)")
        }
        for text in [
            "", "yesterday", "2012-13-01", "12-05-04", "2012-05-04T25:00:00Z", "-0044-03-15", "2012-02-30",
        ] {
            #expect(DateText(text).dateTime == nil, "\(text)")
        }
    }
}
