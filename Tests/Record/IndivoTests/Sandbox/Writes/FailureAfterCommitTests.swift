import Indivo
import IndivoTesting
import Testing

/// A server that saves its audit entry after the transaction can answer 500 to what it has stored.
@Suite("Writes: 500 after the commit")
struct FailureAfterCommitTests {
    private func run(_ body: (TestRecord, NextFaults) async throws -> Void) async throws {
        let faults = NextFaults()
        try await TestRecord.run(through: faults.transport) { place in try await body(place, faults) }
    }

    private func problem(_ notes: String) -> Problem {
        let problem = CallScenario.cough()
        problem.notes = notes
        return problem
    }

    @Test(
        "an added document is known to be stored, under the library's id or the app's",
        arguments: [
            ExternalID.generated, "mine",
        ]
    )
    func add(externalID: ExternalID) async throws {
        try await run { place, faults in
            let before = try await place.documentCount()
            let problem = problem("once")
            faults.announce(.status(500))
            try await place.record.add(problem, externalID: externalID)
            #expect(problem.state == .pushed && problem.id != nil)
            #expect(try await place.documentCount() == before + 1)
            let file = FileDocument(FileContent(text: "once"))
            faults.announce(.status(500))
            try await place.record.add(file, externalID: externalID == .generated ? .generated : "mine-file")
            #expect(file.state == .pushed)
            #expect(try await place.documentCount() == before + 2)
        }
    }

    @Test("a related document is known to be stored, and is related once")
    func related() async throws {
        try await run { place, faults in
            let problem = problem("subject")
            try await place.record.add(problem)
            let note = FileDocument(FileContent(text: "note"))
            faults.announce(.status(500))
            try await problem.addRelated(note, as: .annotation)
            #expect(note.state == .pushed)
            #expect(try await problem.related(as: .annotation).map(\.id) == [note.id])
        }
    }

    @Test("a new version is known to be stored")
    func replaced() async throws {
        try await run { place, faults in
            let problem = problem("first")
            try await place.record.add(problem)
            let first = problem.id
            problem.notes = "second"
            faults.announce(.status(500))
            try await problem.replace()
            #expect(problem.id != first && problem.state == .pushed)
            #expect(try await problem.versions().count == 2)
        }
    }

    @Test("several models in one document are known to be stored")
    func severalModels() async throws {
        try await run { place, faults in
            let file = SDMXDocument([problem("a"), problem("b")])
            faults.announce(.status(500))
            try await place.record.add(file)
            #expect(file.models[0].id != nil && file.models[0].id == file.models[1].id)
            #expect(try await place.problemNotes().isSuperset(of: ["a", "b"]))
        }
    }

    @Test("what the app keeps under an external id is known to be stored")
    func appDocument() async throws {
        try await run { place, faults in
            faults.announce(.status(500))
            let document = try await place.record.appDocuments.put(
                FileContent(text: "1"),
                externalID: "settings"
            )
            #expect(try await document.content().text == "1")
            faults.announce(.status(500))
            let again = try await place.record.appDocuments.put(
                FileContent(text: "2"),
                externalID: "settings"
            )
            #expect(again.id == document.id)
        }
    }

    @Test("a message and its attachments are known to have arrived, once each")
    func message() async throws {
        try await run { place, faults in
            var message = OutgoingMessage(subject: "Cough", body: "Look.", id: "m-1")
            try message.attach(problem("attached"))
            faults.announce(.status(500), nil, .status(500))
            try await place.record.send(message)
            let inbox = try await place.record.account(TestRecord.account).inbox().filter {
                $0.subject == "Cough"
            }
            #expect(inbox.count == 1)
            let read = try await place.record.account(TestRecord.account).message(
                try #require(inbox.first).id
            )
            #expect(read.attachments.count == 1)
        }
    }

    @Test("a label and a status are known to be set")
    func labelAndStatus() async throws {
        try await run { place, faults in
            let problem = problem("labelled")
            try await place.record.add(problem)
            faults.announce(.status(500))
            try await problem.setLabel("at night")
            #expect(problem.metadata?.label == "at night")
            faults.announce(.status(500))
            try await problem.setStatus(.archived, reason: "gone")
            #expect(problem.metadata?.status == .archived)
            #expect(try await problem.statusHistory().count == 1)
        }
    }

    @Test(
        "a label and a reason are found whatever their line ends and spaces",
        arguments: ["a\r\nb", "a\rb", "a\nb\r", " a ", "\ta\t", "e\u{301}"]
    )
    func lineEnds(text: String) async throws {
        let faults = NextFaults()
        try await TestRecord.run(through: faults.transport, retry: .never) { place in
            let problem = problem("labelled")
            try await place.record.add(problem)
            faults.announce(.status(500))
            try await problem.setLabel(text)
            faults.announce(.status(500))
            try await problem.setStatus(.archived, reason: text)
            #expect(try await problem.statusHistory().count == 1)
            let stored = try await place.record.appDocuments.add(FileContent(text: "a"))
            faults.announce(.status(500))
            try await stored.setLabel(text)
        }
    }

    @Test("a 500 that stored nothing stays an error")
    func realFailure() async throws {
        let faults = NextFaults()
        let refusing = FaultyTransport(faults.transport) { request, _ in
            request.method == .put || request.method == .post
                ? .delay {
                    throw HTTPTransportError(
                        kind: .other,
                        server: "x",
                        mayHaveReachedServer: false
                    )
                } : nil
        }
        try await TestRecord.run(through: refusing) { place in
            let problem = problem("never")
            await #expect(throws: IndivoError.self) { try await place.record.add(problem) }
            #expect(problem.state == .new)
        }
    }
}
