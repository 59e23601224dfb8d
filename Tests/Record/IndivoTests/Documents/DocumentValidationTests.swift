import Foundation
import HTTPTypes
import Indivo
import Synchronization
import Testing

@Suite("Validation before sending")
struct DocumentValidationTests {
    /// Stores everything as d-2; what is asked of the metadata is d-1.
    private let transport = AnsweringTransport { request, _ in
        let id = request.method == .get ? "d-1" : "d-2"
        let body = "<Document id=\"\(id)\" size=\"\" digest=\"\"><status>active</status></Document>"
        return HTTPAnswer(
            response: HTTPResponse(
                status: .ok,
                headerFields: [.contentType: "application/xml", .contentLength: "\(body.utf8.count)"]
            ),
            body: Data(body.utf8)
        )
    }

    /// Without a severity, and with a category outside the value set.
    private func allergy() -> Allergy {
        Allergy {
            $0.category = CodedValue(title: "Planted category", system: .snomed, identifier: "77777")
            $0.allergicReaction = CodedValue(title: "Hives", system: .snomed, identifier: "247472004")
        }
    }

    private func problems(_ call: () async throws -> Void) async throws -> [String] {
        let error = try await #require(throws: IndivoError.self) { try await call() }
        guard case .invalidDocument(let problems) = error.reason else { throw error }
        #expect(error.isSafeToRetry && error.attempts == 0)
        return problems.map { "\($0.model).\($0.property)" }
    }

    @Test("a new document that breaks rules is not sent, and all it breaks is named")
    func adding() async throws {
        let record = transport.record()
        let subject = FileDocument(id: "d-1", in: record)
        let expected = [
            "Allergy.category.identifier", "Allergy.severity.title", "Allergy.severity.system",
            "Allergy.severity.identifier",
        ]
        #expect(try await problems { try await record.add(allergy()) } == expected)
        #expect(try await problems { try await record.add(allergy(), externalID: .none) } == expected)
        #expect(try await problems { try await subject.addRelated(allergy(), as: .annotation) } == expected)
        let file = SDMXDocument([allergy(), Problem()])
        let all = try await problems { try await record.add(file) }
        #expect(all.starts(with: expected) && all.last == "Problem.startDate")
        #expect(transport.requests.isEmpty)
    }

    @Test("the description names paths and rules, and nothing that the document says")
    func description() async throws {
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record().add(allergy())
        }
        #expect(error.description.contains("Allergy.severity.identifier is required"))
        #expect(error.description.contains("Allergy.category.identifier is none of 414285001"))
        #expect(error.description.contains("validation: .none"))
        #expect(!error.description.contains("77777") && error.debugDetails.contains("77777"))
    }

    @Test("without validation the document is sent as it is")
    func none() async throws {
        let record = transport.record()
        let document = allergy()
        try await record.add(document, validation: .none)
        #expect(document.state == .pushed)
        try await record.add(SDMXDocument([allergy(), Problem()]), externalID: .none, validation: .none)
        #expect(transport.requests.map(\.method) == [.put, .post])
    }

    @Test("an attachment of a message is checked as a document that is added")
    func attachment() throws {
        let value = MeasuredValue()
        value.type = "STEPS"
        value.unit = "steps"
        value.dateTime = "2026-11-21T08:00:00Z"
        value.value = .nan
        var message = OutgoingMessage(subject: "s", body: "b")
        let error = try #require(throws: IndivoError.self) { try message.attach(value) }
        #expect(error.description.contains("Measurement.value is no finite number"))
        #expect(message.attachments.isEmpty)
        try message.attach(value, validation: .none)
        value.value = 1
        try message.attach(value)
        #expect(message.attachments.count == 2)
    }

    @Test("without validation a number that is not finite replaces the stored one, too")
    func replacingWithoutValidation() async throws {
        let stored = """
            <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Measurement">
            <Field name="type">STEPS</Field><Field name="value">7</Field><Field name="unit">steps</Field>
            <Field name="datetime">2026-01-01T00:00:00Z</Field></Model></Models>
            """
        let sent = Mutex<[Data]>([])
        let keeping = AnsweringTransport { [transport] request, body in
            if let body { sent.withLock { $0.append(body) } }
            return try transport.answer(request, body)
        }
        let file = FileDocument(id: "d-1", in: keeping.record())
        file.content = FileContent(text: stored, contentType: "application/xml")
        let value = try file.read(as: MeasuredValue.self)
        value.value = .nan
        await #expect(throws: IndivoError.self) { try await value.replace() }
        #expect(keeping.requests.isEmpty)
        try await value.replace(validation: .none)
        let body = try #require(sent.withLock { $0.last })
        #expect(String(decoding: body, as: UTF8.self).contains(">NaN<"))
    }

    @Test("mistakes that the version read has already may be sent back, new ones may not")
    func replacing() async throws {
        let stored = """
            <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Medication">
            <Field name="instructions">daily</Field><Field name="fulfillments"><Models><Model name="Fill">
            <Field name="date">2026-01-01T00:00:00Z</Field></Model></Models></Field></Model></Models>
            """
        let record = transport.record()
        let file = FileDocument(id: "d-1", in: record)
        file.content = FileContent(text: stored, contentType: "application/xml")
        let medication = try file.read(as: Medication.self)
        medication.fulfillments.insert(
            Fill {
                $0.date = "2026-02-01T00:00:00Z"
                $0.dispenseDaysSupply = 3
            },
            at: 0
        )
        try await medication.replace()
        #expect(medication.state == .pushed)
        let count = transport.requests.count
        medication.instructions = String(repeating: "x", count: 256)
        #expect(try await problems { try await medication.replace() } == ["Medication.instructions"])
        #expect(transport.requests.count == count)
        try await medication.replace(validation: .none)
    }
}
