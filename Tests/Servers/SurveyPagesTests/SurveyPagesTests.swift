import FHIR
import Foundation
import OrderedJSON
import Surveys
import Testing
import WebServing

@testable import SurveyPages

@Suite("The pages of surveys")
struct SurveyPagesTests {
    @Test("a page shows items nested as deep as they are read", arguments: ["group", "boolean"])
    func deepPage(type: String) async throws {
        var item = #"{"linkId": "leaf", "type": "string", "text": "Deep down"}"#
        for depth in 0..<63 {
            let initial = type == "boolean" ? #""initial": [{"valueBoolean": true}],"# : ""
            item =
                #"{"linkId": "g\#(depth)", "type": "\#(type)", "text": "G", \#(initial) "item": [\#(item)]}"#
        }
        let pages = try TestPages(
            #"{"resourceType": "Questionnaire", "status": "draft", "item": [\#(item)]}"#
        )
        var form = await pages.begin()
        #expect(form.page.contains("Deep down"))
        #expect(await form.press("send").status < 400)
        #expect(pages.store.completed.count == 1)
    }

    @Test("a unit that is not listed can be written where the units are open")
    func openUnit() async throws {
        let pages = try TestPages(
            """
            {"resourceType": "Questionnaire", "status": "draft", "item": [{"linkId": "dose", "type": \
            "quantity", "text": "How much?", "extension": [{"url": \
            "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption", "valueCoding": {"system": \
            "http://unitsofmeasure.org", "code": "mg"}}, {"url": \
            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-unitOpen", "valueCode": \
            "optionsOrString"}]}]}
            """
        )
        var form = await pages.begin()
        #expect(form.page.contains("<datalist id=\"dose.0.unit.list\"><option value=\"mg\">"))
        form.fields = [("dose.0", "2"), ("dose.0.unit", "drops")]
        #expect(await form.press("send").status == 303)
        let quantity = try #require(pages.store.completed.first)
            .tree["item"]?[0]?["answer"]?[0]?["valueQuantity"]
        #expect(quantity?["value"]?.number == "2" && quantity?["unit"]?.string == "drops")
    }

    @Test("answers are saved page by page and give a nested response at the end")
    func wholeSurvey() async throws {
        let pages = try TestPages(visitQuestionnaire)
        var form = await pages.begin()
        #expect(
            form.page.contains("<label for=\"name.0\">") && form.page.contains("<legend>Do you smoke?")
                && !form.page.contains("many.0")
        )
        form.fields = [
            ("name.0", "Ada"), ("smokes", "false"), ("born.0.year", "1980"), ("born.0.month", "2"),
            ("born.0.day", ""),
        ]
        let next = await form.press("next")
        #expect(next.status == 303 && form.address.hasSuffix("?page=2"))
        let draft = try #require(pages.store.all.first)
        #expect(draft.status == .inProgress && draft.json().count > 0)
        form.fields = [("0.:what.0", "Aspirin"), ("0.:dose.0", "1,5"), ("colour.other", "green")]
        #expect(await form.press("send").status == 303)
        #expect(form.page.contains("Thank you"))
        let response = try #require(pages.store.completed.first)
        #expect(pages.store.all.count == 1)
        let json = response.tree
        #expect(json["id"]?.string == form.path.split(separator: "/").last.map(String.init))
        #expect(json["item"]?[0]?["item"]?[0]?["answer"]?[0]?["valueString"]?.string == "Ada")
        #expect(
            json.text().contains(#""valueDate":"1980-02""#) && json.text().contains(#""valueString":"green""#)
        )
        #expect(
            json["item"]?[1]?["item"]?[0]?["item"]?[1]?["answer"]?[0]?["valueQuantity"]?["value"]?.number
                == "1.5"
        )
    }

    @Test("conditions show at once in the preview, and after a reload without it")
    func conditions() async throws {
        let pages = try TestPages(visitQuestionnaire)
        var form = await pages.begin()
        form.fields = [("name.0", "Ada"), ("smokes", "true")]
        let preview = await form.send("preview")
        #expect(
            preview.status == 200 && preview.text.contains("many.0") && preview.text.contains("value=\"Ada\"")
                && pages.store.all.isEmpty
        )
        // Without script the page is sent without the new question, and shown again with it.
        let next = await form.press("next")
        #expect(
            next.status == 200 && next.text.contains("many.0")
                && next.text.contains("There are more questions")
        )
        form.fields = [("name.0", "Ada"), ("smokes", "true"), ("many.0", "")]
        let missing = await form.press("next")
        #expect(
            missing.status == 422 && missing.text.contains("id=\"many.problem\"")
                && missing.text.contains("href=\"#many\"")
        )
        #expect(missing.text.contains("aria-describedby=\"many.problem\" aria-invalid=\"true\""))
        form.fields = [("name.0", "Ada"), ("smokes", "true"), ("many.0", "12")]
        #expect(await form.press("next").status == 303)
    }

    @Test("what is no answer is shown again with the reason, also after going back")
    func unreadable() async throws {
        let pages = try TestPages(visitQuestionnaire)
        var form = await pages.begin()
        form.fields = [
            ("name.0", "Ada"), ("smokes", "true"), ("born.0.day", "31"), ("born.0.month", "2"),
            ("born.0.year", "1980"),
        ]
        await form.press("next")
        form.fields = [
            ("name.0", "Ada"), ("smokes", "true"), ("many.0", "a dozen"), ("born.0.day", "31"),
            ("born.0.month", "2"),
            ("born.0.year", "1980"),
        ]
        #expect(await form.press("next").status == 422)
        #expect(form.page.contains("value=\"a dozen\"") && form.page.contains("Please enter a whole number"))
        #expect(form.page.contains("value=\"31\"") && form.page.contains("Please enter a date"))
        let again = await pages.get(form.path + "?page=1")
        #expect(again.text.contains("value=\"a dozen\""))
    }

    @Test("repetitions of a group are added and removed, and the others keep their answers")
    func repetitions() async throws {
        let pages = try TestPages(visitQuestionnaire)
        var form = await pages.begin()
        form.fields = [("name.0", "Ada")]
        await form.press("next")
        form.fields = [("0.:what.0", "Aspirin")]
        await form.press("add 0.:drug")
        #expect(
            form.page.contains("value=\"Aspirin\"") && form.page.contains("1.:what.0")
                && form.address.hasSuffix("#1.:drug")
        )
        form.fields = [("0.:what.0", "Aspirin"), ("1.:what.0", "Ibuprofen")]
        await form.press("remove 0.:drug")
        #expect(
            form.page.contains("id=\"0.:what.0\" name=\"0.:what.0\" value=\"Ibuprofen\"")
                && !form.page.contains("Aspirin")
        )
    }

    @Test("an old tab cannot change a complete response; the same form again is no error")
    func afterTheEnd() async throws {
        let pages = try TestPages(visitQuestionnaire)
        var form = await pages.begin()
        let firstPage = form
        form.fields = [("name.0", "Ada")]
        await form.press("next")
        var lastPage = form
        lastPage.fields = [("0.:what.0", "Aspirin")]
        form = lastPage
        await form.press("send")
        #expect(await lastPage.send("send").status == 303)
        var old = firstPage
        old.fields = [("name.0", "Grace")]
        let late = await old.send("next")
        #expect(late.status == 409 && late.text.contains("Nothing was changed"))
        // Beginning again is another response.
        let new = await pages.begin()
        #expect(new.path != firstPage.path)
        #expect(pages.store.completed.count == 1 && pages.store.completed[0].tree.text().contains("Ada"))
    }

    @Test("two windows do not overwrite each other unseen; one may save its page twice")
    func twoWindows() async throws {
        let pages = try TestPages(visitQuestionnaire)
        var first = await pages.begin()
        first.fields = [("name.0", "Ada")]
        await first.press("next")
        let address = first.path + "?page=1"
        var left = Form(pages: pages, page: await pages.get(address).text, address: address)
        var right = Form(pages: pages, page: await pages.get(address).text, address: address)
        left.fields = [("name.0", "Grace")]
        #expect(await left.send("next").status == 303)
        // Back in the browser, and on again with something else.
        left.fields = [("name.0", "Hedy")]
        #expect(await left.send("next").status == 303)
        right.fields = [("name.0", "Mary")]
        let conflict = await right.press("next")
        #expect(
            conflict.status == 409 && conflict.text.contains("another window")
                && conflict.text.contains("value=\"Mary\"")
        )
        #expect(pages.store.all.first?.tree.text().contains("Hedy") == true)
        right.fields = [("name.0", "Mary")]
        #expect(await right.press("next").status == 303)
        #expect(pages.store.all.count == 1 && pages.store.all[0].tree.text().contains("Mary"))
    }

    /// A form on the second page, with one medicine for each name.
    private func medicines(_ names: [String], _ pages: TestPages) async -> Form {
        var form = await pages.begin()
        form.fields = [("name.0", "Ada")]
        await form.press("next")
        for (index, name) in names.enumerated() {
            form.fields = names.prefix(index).enumerated().map { ("\($0.offset).:what.0", $0.element) }
            form.fields.append(("\(index).:what.0", name))
            await form.press(index == names.count - 1 ? "save" : "add \(index).:drug")
        }
        return form
    }

    @Test("a form that removes or adds a row does so once, however often it is sent")
    func repeatedReshaping() async throws {
        let pages = try TestPages(visitQuestionnaire)
        var form = await medicines(["Aspirin", "Ibuprofen", "Codeine"], pages)
        let entered = [("0.:what.0", "Aspirin"), ("1.:what.0", "Ibuprofen"), ("2.:what.0", "Codeine")]
        form.fields = entered
        #expect(await form.send("remove 0.:drug").status == 303)
        #expect(await form.send("remove 0.:drug").status == 303)
        var text = try #require(pages.store.all.first).tree.text()
        #expect(!text.contains("Aspirin") && text.contains("Ibuprofen") && text.contains("Codeine"))
        // Another button of the same form is about rows that have other names now.
        #expect(await form.send("remove 1.:drug").status == 409)
        text = try #require(pages.store.all.first).tree.text()
        #expect(text.contains("Ibuprofen") && text.contains("Codeine"))
        let address = form.path + "?page=2"
        form = Form(pages: pages, page: await pages.get(address).text, address: address)
        form.fields = [("0.:what.0", "Ibuprofen"), ("1.:what.0", "Codeine")]
        #expect(await form.send("add 1.:drug").status == 303)
        #expect(await form.send("add 1.:drug").status == 303)
        let page = await pages.get(address).text
        #expect(page.contains("2.:what.0") && !page.contains("3.:what.0"))
    }

    @Test("a window from before a row was removed is shown what is stored, not its own rows")
    func outdatedRows() async throws {
        let pages = try TestPages(visitQuestionnaire)
        var form = await medicines(["Aspirin", "Ibuprofen"], pages)
        let address = form.path + "?page=2"
        var other = Form(pages: pages, page: await pages.get(address).text, address: address)
        form.fields = [("0.:what.0", "Aspirin"), ("1.:what.0", "Ibuprofen")]
        await form.press("remove 0.:drug")
        other.fields = [("0.:what.0", "Aspirin"), ("1.:what.0", "Ibuprofen forte")]
        let refused = await other.press("save")
        #expect(refused.status == 409 && refused.text.contains("rows were added or removed"))
        #expect(refused.text.contains("value=\"Ibuprofen\"") && !refused.text.contains("Aspirin"))
        #expect(pages.store.all[0].tree.text().contains("Ibuprofen"))
        #expect(!pages.store.all[0].tree.text().contains("forte"))
    }

    @Test("two windows do not overwrite each other's page where its first question has gone")
    func twoWindowsOfAChangingPage() async throws {
        let pages = try TestPages(
            """
            {"resourceType": "Questionnaire", "status": "active", "item": [
              {"linkId": "first", "type": "group", "text": "1", "item": [
                {"linkId": "more", "type": "boolean", "text": "More?"}]},
              {"linkId": "second", "type": "group", "text": "2", "item": [
                {"linkId": "detail", "type": "string", "text": "Detail", "enableWhen": [
                  {"question": "more", "operator": "=", "answerBoolean": true}]},
                {"linkId": "note", "type": "string", "text": "Note"}]}]}
            """
        )
        var form = await pages.begin()
        form.fields = [("more", "true")]
        await form.press("next")
        let old = form
        form.fields = [("detail.0", "d"), ("note.0", "from the old window")]
        var first = Form(
            pages: pages,
            page: await pages.get(form.path + "?page=1").text,
            address: form.path + "?page=1"
        )
        first.fields = [("more", "false")]
        await first.press("next")
        first.fields = [("note.0", "newer")]
        await first.press("save")
        var late = old
        late.fields = [("detail.0", "d"), ("note.0", "older")]
        let refused = await late.send("save")
        #expect(refused.status == 409 && refused.text.contains("not asked any more"))
        #expect(pages.store.all[0].tree.text().contains("newer"))
    }

    @Test("an answer is reported lost where another window took its question away")
    func questionTakenAway() async throws {
        let pages = try TestPages(
            """
            {"resourceType": "Questionnaire", "status": "active", "item": [
              {"linkId": "first", "type": "group", "text": "1", "item": [
                {"linkId": "more", "type": "boolean", "text": "More?"}]},
              {"linkId": "second", "type": "group", "text": "2", "item": [
                {"linkId": "note", "type": "string", "text": "Note"},
                {"linkId": "detail", "type": "string", "text": "Detail", "enableWhen": [
                  {"question": "more", "operator": "=", "answerBoolean": true}]}]}]}
            """
        )
        var form = await pages.begin()
        form.fields = [("more", "true")]
        await form.press("next")
        let address = form.path + "?page=1"
        var other = Form(pages: pages, page: await pages.get(address).text, address: address)
        other.fields = [("more", "false")]
        await other.press("next")
        form.fields = [("note.0", "n"), ("detail.0", "d")]
        let saved = await form.send("save")
        #expect(saved.status == 200 && saved.text.contains("not asked any more"))
        #expect(pages.store.all[0].tree.text().contains("\"n\""))
    }

    @Test("a window from before a restart does not overwrite what was saved since")
    func conflictAfterRestart() async throws {
        let store = KeptResponses()
        let pages = try TestPages(visitQuestionnaire, store: store)
        var form = await pages.begin()
        form.fields = [("name.0", "Ada")]
        await form.press("save")
        let old = form
        form.fields = [("name.0", "Grace")]
        await form.press("save")
        let restarted = try TestPages(visitQuestionnaire, store: store)
        var late = Form(pages: restarted, page: old.page, address: old.address)
        late.fields = [("name.0", "Mary")]
        let refused = await late.send("save")
        #expect(refused.status == 409 && refused.text.contains("value=\"Mary\""))
        #expect(store.all[0].tree.text().contains("Grace"))
        // The newest form goes on as if nothing had happened, and the end has no trace of the count.
        var current = Form(pages: restarted, page: form.page, address: form.address)
        current.fields = [("name.0", "Grace")]
        #expect(await current.press("next").status == 303)
        #expect(store.all[0].tree["extension"] != nil)
        #expect(await current.press("send").status == 303)
        #expect(store.completed.count == 1 && store.completed[0].tree["extension"] == nil)
    }

    @Test("a forgotten response goes on from the store, and without one the form is kept")
    func expiry() async throws {
        let store = KeptResponses()
        let pages = try TestPages(visitQuestionnaire, store: store)
        var form = await pages.begin()
        form.fields = [("name.0", "Ada")]
        await form.press("next")
        let restarted = try TestPages(visitQuestionnaire, store: store)
        #expect(await restarted.get(form.path + "?page=1").text.contains("value=\"Ada\""))
        let other = try TestPages(visitQuestionnaire)
        #expect(await other.get(form.path).status == 404)
        let expired = await other.post(
            form.path,
            [
                ("asked", "colour"), ("colour.other", "green"), ("revision", "3"), ("page", "2"),
                ("action", "next"),
            ]
        )
        #expect(
            expired.status == 200 && expired.text.contains("does not have the earlier pages")
                && expired.text.contains("value=\"green\"")
        )
    }

    @Test("looking keeps nothing, visitors lock nobody out, and who is on a page stays")
    func memory() async throws {
        let pages = try TestPages(visitQuestionnaire, maximumVisits: 50)
        var form = await pages.begin()
        form.fields = [("name.0", "Ada"), ("smokes", "true")]
        await form.press("next")
        for _ in 0..<2_000 { _ = await pages.begin() }
        #expect(pages.pages.registry.count == 1)
        for number in 0..<300 {
            var visitor = await pages.begin()
            visitor.fields = [("name.0", "V\(number)")]
            await visitor.press("next")
            #expect(await visitor.press("send").status == 303)
        }
        #expect(pages.store.completed.count == 300 && pages.pages.registry.count <= 50)
        form.fields = [("name.0", "Ada"), ("smokes", "true"), ("many.0", "3")]
        #expect(await form.press("next").status == 303)
    }

    @Test("a file of 5 MB is stored and replaced; what is too large leaves the old one")
    func files() async throws {
        let pages = try TestPages(visitQuestionnaire)
        let form = await pages.begin()
        func upload(_ bytes: Int, _ name: String) async -> Answer {
            var body = Data()
            for (field, value) in [
                ("asked", "file"), ("asked", "name"), ("name.0", "Ada"), ("page", "1"), ("action", "save"),
            ] {
                body += Data(
                    "--X\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(value)\r\n".utf8
                )
            }
            body += Data(
                """
                --X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\nContent-Type: \
                image/png\r\n\r\n
                """
                .utf8
            )
            body += Data(repeating: 0x2D, count: bytes) + Data("\r\n--X--\r\n".utf8)
            return await pages.send(
                Request(
                    method: "POST",
                    target: form.path,
                    headers: ["content-type": "multipart/form-data; boundary=X"],
                    body: body
                )
            )
        }
        for name in ["a.png", "b;c.png", "d.png"] { #expect(await upload(5_000_000, name).status == 303) }
        #expect(await upload(12_000_000, "large.png").status == 303)
        #expect(await pages.get(form.path + "?page=1").text.contains("too large together"))
        let file = try #require(
            pages.store.all.first?.tree["item"]?[0]?["item"]?[1]?["answer"]?[0]?["valueAttachment"]
        )
        #expect(
            file["title"]?.string == "d.png" && file["size"]?.integer == 5_000_000
                && file["contentType"]?.string == "image/png"
        )
    }

    @Test("forms of other sites are refused, those behind a proxy that ends TLS are taken")
    func origins() async throws {
        let pages = try TestPages(visitQuestionnaire)
        let form = await pages.begin()
        let proxied = [
            "host": "127.0.0.1:8080", "origin": "https://survey.example.org", "sec-fetch-site": "same-origin",
        ]
        #expect(await form.send("save", proxied).status == 303)
        #expect(
            await form.send("save", ["host": "survey.example.org", "origin": "https://survey.example.org"])
                .status == 303
        )
        #expect(
            await form.send("save", ["host": "127.0.0.1", "origin": "https://evil.example"]).status == 403
        )
        #expect(await form.send("save", ["host": "127.0.0.1", "sec-fetch-site": "cross-site"]).status == 403)
        #expect(await form.send("save", ["host": "127.0.0.1", "origin": "null"]).status == 403)
    }

    @Test("whatever a questionnaire or an answer holds is text, and none of it is script")
    func escaping() async throws {
        let attack = #"<script>alert('x')</script>\"&"#
        let pages = try TestPages(
            """
            {"resourceType": "Questionnaire", "title": "\(attack)", "status": "draft", "item": [
              {"linkId": "\(attack)", "type": "string", "text": "\(attack)", "prefix": "\(attack)"},
              {"linkId": "c", "type": "choice", "text": "T", "_text": {"extension": [
                {"url": "http://hl7.org/fhir/StructureDefinition/rendering-markdown", "valueMarkdown": \
            "**b** \(attack) [l](javascript:x) [m](https://a.example/)"}]},
               "answerOption": [{"valueString": "\(attack)"}]},
              {"linkId": "d", "type": "display", "text": "\(attack)"}]}
            """
        )
        var form = await pages.begin()
        let name = try #require(form.page.firstMatch(of: /name="asked" value="([^"]*)"/)).1
        form.fields = [("\(name).0", "<script>2")]
        await form.press("save")
        #expect(
            !form.page.contains("<script>") && !form.page.contains("href=\"javascript")
                && form.page.contains("<strong>b</strong>")
        )
        #expect(
            form.page.contains("href=\"https://a.example/\"")
                && form.page.contains("value=\"&lt;script&gt;2\"")
        )
        let policy = await pages.get(form.path).response.header("Content-Security-Policy") ?? ""
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
    }

    @Test("a page of thousands of questions is read and shown in proportional time")
    func large() async throws {
        let items = (0..<4_000).map { #"{"linkId": "q\#($0)", "type": "string", "text": "Q"}"# }.joined(
            separator: ","
        )
        let pages = try TestPages(
            #"{"resourceType": "Questionnaire", "status": "draft", "item": [\#(items)]}"#
        )
        var form = await pages.begin()
        form.fields = (0..<4_000).map { ("q\($0).0", "answer \($0)") }
        #expect(await form.press("send").status == 303)
        #expect(pages.store.completed.first?.tree["item"]?.elements?.count == 4_000)
        let many = (0..<3_000).map {
            #"{"linkId": "g", "item": [{"linkId": "a", "answer": [{"valueString": "\#($0)"}]}]}"#
        }
        let response = try JSONValue(
            parsing: Data(
                #"""
                {"resourceType": "QuestionnaireResponse", "status": "in-progress", "item": \#
                [\#(many.joined(separator: ","))]}
                """#
                .utf8
            )
        )
        let store = KeptResponses()
        store.save(try #require(QuestionnaireResponse(tree: response)), id: "AAAAAAAAAAAAAAAAAAAA")
        let group = try TestPages(
            """
            {"resourceType": "Questionnaire", "status": "draft", "item": [{"linkId": "g", "type": "group", \
            "repeats": true, "text": "G", "item": [{"linkId": "a", "type": "string", "text": "A"}]}]}
            """,
            store: store
        )
        let page = await group.get("/responses/AAAAAAAAAAAAAAAAAAAA").text
        #expect(page.contains("2999.:a.0") && page.contains("value=\"2999\""))
    }

    @Test("choices of a table are rows, and repetitions of a grid are rows; both are read")
    func tables() async throws {
        let control =
            """
            "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl", \
            "valueCodeableConcept": {"coding": [{"code": "gtable"}]}}]
            """
        let options =
            """
            "answerOption": [{"valueCoding": {"code": "0", "display": "Never"}}, {"valueCoding": {"code": \
            "1", "display": "Often"}}]
            """
        let pages = try TestPages(
            """
            {"resourceType": "Questionnaire", "status": "draft", "item": [
              {"linkId": "m", "type": "group", "text": "How often?", \(control), "item": [
                {"linkId": "m1", "type": "choice", "text": "Tired", \(options)}, {"linkId": "m2", "type": \
            "choice", "text": "Sad", \(options)}]},
              {"linkId": "r", "type": "group", "text": "Rows", "repeats": true, \(control), "item": [
                {"linkId": "r1", "type": "string", "text": "What"}, {"linkId": "r2", "type": "integer", \
            "text": "How many"}]}]}
            """
        )
        var form = await pages.begin()
        #expect(
            form.page.contains("<table class=\"matrix\">") && form.page.contains("aria-label=\"Sad: Often\"")
        )
        form.fields = [("m1", "|1"), ("m2", "|0")]
        await form.press("next")
        #expect(form.page.contains("<table class=\"rows\">"))
        form.fields = [("0.:r1.0", "x"), ("0.:r2.0", "2")]
        #expect(await form.press("send").status == 303)
        let text = try #require(pages.store.completed.first).tree.text()
        #expect(text.contains(#""display":"Often""#) && text.contains(#""valueInteger":2"#))
    }

    @Test("texts are shown in the language of the browser, and the address can ask for one")
    func languages() async throws {
        let pages = try TestPages(
            """
            {"resourceType": "Questionnaire", "status": "draft", "language": "en", "item": [{"linkId": "a", \
            "type": "string", "text": "Name",
             "_text": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation", \
            "extension": [
               {"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "Vorname"}]}]}}]}
            """
        )
        let form = await pages.begin()
        #expect(form.page.contains("Name") && form.page.contains("lang=\"en\""))
        let german = await pages.get(form.address, ["accept-language": "de-AT,de;q=0.9,en;q=0.8"]).text
        #expect(german.contains("Vorname") && german.contains("Antworten senden"))
        #expect(
            await pages.get(form.path + "?begin&lang=de").text.contains("action=\"\(form.path)?lang=de\"")
        )
    }
}
