import Indivo
import IndivoTesting
import Testing

/// The same call once more, after an error that says that it is safe.
@Suite("Writes: the same call again")
struct SecondCallTests {
    private func run(_ body: (TestRecord, NextFaults) async throws -> Void) async throws {
        let faults = NextFaults()
        try await TestRecord.run(through: faults.transport, retry: .never) { place in
            try await body(place, faults)
        }
    }

    private func problem(_ notes: String) -> Problem {
        let problem = CallScenario.cough()
        problem.notes = notes
        return problem
    }

    /// Makes a call whose outcome cannot be known, and again as it said that this is safe.
    private func twice(_ faults: NextFaults, _ call: () async throws -> Void) async throws {
        faults.hideOutcome()
        let error = try await #require(throws: IndivoError.self) { try await call() }
        #expect(error.isSafeToRetry)
        try await call()
    }

    @Test(
        "add: the document is stored once, under an id of the library's or the app's",
        arguments: [
            ExternalID.generated, "mine",
        ]
    )
    func add(externalID: ExternalID) async throws {
        try await run { place, faults in
            let before = try await place.documentCount()
            let problem = problem("once")
            try await twice(faults) { try await place.record.add(problem, externalID: externalID) }
            #expect(problem.state == .pushed)
            let file = FileDocument(FileContent(text: "once"))
            let fileID: ExternalID = externalID == .generated ? .generated : "mine-file"
            try await twice(faults) { try await place.record.add(file, externalID: fileID) }
            #expect(file.state == .pushed)
            #expect(try await place.documentCount() == before + 2)
        }
    }

    @Test("add: what never arrived is stored by the second call")
    func neverArrived() async throws {
        try await run { place, faults in
            let before = try await place.documentCount()
            let problem = problem("late")
            faults.announce(.reset, .loseRequest)
            await #expect(throws: IndivoError.self) { try await place.record.add(problem) }
            try await place.record.add(problem)
            #expect(problem.state == .pushed)
            #expect(try await place.documentCount() == before + 1)
        }
    }

    @Test("what changed between two calls to add becomes a version of the stored document")
    func changedBetween() async throws {
        try await run { place, faults in
            let before = try await place.documentCount()
            let problem = problem("first")
            faults.hideOutcome()
            await #expect(throws: IndivoError.self) { try await place.record.add(problem) }
            problem.notes = "second"
            try await place.record.add(problem)
            #expect(problem.state == .pushed)
            #expect(try await place.documentCount() == before + 1)
            #expect(try await place.problemNotes().intersection(["first", "second"]) == ["second"])

            let file = FileDocument(FileContent(text: "first"))
            faults.hideOutcome()
            await #expect(throws: IndivoError.self) { try await place.record.add(file) }
            file.content = FileContent(text: "second")
            try await place.record.add(file)
            #expect(try await place.record.document(#require(file.id)).content?.text == "second")
            #expect(try await place.documentCount() == before + 2)
        }
    }

    @Test("add: several models in one document are stored once")
    func severalModels() async throws {
        try await run { place, faults in
            let before = try await place.documentCount()
            let file = SDMXDocument([problem("a"), problem("b")])
            try await twice(faults) { try await place.record.add(file) }
            #expect(file.models.allSatisfy { $0.id != nil && $0.state == .pushed })
            #expect(try await place.documentCount() == before + 1)
        }
    }

    @Test("addRelated: the document is stored and related once")
    func related() async throws {
        try await run { place, faults in
            let problem = problem("subject")
            try await place.record.add(problem)
            let note = FileDocument(FileContent(text: "note"))
            try await twice(faults) { try await problem.addRelated(note, as: .annotation) }
            #expect(try await problem.related(as: .annotation).map(\.id) == [note.id])
        }
    }

    @Test("replace: the stored version is taken for its own", arguments: [true, false])
    func replaced(isRefreshed: Bool) async throws {
        try await run { place, faults in
            let problem = problem("first")
            try await place.record.add(problem)
            problem.notes = "second"
            faults.hideOutcome()
            await #expect(throws: IndivoError.self) { try await problem.replace() }
            // The metadata now says that the document was replaced: by itself.
            if isRefreshed { try await problem.refreshMetadata() }
            try await problem.replace()
            #expect(problem.state == .pushed && !problem.isOutdated)
            #expect(try await problem.versions().count == 2)

            let file = FileDocument(FileContent(text: "first"))
            try await place.record.add(file)
            file.content = FileContent(text: "second")
            try await twice(faults) { try await file.replace() }
            #expect(file.state == .pushed)
            #expect(try await file.versions().count == 2)
        }
    }

    @Test("replace: what changed between the calls becomes the next version")
    func replacedAndChanged() async throws {
        try await run { place, faults in
            let problem = problem("first")
            try await place.record.add(problem)
            problem.notes = "second"
            faults.hideOutcome()
            await #expect(throws: IndivoError.self) { try await problem.replace() }
            problem.notes = "third"
            try await problem.replace()
            #expect(try await problem.versions().count == 3)
            #expect(try await place.problemNotes().intersection(["first", "second", "third"]) == ["third"])
        }
    }

    @Test("a document that may be stored is not sent under another id or to another place")
    func otherCall() async throws {
        try await run { place, faults in
            let subject = problem("subject")
            try await place.record.add(subject)
            let problem = problem("once")
            faults.hideOutcome()
            await #expect(throws: IndivoError.self) { try await place.record.add(problem) }
            let count = place.transport.requests.count
            for call in [
                { try await place.record.add(problem, externalID: "other") },
                { try await place.record.add(problem, externalID: .none) },
                { try await subject.addRelated(problem, as: .annotation) },
            ] as [() async throws -> Void] {
                let error = try await #require(throws: IndivoError.self) { try await call() }
                guard case .badArgument(let why) = error.reason else { throw error }
                #expect(why.contains("may be stored already"))
            }
            #expect(place.transport.requests.count == count)
            try await place.record.add(problem.copy())
            try await place.record.add(problem)
            #expect(problem.state == .pushed)
        }
    }

    @Test("send: a message arrives once, with its attachments")
    func message() async throws {
        try await run { place, faults in
            var message = OutgoingMessage(subject: "Cough", body: "Look.")
            try message.attach(problem("a"))
            try message.attach(problem("b"))
            faults.announce(.loseResponse)
            let error = try await #require(throws: IndivoError.self) { try await place.record.send(message) }
            #expect(error.isSafeToRetry)
            faults.announce(nil, nil, .loseResponse)
            await #expect(throws: IndivoError.self) { try await place.record.send(message) }
            try await place.record.send(message)
            let inbox = try await place.record.account(TestRecord.account).inbox().filter {
                $0.subject == "Cough"
            }
            #expect(inbox.count == 1)
            let read = try await place.record.account(TestRecord.account).message(
                try #require(inbox.first).id
            )
            #expect(read.attachments.count == 2)
        }
    }
}
