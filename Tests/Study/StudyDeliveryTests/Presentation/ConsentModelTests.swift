import FHIR
import Foundation
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// A consent as a view has it: its pages, its fields, and the decision at the end.
@MainActor struct ConsentModelTests {
    private static let document = """
        {"id": "c", "version": "2", "title": "Sleep", "language": "de", "study": "s", "organization": "H",
         "sections": [{"kind": "Overview", "title": "Willkommen", "summary": "Kurz.", "text": "Lang."},
                      {"kind": "OnlyInDocument", "title": "Anhang", "text": "Nur gedruckt."}],
         "eligibility": [{"id": "adult", "text": "Ich bin 18.", "mustBe": true}],
         "comprehension": [{"id": "leave", "text": "Kann ich gehen?", "options": ["Ja", "Nein"], "answer": "Ja"}],
         "sharing": [{"id": "all", "text": "Daten", "recipient": "alle"}]}
        """
    /// The least that a PNG's header says: 2 by 2 pixels.
    private static let drawing = Data(
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [
            0, 0, 0, 2, 0, 0, 0, 2,
        ]
    )

    private let enrolment = Enrolment(study: "s", participant: UUID(), enrolledAt: "2026-11-22T09:00:00Z")

    private func document() throws -> ConsentDocument {
        try ConsentDocument(parsing: Data(Self.document.utf8))
    }
    private func model() throws -> ConsentModel { ConsentModel(try document(), of: enrolment) }

    /// Answers everything up to the last page as somebody does who agrees.
    private func agree(_ model: ConsentModel, to kind: ConsentPage.Kind) {
        model[yesNo: "eligibility.adult"] = true
        model[choice: "comprehension.leave"] = "Ja"
        model[yesNo: "sharing.all"] = false
        model[yesNo: "agrees"] = true
        while model.decision == nil, model.page.kind != kind { model.advance() }
    }

    @Test("the pages are the document's, in its language, with what is asked as controls")
    func pages() throws {
        let pages = try document().pages(.words(in: "de"))
        #expect(
            pages.map(\.kind) == [
                .eligibility, .section("Overview"), .comprehension, .sharing, .agreement, .signature,
            ]
        )
        #expect(pages[0].title == "Können Sie teilnehmen?" && pages[1].summary == "Kurz.")
        #expect(pages[2].items.map(\.control) == [.choice(["Ja", "Nein"])])
        #expect(pages[4].items.map(\.label) == ["Stimmen Sie „Sleep“ zu?"])
        #expect(pages[5].items.map(\.id) == ["givenName", "familyName", "signature"])
    }

    @Test("what is missing has a problem beside it, and is signed when nothing is")
    func signing() throws {
        let model = try model()
        model.advance()
        #expect(model.pageIndex == 0 && model.page.items.map(\.problem) == ["Bitte beantworten Sie das."])
        agree(model, to: .signature)
        #expect(model.page.kind == .signature && model.progress > 0.8)
        model.signature = Data("no picture".utf8)
        model.advance()
        #expect(model.page.items.allSatisfy { $0.problem != nil } && model.decision == nil)
        model[text: "givenName"] = "Ada"
        model[text: "familyName"] = " "
        model.signature = Self.drawing
        model.advance()
        #expect(model.page.items.map { $0.problem == nil } == [true, false, true])
        model[text: "familyName"] = "Lovelace"
        model.advance(at: Date(timeIntervalSince1970: 1_795_000_000))
        guard case .signed(let consent)? = model.decision else {
            Issue.record("it is not signed: \(String(describing: model.decision))")
            return
        }
        #expect(consent.participant == enrolment.participant && consent.givenName == "Ada")
        #expect(consent.sharing == ["all": false] && consent.signature == Self.drawing)
        #expect(consent.signedAt == FHIRInstant(Date(timeIntervalSince1970: 1_795_000_000)))
        // What was signed does not change any more.
        model[yesNo: "sharing.all"] = true
        model.back()
        #expect(model.answers.sharing == ["all": false] && model.page.kind == .signature)
    }

    @Test("who is not eligible, has not understood or declines learns so and may read again")
    func refusals() throws {
        let child = try model()
        child[yesNo: "eligibility.adult"] = false
        child.advance()
        #expect(child.decision == .ineligible(criterion: "adult"))

        let wrong = try model()
        agree(wrong, to: .comprehension)
        wrong[choice: "comprehension.leave"] = "Nein"
        wrong.advance()
        #expect(wrong.decision == .notUnderstood(questions: ["leave"]) && wrong.progress == 1)
        wrong.restart()
        #expect(wrong.decision == nil && wrong.pageIndex == 0 && wrong[choice: "comprehension.leave"] == nil)
        #expect(wrong[yesNo: "eligibility.adult"] == true)

        let declining = try model()
        agree(declining, to: .agreement)
        declining[yesNo: "agrees"] = false
        declining.advance()
        #expect(declining.decision == .declined)
        // A decision is that of its page: going back to change an earlier answer does not skip what is between.
        let early = try model()
        early[yesNo: "agrees"] = false
        early[yesNo: "eligibility.adult"] = true
        early.advance()
        #expect(early.decision == nil && early.page.kind == .section("Overview"))
    }

    @Test("answers are written as they are read, and kept until the folder is erased")
    func keeping() throws {
        let scratch = try Scratch()
        let keys = FileKeyStore(scratch.folder.appending(path: "key"))
        let participants = ParticipantStore(in: scratch.folder.appending(path: "p"), keys: keys)
        let enrolment = try participants.enrol(in: "s")
        let document = try document()
        let model = ConsentModel(document, of: enrolment)
        agree(model, to: .signature)
        model[text: "givenName"] = "Ada"
        model.signature = Self.drawing
        let state = try ParticipantState(of: enrolment, in: participants, keys: keys)
        #expect(try state.consentAnswers(for: document) == nil)
        try state.setConsentAnswers(model.answers, for: document)
        let stored = try #require(try state.consentAnswers(for: document))
        #expect(stored == model.answers)
        let again = ConsentModel(document, of: enrolment, resuming: stored)
        #expect(again.pageIndex == 0 && again[text: "givenName"] == "Ada" && again.signature == Self.drawing)
        var other = document
        other.version = "3"
        #expect(try state.consentAnswers(for: other) == nil, "another version is read anew")

        let response = QuestionnaireResponse(status: .inProgress)
        let longID = String(repeating: "https://example.org/", count: 40)
        try state.setResponse(response, to: longID)
        #expect(try state.response(to: longID)?.tree == response.tree)
        try state.setResponse(nil, to: longID)
        #expect(try state.response(to: longID) == nil)
        let done = [TaskCompletion(taskID: "t", date: Date(timeIntervalSince1970: 1))]
        try state.setCompletions(done)
        #expect(try state.completions() == done)
        // Nothing of it can be read on the disk.
        let files = FileManager.default.enumerator(at: scratch.folder, includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init() {
            #expect((try? Data(contentsOf: file))?.firstRange(of: Data("Ada".utf8)) == nil)
        }
        try participants.withdraw(from: "s")
        #expect(throws: StudyError.notEnrolled) {
            try ParticipantState(of: enrolment, in: participants, keys: keys)
        }
    }
}
