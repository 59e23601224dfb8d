import FHIR
import FHIRValidation
import Foundation
import IndivoFHIR
import IndivoModel
import OrderedJSON
import Surveys
import Testing

/// A class that is written by hand.
private final class SleepNight: IndivoDocument {
    enum Quality: String, CaseIterable, LexicalValue, AnswerValue { case good, bad }

    @Field var started: XMLDateTime?
    @Field var woke: XMLTime?
    @Field var quality: Quality?
    @Field var minutes: Int?
    @Field var mood: String?
    @Field var isRested: Bool?
}

struct DocumentTableTests {
    private static func response(_ items: String) throws -> QuestionnaireResponse {
        try QuestionnaireResponse(
            parsing: #"{"resourceType": "QuestionnaireResponse", "status": "completed", "item": [\#(items)]}"#
        )
    }

    @Test("a generated class gets codings, dates, quantities and related documents")
    func generated() throws {
        let response = try Self.response(
            """
            {"linkId": "g", "item": [
              {"linkId": "drug", "answer": [{"valueCoding": {"system": \
            "http://www.nlm.nih.gov/research/umls/rxnorm", "code": "316153", "display": "Vitamin C"}}]},
              {"linkId": "since", "answer": [{"valueDate": "2026-11-21"}]},
              {"linkId": "dose", "answer": [{"valueQuantity": {"value": 1.50, "unit": "tablets", "system": \
            "http://unitsofmeasure.org", "code": "{tablet}"},
                "item": [{"linkId": "how", "answer": [{"valueString": "with water"}]}]}]}]},
            {"linkId": "refill", "item": [{"linkId": "when", "answer": [{"valueDate": "2026-10-01"}]}]},
            {"linkId": "refill", "item": [{"linkId": "when", "answer": [{"valueDate": "2026-11-01"}]}]}
            """
        )
        let table = DocumentTable<IndivoModel.Medication>(
            .field("drug", \.drugName),
            .field("since", \.startDate),
            .field("dose", \.quantity),
            .field("how", \.instructions),
            .group("refill", \.fulfillments, DocumentTable<Fill>(.field("when", \.date)))
        )
        let (medication, problems) = table.document(from: response)
        #expect(problems.isEmpty)
        #expect(medication.drugName == CodedValue(title: "Vitamin C", system: .rxNorm, identifier: "316153"))
        #expect(medication.startDate == "2026-11-21")
        #expect(medication.quantity == ValueAndUnit("1.50", "{tablet}"))
        #expect(medication.instructions == "with water")
        #expect(medication.fulfillments.map(\.date) == ["2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"])
        #expect(medication.endDate == nil)
        // It can be sent: it is read back as it was written.
        #expect(try medication.copy() == medication)
    }

    @Test("parts of a compound value are set one by one")
    func compound() throws {
        let pressure = #"{"value": 120, "system": "http://unitsofmeasure.org", "code": "mm[Hg]"}"#
        let response = try Self.response(
            #"""
            {"linkId": "sys", "answer": [{"valueQuantity": \#(pressure)}]}, {"linkId": "dia", "answer": \#
            [{"valueInteger": 80}]}
            """#
        )
        let table = DocumentTable<VitalSigns>(
            .field("sys", \.bp, \.systolic),
            .field("dia", \.bp, \.diastolic)
        )
        let (vitals, problems) = table.document(from: response)
        #expect(problems.isEmpty)
        #expect(vitals.bp?.systolic == VitalSign(120, "mm[Hg]") && vitals.bp?.diastolic == VitalSign(80, nil))
    }

    @Test("a class written by hand is filled, with types of its own")
    func handWritten() throws {
        let questionnaire = Questionnaire(view: [
            "resourceType": "Questionnaire", "status": "draft",
            "item": [
                ["linkId": "start", "type": "dateTime"], ["linkId": "end", "type": "time"],
                ["linkId": "min", "type": "integer"],
                ["linkId": "how", "type": "choice", "answerOption": [["valueCoding": ["code": "good"]]]],
                ["linkId": "rested", "type": "boolean"],
                ["linkId": "feeling", "type": "group", "item": [["linkId": "mood", "type": "open-choice"]]],
            ],
        ])
        var session = SurveySession(Survey(questionnaire))
        let answers: JSONValue = [
            "start": "2026-11-21T23:10:00+01:00", "end": "07:05:00", "min": 470, "how": "good",
            "rested": true, "mood": "fine",
        ]
        #expect(session.fill(with: answers).isEmpty)
        let table = DocumentTable<SleepNight>(
            .field("start", \.started),
            .field("end", \.woke),
            .field("min", \.minutes),
            .field("how", \.quality),
            .field("rested", \.isRested),
            .field("mood", \.mood)
        )
        #expect(table.unknownLinkIds(in: questionnaire).isEmpty)
        let (night, problems) = table.document(from: session.response())
        #expect(problems.isEmpty, "\(problems)")
        #expect(
            night.started == "2026-11-21T23:10:00+01:00" && night.minutes == 470 && night.quality == .good
        )
        #expect(night.woke == XMLTime(hour: 7, minute: 5) && night.isRested == true && night.mood == "fine")
        #expect(try night.copy() == night)
    }

    @Test(
        "what a field cannot hold whole is reported and left out",
        arguments: [
            (#""valueDate": "2026-11""#, "start", "Date"),
            (#""valueQuantity": {"value": 5, "unit": "h"}"#, "min", "Quantity"),
            (#""valueDecimal": 5.5"#, "min", "Decimal"), (#""valueString": "12 apples""#, "min", "String"),
            (#""valueCoding": {"code": "great"}"#, "how", "Coding"),
            (#""valueString": "true""#, "rested", "String"),
            (#""valueAttachment": {"title": "x"}"#, "mood", "Attachment"),
            (#""valueNothing": 1"#, "mood", "nothing"),
        ]
    )
    func mismatches(value: String, linkId: String, type: String) throws {
        let table = DocumentTable<SleepNight>(
            .field("start", \.started),
            .field("min", \.minutes),
            .field("how", \.quality),
            .field("rested", \.isRested),
            .field("mood", \.mood)
        )
        let night = SleepNight()
        night.mood = "kept"
        let problems = table.fill(
            night,
            from: try Self.response(#"{"linkId": "\#(linkId)", "answer": [{\#(value)}]}"#)
        )
        #expect(problems.map(\.linkId) == [linkId])
        #expect(
            problems.first?.description.hasPrefix(
                "\(linkId): an answer of the type \(type) does not fit the type "
            ) == true
        )
        #expect(
            night.started == nil && night.minutes == nil && night.quality == nil && night.isRested == nil
                && night.mood == "kept"
        )
    }

    @Test("several answers do not go to a field with one value")
    func several() throws {
        let table = DocumentTable<SleepNight>(.field("min", \.minutes))
        let response = try Self.response(
            #"{"linkId": "min", "answer": [{"valueInteger": 1}, {"valueInteger": 2}]}"#
        )
        let (night, problems) = table.document(from: response)
        #expect(problems.map(\.reason) == [.severalValues(2)] && night.minutes == nil)
        #expect(
            table.unknownLinkIds(in: Questionnaire(view: ["resourceType": "Questionnaire"])) == ["min"]
        )
    }

    @Test("an answer with a time in another zone becomes one that a server takes")
    func timesInOtherZones() throws {
        let table = DocumentTable<VitalSigns>(.field("at", \.date))
        let (signs, problems) = table.document(
            from: try Self.response(
                #"{"linkId": "at", "answer": [{"valueDateTime": "2026-11-21T08:30:00+02:00"}]}"#
            )
        )
        #expect(try problems.isEmpty && signs.problems().isEmpty)
        #expect(signs.date?.hour == 8 && signs.date?.offset == 120, "as it was answered")
        #expect(try signs.xml().xml().contains(">2026-11-21T06:30:00Z<"))
        let long = #"{"linkId": "at", "answer": [{"valueDateTime": "1899-11-21T08:30:00+02:00"}]}"#
        #expect(try table.document(from: Self.response(long)).document.problems().map(\.property) == ["date"])
    }

    @Test("a decimal that is no number is found in a resource before it is sent")
    func noNumber() {
        var quantity = Quantity()
        quantity.value = FHIRDecimal(Decimal.nan)
        quantity.unit = "kg"
        var observation = Observation(view: [
            "resourceType": "Observation", "status": "final", "code": ["text": "weight"],
        ])
        #expect(!observation.issues().contains { $0.severity == .error })
        observation.value = .quantity(quantity)
        #expect(observation.issues().contains { $0.severity == .error && "\($0)".contains("value") })
        #expect(FHIRDecimal(Double.nan) == nil && FHIRDecimal(Double.infinity) == nil)
        #expect(VitalSign(answer: .quantity(quantity)) == nil)
    }
}
