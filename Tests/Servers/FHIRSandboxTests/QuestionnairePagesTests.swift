import Foundation
import OrderedJSON
import Testing

@testable import FHIRSandbox

@Suite("Questionnaires on the pages of the FHIR sandbox")
struct QuestionnairePagesTests {
    private static let questionnaire: JSONValue = [
        "resourceType": "Questionnaire", "id": "mood", "url": "http://example.org/mood", "status": "active",
        "title": "Mood",
        "item": [
            [
                "linkId": "well", "type": "choice", "text": "Are you well?",
                "answerValueSet": "http://example.org/answers|1",
            ],
            ["linkId": "note", "type": "string", "text": "Note"],
        ],
    ]
    private static let answers: JSONValue = [
        "resourceType": "ValueSet", "id": "answers", "url": "http://example.org/answers", "status": "active",
        "compose": [
            "include": [
                ["system": "http://example.org/a", "concept": [["code": "y", "display": "Quite well"]]]
            ]
        ],
    ]

    @Test("a stored questionnaire is listed and answered, and its response is stored")
    func answer() async throws {
        let server = try TestServer()
        await server.store(Self.answers, Self.questionnaire)
        #expect(await server.get("/questionnaires").text.contains("href=\"/questionnaires/mood/\""))
        #expect(
            await server.get("/resources/Questionnaire/mood").text.contains("href=\"/questionnaires/mood/\"")
        )
        let start = await server.get("/questionnaires/mood/")
        let address = try #require(start.header("Location"))
        #expect(start.status == 303 && address.hasPrefix("/questionnaires/mood/responses/"))
        let page = await server.get(address)
        #expect(page.status == 200 && page.text.contains("Quite well"))
        #expect(await server.found("QuestionnaireResponse").isEmpty)
        let path = String(address.prefix { $0 != "?" })
        let form = "asked=well&asked=note&page=1&note.0=%3Cb%3E&well=http%3A%2F%2Fexample.org%2Fa%7Cy&action="
        let type = "application/x-www-form-urlencoded"
        #expect(await server.send("POST", path, type: type, body: form + "save").status == 303)
        #expect(await server.found("QuestionnaireResponse?status=in-progress").count == 1)
        #expect(
            await server.send("POST", path, ["Sec-Fetch-Site": "cross-site"], type: type, body: form + "send")
                .status == 403
        )
        #expect(
            await server.send(
                "POST",
                path,
                ["Sec-Fetch-Site": "same-origin"],
                type: type,
                body: form + "send"
            ).status == 303
        )
        let ids = await server.found(
            "QuestionnaireResponse?questionnaire=http://example.org/mood&status=completed"
        )
        #expect(ids.count == 1)
        let stored = await server.get("QuestionnaireResponse/\(ids.first ?? "")").json
        #expect(stored["item"]?[0]?["answer"]?[0]?["valueCoding"]?["display"]?.string == "Quite well")
        #expect(await server.get(path).text.contains("Thank you"))
    }

    @Test("a new version of a questionnaire goes on with the responses of the old one")
    func versions() async throws {
        let server = try TestServer()
        await server.store(Self.answers, Self.questionnaire)
        let path = String(
            (await server.get("/questionnaires/mood/").header("Location") ?? "").prefix { $0 != "?" }
        )
        _ = await server.send(
            "POST",
            path,
            type: "application/x-www-form-urlencoded",
            body: "asked=well&asked=note&note.0=kept&page=1&action=save"
        )
        var changed = Self.questionnaire
        changed["title"] = "Mood, again"
        await server.store(changed)
        let page = await server.get(path).text
        #expect(page.contains("Mood, again") && page.contains("value=\"kept\""))
        #expect(await server.get("/questionnaires/none/").status == 404)
        #expect(await server.send("POST", "/patients/a").status == 405)
    }
}
