import FHIR
import Foundation
import OrderedJSON
import Surveys
import Synchronization
import Testing

/// Value sets that are too large to be listed: what is typed is searched for, and what is found is chosen.
@Suite("Surveys: searched options")
@MainActor struct OptionSearchTests {
    private static let tooCostly = """
        {"resourceType": "ValueSet", "url": "urn:example:all", "status": "active",
         "expansion": {"timestamp": "2026", "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/valueset-toocostly",
         "valueBoolean": true}]}}
        """

    private func survey(_ type: String = "choice", repeats: Bool = false) throws -> Survey {
        let valueSet = try ValueSet(parsing: Self.tooCostly)
        let json: JSONValue = [
            "resourceType": "Questionnaire", "status": "draft",
            "item": [
                [
                    "linkId": "q", "type": JSONValue(type), "text": "Diagnosis", "required": true,
                    "repeats": JSONValue(repeats), "answerValueSet": "urn:example:all",
                ]
            ],
        ]
        return Survey(try Questionnaire(parsing: json.text())) { $0 == "urn:example:all" ? valueSet : nil }
    }

    private nonisolated static func option(_ code: String, _ display: String, _ system: String = "urn:s")
        -> SurveyOption
    {
        SurveyOption(.coding(Coding(system: FHIRURI(system), code: code, display: display)))
    }

    private nonisolated static func found(_ search: OptionSearch) -> FoundOptions {
        FoundOptions([option("1", "\(search.text) one"), option("2", "\(search.text) two")])
    }

    private func answers(_ model: SurveyModel) -> [String?] {
        model.session.occurrences(of: "q").flatMap { model.session.answers(of: $0) }.map(\.coding?.display)
    }

    @Test("a found option can be chosen with its display and stays chosen in other searches")
    func choosing() async throws {
        let model = SurveyModel(try survey(), phrases: .english, search: { Self.found($0) })
        model.searchDelay = .zero
        #expect(model.page.item("q")?.control == .search)
        #expect(model.page.item("q")?.searchNote == "Type at least 2 characters of what you look for.")
        model[search: "q"] = "a"
        #expect(model.page.item("q")?.search?.state == .waiting)
        model[search: "q"] = " asth "
        #expect(model.page.item("q")?.search?.state == .searching)
        await model.waitUntilFound("q")
        #expect(model.page.item("q")?.choices.map(\.label) == ["asth one", "asth two"])
        #expect(model.page.item("q")?.searchNote == "Found: 2.")
        model[chosen: "q"] = "urn:s|2"
        model[search: "q"] = "flu"
        await model.waitUntilFound("q")
        // The code that is chosen is found by both texts, and is what it was when it was chosen.
        #expect(answers(model) == ["asth two"])
        model[search: "q"] = ""
        #expect(model.page.item("q")?.choices.map(\.isChosen) == [true])
        model.advance()
        guard case .completed(let response) = model.state else { return #expect(Bool(false)) }
        let coding = response.tree["item"]?[0]?["answer"]?[0]?["valueCoding"]
        #expect(coding?["system"]?.string == "urn:s" && coding?["code"]?.string == "2")
    }

    @Test("options of a repeating question are chosen in several searches, and removed")
    func several() async throws {
        let model = SurveyModel(
            try survey("open-choice", repeats: true),
            search: { FoundOptions([Self.option($0.text, $0.text)]) }
        )
        model.searchDelay = .zero
        for word in ["asthma", "flu"] {
            model[search: "q"] = word
            await model.waitUntilFound("q")
            model[isChosen: "urn:s|\(word)", of: "q"] = true
        }
        model[text: try #require(model.page.item("q")?.fields.first?.id)] = "cold"
        let session = model.session
        #expect(
            session.answers(of: session.occurrences(of: "q")[0]).map(\.label) == ["asthma", "flu", "cold"]
        )
        #expect(model.page.item("q")?.choices.map(\.label) == ["flu", "asthma"])
        model[isChosen: "urn:s|asthma", of: "q"] = false
        model[isChosen: "urn:s|flu", of: "q"] = false
        #expect(answers(model) == [nil])
    }

    @Test("a search is cancelled when more is typed, and its late result is not shown")
    func cancelled() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (ends, ending) = AsyncStream.makeStream(of: Bool.self)
        let model = SurveyModel(
            try survey(),
            search: { search in
                guard search.text == "old" else { return Self.found(search) }
                beginning.yield()
                // Until it is cancelled; it gives a result all the same.
                try? await Task.sleep(for: .seconds(3_600))
                ending.yield(Task.isCancelled)
                return Self.found(search)
            }
        )
        model.searchDelay = .zero
        model[search: "q"] = "old"
        for await _ in begun { break }
        model[search: "q"] = "new"
        await model.waitUntilFound("q")
        for await isCancelled in ends {
            #expect(isCancelled)
            break
        }
        #expect(model.page.item("q")?.choices.map(\.label) == ["new one", "new two"])
    }

    @Test("results for an earlier text are not shown, and new text starts another search")
    func late() throws {
        var form = SurveyForm(SurveySession(try survey()))
        let begun = form.beginSearch("old", of: "q")
        let old = try #require(begun)
        _ = form.beginSearch("new", of: "q")
        form.endSearch(old, of: "q", with: .success(Self.found(old)))
        #expect(form.page.item("q")?.search?.state == .searching)
        // White space makes no other search.
        _ = form.beginSearch(" old ", of: "q")
        form.endSearch(old, of: "q", with: .success(Self.found(old)))
        #expect(form.page.item("q")?.choices.map(\.label) == ["old one", "old two"])
        #expect(form.beginSearch("x", of: "q") == nil && form.page.item("q")?.choices.isEmpty == true)
        #expect(form.beginSearch("text", of: "nobody") == nil)
    }

    @Test("a search that fails is told beside the question, and can be tried again")
    func failing() async throws {
        struct Down: Error {}
        let isDown = Mutex(true)
        let model = SurveyModel(
            try survey(),
            phrases: .german,
            search: { search in
                if isDown.withLock({ $0 }) { throw Down() }
                return Self.found(search)
            }
        )
        model.searchDelay = .zero
        model[search: "q"] = "flu"
        await model.waitUntilFound("q")
        #expect(model.page.item("q")?.searchNote?.hasPrefix("Die Suche ist nicht gelungen.") == true)
        #expect(model.page.item("q")?.problems == [])
        isDown.withLock { $0 = false }
        model[search: "q"] = "flu"
        await model.waitUntilFound("q")
        #expect(model.page.item("q")?.choices.count == 2)
    }

    @Test("a code that was found is the same after it was saved and read again")
    func resumed() async throws {
        let survey = try survey("open-choice", repeats: true)
        let model = SurveyModel(survey, search: { FoundOptions([Self.option($0.text, "", "urn:s")]) })
        model.searchDelay = .zero
        model[search: "q"] = "flu"
        await model.waitUntilFound("q")
        model[isChosen: "urn:s|flu", of: "q"] = true
        model[text: try #require(model.page.item("q")?.fields.first?.id)] = "flu"
        let saved = model.session.response(.inProgress)
        let stored = try QuestionnaireResponse(parsing: saved.tree.text())
        let again = SurveyModel(survey, resuming: stored)
        #expect(again.session.problems().isEmpty)
        #expect(again.session.response(.inProgress).tree["item"] == saved.tree["item"])
        #expect(again.page.item("q")?.choices.map(\.isChosen) == [true])
        #expect(again.page.item("q")?.fields.map(\.text) == ["flu", ""])
        again.advance()
        guard case .completed = again.state else { return #expect(Bool(false)) }
    }

    @Test("results in one language are not shown in another, but searched for anew")
    func language() async throws {
        let model = SurveyModel(
            try survey(),
            phrases: .english,
            search: { FoundOptions([Self.option("1", $0.language ?? "none")]) }
        )
        model.searchDelay = .zero
        model[search: "q"] = "flu"
        await model.waitUntilFound("q")
        model.phrases = .phrases(in: "de")
        await model.waitUntilFound("q")
        #expect(model.page.item("q")?.choices.map(\.label) == ["de"])
    }

    @Test("a hostile expansion is bounded; the same code of two systems is two answers")
    func hostile() throws {
        var codes: [JSONValue] = [
            ["system": "urn:a", "code": "1", "display": "<script>alert(1)</script>"],
            ["system": "urn:b", "code": "1", "display": "Other"], ["display": "No code"],
            ["system": "urn:a", "code": "1", "display": "Again"],
            ["system": "urn:a", "code": JSONValue(String(repeating: "x", count: 5_000))],
        ]
        for number in 0..<30_000 { codes.append(["system": "urn:c", "code": JSONValue("\(number)")]) }
        var nested: JSONValue = ["code": "deep"]
        for _ in 0..<500 { nested = ["abstract": true, "contains": [nested]] }
        codes.append(nested)
        let json: JSONValue = [
            "resourceType": "ValueSet", "status": "active", "expansion": ["contains": JSONValue(codes)],
        ]
        let found = try FoundOptions(#require(ValueSet(tree: json)))
        #expect(found.options.count == OptionSearch.maximumOptions && found.hasMore)
        #expect(found.options.prefix(2).map { $0.value.coding?.system?.rawValue } == ["urn:a", "urn:b"])
        #expect(found.options.prefix(3).map { $0.value.coding?.code } == ["1", "1", "0"])
        var form = SurveyForm(SurveySession(try survey()))
        let begun = form.beginSearch(String(repeating: "é", count: 100_000), of: "q")
        let search = try #require(begun)
        #expect(search.text.count == OptionSearch.maximumCharacters)
        form.endSearch(search, of: "q", with: .success(found))
        form.choose("urn:b|1", of: "q")
        #expect(form.session.answers(of: form.session.occurrences(of: "q")[0]).map(\.label) == ["Other"])
    }
}
