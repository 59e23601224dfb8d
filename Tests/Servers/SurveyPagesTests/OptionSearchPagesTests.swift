import FHIR
import Foundation
import OrderedJSON
import Surveys
import Synchronization
import Testing
import WebServing

@testable import SurveyPages

/// Pages with value sets that are too large to be listed: with a script and without.
@Suite("Survey pages: searched options")
struct OptionSearchPagesTests {
    /// Two questions whose codes are searched, and one that is a text.
    private static let questionnaire = """
        {"resourceType": "Questionnaire", "url": "http://example.org/s", "status": "draft", "item": [
          {"linkId": "all~gies:", "type": "choice", "text": "Allergy", "answerValueSet": "urn:example:all"},
          {"linkId": "drugs", "type": "choice", "repeats": true, "text": "Drugs",
           "answerValueSet": "urn:example:all"},
          {"linkId": "name", "type": "string", "text": "Name"}]}
        """
    private static let tooCostly = try? ValueSet(
        parsing: """
            {"resourceType": "ValueSet", "url": "urn:example:all", "status": "active", "expansion":
             {"timestamp": "2026", "extension": [{"valueBoolean": true,
              "url": "http://hl7.org/fhir/StructureDefinition/valueset-toocostly"}]}}
            """
    )
    private static let allergy = "all~7Egies~3A"

    /// What was searched for, and codes with the text in their display.
    private final class Codes: Sendable {
        let texts = Mutex<[String]>([])
        /// The numbers of requests that were answered.
        let answered = Mutex<Set<Int>>([])

        @Sendable func find(_ search: OptionSearch) async throws -> FoundOptions {
            texts.withLock { $0.append(search.text) }
            if search.text == "down" { throw CancellationError() }
            if search.text == "slow" { try await Task.sleep(for: .seconds(3_600)) }
            return FoundOptions(
                ["1", "2"].map { number in
                    let display = "\(search.text) <b>\(number)</b>"
                    return SurveyOption(
                        .coding(Coding(system: "urn:s", code: "\(search.text)-\(number)", display: display))
                    )
                }
            )
        }
    }

    private func pages(
        _ codes: Codes,
        searchTime: Duration = .seconds(60),
        questionnaire: String = questionnaire
    )
        throws -> TestPages
    {
        try TestPages(
            questionnaire,
            valueSets: { $0 == "urn:example:all" ? Self.tooCostly : nil },
            search: codes.find,
            searchTime: searchTime
        )
    }

    private func codings(_ response: QuestionnaireResponse?, _ index: Int) -> [String] {
        (response?.tree["item"]?[index]?["answer"]?.elements ?? []).compactMap { answer in
            answer["valueCoding"].map { "\($0["code"]?.string ?? "") \($0["display"]?.string ?? "")" }
        }
    }

    @Test("without a script a button searches, and what is found is chosen and stored")
    func withoutScript() async throws {
        let codes = Codes()
        let pages = try pages(codes)
        var form = await pages.begin()
        #expect(
            form.page.contains("name=\"\(Self.allergy).search\"") && !form.page.contains("type=\"radio\"")
        )
        form.fields = [("\(Self.allergy).search", "nut"), ("name.0", "Ada")]
        let found = await form.press("find \(Self.allergy)")
        #expect(found.status == 200 && found.text.contains("Found: 2."))
        #expect(found.text.contains("nut &lt;b&gt;1&lt;/b&gt;") && !found.text.contains("<b>1"))
        #expect(found.text.contains(" autofocus>"))
        form.fields = [("\(Self.allergy).search", "nut"), (Self.allergy, "urn:s|nut-2")]
        let done = await form.press("send")
        #expect(done.status == 303)
        #expect(codings(pages.store.completed.first, 0) == ["nut-2 nut <b>2</b>"])
    }

    @Test("Return in the field searches and stays, and does not keep what was shown then")
    func returnKey() async throws {
        let pages = try pages(Codes())
        var form = await pages.begin()
        form.fields = [("\(Self.allergy).search", "nut")]
        let found = await form.press("send")
        #expect(found.status == 200 && found.text.contains("urn:s|nut-1"))
        form.fields = [("\(Self.allergy).search", "nut")]
        await form.press("send")
        #expect(pages.store.completed.count == 1 && codings(pages.store.completed.first, 0).isEmpty)
    }

    @Test("with a script searching saves nothing, and what was chosen stays meanwhile")
    func withScript() async throws {
        let codes = Codes()
        let pages = try pages(codes)
        var form = await pages.begin()
        let address = form.path
        var chosen: [(String, String)] = []
        for text in ["nut", "egg", "milk"] {
            form.fields = chosen + [("drugs.search", text), ("find", "drugs")]
            let shown = await form.send("preview")
            for (_, token) in chosen {
                #expect(shown.text.contains("value=\"\(token)\" checked"), "\(token) with \(text)")
            }
            #expect(shown.text.contains("value=\"urn:s|\(text)-1\""))
            chosen.append(("drugs", "urn:s|\(text)-1"))
        }
        #expect(pages.store.all.isEmpty)
        #expect(codes.texts.withLock { $0 } == ["nut", "egg", "milk"])
        form.fields = chosen
        await form.press("save")
        #expect(
            codings(pages.store.all.first, 0) == [
                "nut-1 nut <b>1</b>", "egg-1 egg <b>1</b>", "milk-1 milk <b>1</b>",
            ]
        )
        #expect(await pages.get(address).text.contains("value=\"urn:s|egg-1\" checked"))
    }

    @Test("a code that was never found is no answer, and the person must search again")
    func forged() async throws {
        let pages = try pages(Codes())
        var form = await pages.begin()
        form.fields = [(Self.allergy, "urn:s|made-up")]
        let answer = await form.press("send")
        #expect(answer.status == 422 && answer.text.contains("Please search once more"))
        #expect(pages.store.completed.isEmpty)
    }

    @Test("who types on gives up what was searched for before, and takes nobody's turn")
    func typedOn() async throws {
        let codes = Codes()
        let pages = try pages(codes)
        let form = await pages.begin()
        let other = await pages.begin()
        await withTaskGroup { group in
            for count in 1...2 * OptionSearcher.maximumAtOnce {
                group.addTask { [form] in
                    var slow = form
                    slow.fields = [("drugs.search", "slow"), ("find", "drugs")]
                    let shown = await slow.send("preview")
                    #expect(!shown.text.contains("urn:s|slow-1"))
                    codes.answered.withLock { _ = $0.insert(count) }
                }
                // Until it is searched for, or refused.
                while codes.texts.withLock({ $0.count }) < count,
                    !codes.answered.withLock({ $0.contains(count) })
                {
                    await Task.yield()
                }
            }
            var nobody = other
            nobody.fields = [("drugs.search", "nut"), ("find", "drugs")]
            #expect(await nobody.send("preview").text.contains("urn:s|nut-1"))
            var last = form
            last.fields = [("drugs.search", "egg"), ("find", "drugs")]
            #expect(await last.send("preview").text.contains("urn:s|egg-1"))
        }
    }

    @Test("only searchable questions are searched, a few per form, and for no other site")
    func bounds() async throws {
        let codes = Codes()
        let many = (0..<30).map {
            #"{"linkId": "q\#($0)", "type": "choice", "text": "Q", "answerValueSet": "urn:example:all"}"#
        }
        let questionnaire = """
            {"resourceType": "Questionnaire", "status": "draft", "item": [\(many.joined(separator: ",")),
             {"linkId": "name", "type": "string", "text": "Name"}]}
            """
        let pages = try pages(codes, questionnaire: questionnaire)
        var form = await pages.begin()
        let fields = (0..<30).map { ("q\($0).search", "text \($0)") } + [("name.search", "name")]
        form.fields = fields + [("asked", "none"), ("none.search", "none"), ("find", "q9")]
        #expect(await form.send("preview").status == 200)
        let asked = codes.texts.withLock { $0 }
        #expect(asked.count == OptionSearcher.maximumOfForm && asked.first == "text 9")
        #expect(!asked.contains("name") && !asked.contains("none"))
        let foreign = await form.send(
            "preview",
            ["sec-fetch-site": "cross-site", "origin": "https://a.example"]
        )
        #expect(foreign.status == 403 && codes.texts.withLock { $0 }.count == asked.count)
    }

    @Test("what is suggested stays an answer while something else is searched for")
    func suggested() async throws {
        let questionnaire = """
            {"resourceType": "Questionnaire", "status": "draft",
             "code": [{"system": "urn:s", "code": "7", "display": "Seven"}], "item": [
              {"linkId": "q", "type": "choice", "repeats": true, "text": "Q",
               "answerValueSet": "urn:example:all", "extension": [
                {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-candidateExpression",
                "valueExpression": {"language": "text/fhirpath",
                 "expression": "%questionnaire.code"}}]}]}
            """
        let pages = try pages(Codes(), questionnaire: questionnaire)
        var form = await pages.begin()
        #expect(form.page.contains("value=\"urn:s|7\""))
        form.fields = [("q", "urn:s|7"), ("q.search", "nut"), ("find", "q")]
        let shown = await form.send("preview")
        #expect(shown.text.contains("value=\"urn:s|7\" checked") && shown.text.contains("urn:s|nut-1"))
        form.fields = [("q", "urn:s|7"), ("q", "urn:s|nut-1"), ("q.search", "nut")]
        await form.press("find q")
        form.fields = [("q", "urn:s|7"), ("q", "urn:s|nut-1")]
        await form.press("send")
        #expect(codings(pages.store.completed.first, 0) == ["7 Seven", "nut-1 nut <b>1</b>"])
    }

    @Test("a code has its text in the language in which the person found it")
    func languages() async throws {
        let pages = try TestPages(
            Self.questionnaire,
            valueSets: { _ in Self.tooCostly },
            search: { search in
                let display = search.language == "de" ? "Nuss" : "Nut"
                return FoundOptions([
                    SurveyOption(.coding(Coding(system: "urn:s", code: "1", display: display)))
                ])
            }
        )
        var german = await pages.begin()
        var english = await pages.begin()
        german.fields = [("drugs.search", "nu"), ("find", "drugs")]
        let inGerman = german.path + "?lang=de"
        _ = await pages.post(inGerman, german.hidden + german.fields + [("action", "preview")])
        english.fields = [("drugs.search", "nu"), ("find", "drugs")]
        _ = await english.send("preview")
        german.fields = [("drugs", "urn:s|1")]
        _ = await pages.post(inGerman, german.hidden + german.fields + [("action", "save")])
        #expect(codings(pages.store.all.first, 0) == ["1 Nuss"])
    }

    @Test("a search that fails or takes too long is told beside its question")
    func failures() async throws {
        let pages = try pages(Codes(), searchTime: .milliseconds(50))
        var form = await pages.begin()
        for text in ["down", "slow"] {
            form.fields = [("\(Self.allergy).search", text), ("name.0", "Ada")]
            let answer = await form.press("find \(Self.allergy)")
            #expect(answer.status == 200 && answer.text.contains("The search did not succeed."))
            #expect(answer.text.contains("value=\"Ada\""))
        }
        form.fields = [("\(Self.allergy).search", "slow")]
        #expect(await form.press("send").status == 303)
    }
}
