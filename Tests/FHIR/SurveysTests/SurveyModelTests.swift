import FHIR
import FHIRPathEngine
import Foundation
import Observation
import Surveys
import Testing

/// A survey as a view has it: what it draws, and what its fields and buttons do.
@MainActor struct SurveyModelTests {
    private static let questionnaire = """
        {"resourceType": "Questionnaire", "url": "http://example.org/q", "status": "draft", "title": "Week",
         "_title": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [
           {"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "Woche"}]}]},
         "item": [
          {"linkId": "you", "type": "group", "text": "You", "item": [
            {"linkId": "name", "type": "string", "text": "Name", "required": true},
            {"linkId": "hours", "type": "decimal", "text": "Hours"},
            {"linkId": "smokes", "type": "boolean", "text": "Smoker"},
            {"linkId": "woke", "type": "open-choice", "repeats": true, "text": "Woke", "answerOption": [
              {"valueCoding": {"system": "http://example.org/w", "code": "noise", "display": "Noise"}},
              {"valueCoding": {"system": "http://example.org/w", "code": "light", "display": "Light"}}]}]},
          {"linkId": "drugs", "type": "group", "repeats": true, "text": "Drug", "item": [
            {"linkId": "drug", "type": "string", "text": "Name", "repeats": true},
            {"linkId": "dose", "type": "quantity", "text": "Dose", "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption", "valueCoding":
                {"system": "http://unitsofmeasure.org", "code": "mg"}}]},
            {"linkId": "since", "type": "date", "text": "Since"}]}]}
        """

    private func survey(_ text: String = questionnaire) throws -> Survey {
        Survey(try Questionnaire(parsing: Data(text.utf8)))
    }

    private func answers(of model: SurveyModel, _ path: String) throws -> [String] {
        try FHIRPath(path).evaluate(on: model.session.response().tree).map(\.text)
    }

    @Test("a page has its items with controls, fields and choices, in the person's language")
    func page() throws {
        let model = SurveyModel(try survey(), phrases: .phrases(in: "de"))
        #expect(model.page.title == "Woche" && model.page.count == 2 && model.page.isFirst)
        let items = model.page.allItems
        #expect(items.map(\.id) == ["you", "name", "hours", "smokes", "woke"])
        #expect(
            items.map(\.kind) == [
                .group, .question(.text), .question(.number(isInteger: false, slider: nil)),
                .question(.yesNo), .question(.checkboxes),
            ]
        )
        #expect(items[3].choices.map(\.label) == ["Ja", "Nein"] && items[3].fields.isEmpty)
        #expect(items[4].choices.map(\.id) == ["http://example.org/w|noise", "http://example.org/w|light"])
        #expect(items[4].fields.map(\.id.description) == ["woke.other.0"])
    }

    @Test("a page with problems is not left, and each is told beside its question")
    func advance() throws {
        let model = SurveyModel(try survey(), phrases: .english)
        #expect(!model.page.allItems.contains { !$0.problems.isEmpty })
        model.advance()
        #expect(model.page.index == 0 && model.page.isChecked)
        #expect(model.page.item("name")?.problems == ["Please answer this question."])
        #expect(model.page.item("name")?.isInvalid == true && model.page.item("hours")?.isInvalid == false)
        let field = try #require(model.page.item("name")?.fields.first?.id)
        model[text: field] = "Ada"
        #expect(model.page.item("name")?.problems == [])
        model.advance()
        #expect(model.page.index == 1 && model.page.isLast)
        model.back()
        #expect(model.page.index == 0 && model[text: field] == "Ada")
        model.advance()
        model.advance()
        guard case .completed(let response) = model.state else {
            Issue.record("the survey is not completed")
            return
        }
        #expect(response.status == .completed && response.authored != nil)
        // Nothing changes any more.
        model[text: field] = "Bea"
        #expect(try answers(of: model, "item.item.where(linkId = 'name').answer.value") == ["Ada"])
    }

    @Test("typed text stays in its field, and has a problem if it is no answer")
    func typing() throws {
        let model = SurveyModel(try survey(), phrases: .english)
        let field = try #require(model.page.item("hours")?.fields.first?.id)
        func stored() throws -> [String] {
            try answers(of: model, "item.item.where(linkId='hours').answer.value")
        }
        for (text, value) in [("7", "7"), ("7,", "7"), ("7,5", "7.5")] {
            model[text: field] = text
            #expect(model[text: field] == text && model.page.item("hours")?.problems == [])
            #expect(try stored() == [value])
        }
        for value in [Double.nan, .infinity] {
            model[number: field] = value
            #expect(model[number: field] == 7.5)
        }
        model[number: field] = 8
        #expect(model[text: field] == "8.0" && model[number: field] == 8)
        model[text: field] = "seven"
        #expect(model[text: field] == "seven")
        #expect(try stored() == [])
        #expect(model.page.item("hours")?.problems.first?.hasPrefix("Please enter a number") == true)
        model[text: try #require(model.page.item("name")?.fields.first?.id)] = "Ada"
        model.advance()
        #expect(model.page.index == 0, "a text that is no answer must not be passed over")
        model[text: field] = ""
        model.advance()
        #expect(model.page.index == 1)
    }

    @Test("choices and free entries are answers together, and a yes or no can be cleared")
    func choosing() throws {
        let model = SurveyModel(try survey(), phrases: .english)
        model[isChosen: "http://example.org/w|light", of: "woke"] = true
        let other = try #require(model.page.item("woke")?.fields.first?.id)
        model[text: other] = "Rain"
        func woke() throws -> [String] {
            try answers(
                of: model,
                "item.item.where(linkId='woke').answer.value.select(iif(code.exists(), code, $this))"
            )
        }
        #expect(try woke() == ["light", "Rain"])
        #expect(model.page.item("woke")?.fields.map(\.text) == ["Rain", ""])
        model[isChosen: "http://example.org/w|light", of: "woke"] = false
        #expect(try woke() == ["Rain"])
        model[chosen: "smokes"] = "false"
        #expect(model[chosen: "smokes"] == "false")
        model[chosen: "smokes"] = nil
        #expect(model[chosen: "smokes"] == nil && model.page.item("smokes")?.answers.isEmpty == true)
    }

    @Test("repetitions, several fields of a question, quantities and dates")
    func repetitions() throws {
        let model = SurveyModel(try survey(), phrases: .english)
        model[text: try #require(model.page.item("name")?.fields.first?.id)] = "Ada"
        model.advance()
        let first = try #require(model.page.items.first)
        #expect(first.canAddRepetition && !first.canRemoveRepetition)
        model.addRepetition(after: first.id)
        #expect(model.page.items.map(\.repetition) == [0, 1])
        let second = model.page.items[1]
        #expect(
            second.canAddRepetition && second.canRemoveRepetition && !model.page.items[0].canAddRepetition
        )
        model[text: second.children[0].fields[0].id] = "Aspirin"
        model[text: try #require(model.page.items[1].children[0].fields.last?.id)] = "ASS"
        #expect(model.page.items[1].children[0].fields.map(\.text) == ["Aspirin", "ASS", ""])
        // Emptied, the first one is no answer; it goes when the next one is typed into.
        model[text: second.children[0].fields[0].id] = ""
        #expect(try answers(of: model, "item.item.where(linkId='drug').answer.value") == ["ASS"])
        model[text: second.children[1].fields[0].id] = "100"
        #expect(try answers(of: model, "item.item.where(linkId='dose').answer.value.code") == ["mg"])
        let since = second.children[2].fields[0].id
        model.zone = try #require(TimeZone(identifier: "Pacific/Auckland"))
        model[date: since] = Date(timeIntervalSince1970: 1_795_132_800)  // noon of 19 November in UTC
        #expect(model[text: since] == "2026-11-20")
        #expect(model[date: since] == Date(timeIntervalSince1970: 1_795_086_000))
        model.removeRepetition(model.page.items[0].id)
        #expect(model.page.items.count == 1)
        #expect(try answers(of: model, "item.item.where(linkId='drug').answer.value") == ["ASS"])
    }

    @Test("an answer keeps what its field does not show while another field is typed into")
    func untouchedFields() throws {
        let text = """
            {"resourceType": "Questionnaire", "status": "draft", "item": [
              {"linkId": "dose", "type": "quantity", "repeats": true}]}
            """
        var session = SurveySession(try survey(text))
        var bound = Quantity(value: 5, unit: "mg")
        bound.comparator = .lessThan
        try session.answer("dose", with: .quantity(bound), .quantity(Quantity(value: 7, unit: "mg")))
        var form = SurveyForm(session)
        let fields = try #require(form.page.item("dose")?.fields)
        #expect(fields.map(\.text) == ["5", "7", ""])
        form.enter("8", in: fields[1].id)
        form.enter("5", in: fields[0].id)
        let item = try #require(form.page.item("dose"))
        #expect(item.answers.first == .quantity(bound) && item.fields.map(\.text) == ["5", "8", ""])
    }

    @Test("changes during a save are saved together, and failures are told")
    func saving() async throws {
        struct Full: Error {}
        @MainActor final class Store {
            var saved: [QuestionnaireResponse] = []
            var isFull = false
        }
        let store = Store()
        let model = SurveyModel(try survey(), subject: "Patient/7", phrases: .english) { response in
            await Task.yield()
            if store.isFull { throw Full() }
            store.saved.append(response)
        }
        let field = try #require(model.page.item("name")?.fields.first?.id)
        for end in 1...20 { model[text: field] = String("A long name to type".prefix(end)) }
        #expect(model.saving == .saving)
        await model.waitUntilSaved()
        #expect(model.saving == .saved && (1...3).contains(store.saved.count))
        let last = try #require(store.saved.last)
        #expect(last.status == .inProgress && last.subject?.reference == "Patient/7")
        store.isFull = true
        model.advance()
        await model.waitUntilSaved()
        guard case .failed = model.saving else {
            Issue.record("a failure is not told")
            return
        }
        let again = SurveyModel(try survey(), resuming: last, phrases: .english)
        #expect(again.page.index == 0 && again[text: field] == "A long name to type")
    }

    @Test("a view is told when the page that it has read changes")
    func observing() async throws {
        let model = SurveyModel(try survey(), phrases: .english)
        await confirmation { changed in
            withObservationTracking {
                _ = model.page.items
            } onChange: {
                changed()
            }
            model[chosen: "smokes"] = "true"
        }
    }

    @Test("names that the survey does not have change nothing")
    func unknownNames() throws {
        let model = SurveyModel(try survey(), phrases: .english)
        let before = model.session.response(authored: "2026-11-22").tree
        model[chosen: "nowhere"] = "true"
        model[isChosen: "x", of: "woke"] = true
        model.clear("nowhere")
        model.addRepetition(after: "you")
        model.removeRepetition("you")
        #expect(model.session.response(authored: "2026-11-22").tree == before)
    }
}
