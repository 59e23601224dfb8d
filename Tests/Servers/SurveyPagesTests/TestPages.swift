import FHIR
import Foundation
import OrderedJSON
import Surveys
import Synchronization
import Testing
import WebServing

@testable import SurveyPages

/// The pages of a questionnaire, without a port.
struct TestPages {
    let pages: SurveyPages
    let store: KeptResponses

    /// - Parameter valueSets: What value sets are, by their canonical URLs.
    init(
        _ questionnaire: String,
        store: KeptResponses = KeptResponses(),
        maximumVisits: Int = 500,
        valueSets: (String) -> ValueSet? = { _ in nil },
        search: OptionSearch.Function? = nil,
        searchTime: Duration = .seconds(60)
    ) throws {
        let questionnaire = try #require(
            Questionnaire(tree: try JSONValue(parsing: Data(questionnaire.utf8)))
        )
        self.store = store
        pages = SurveyPages(
            Survey(questionnaire, valueSets: valueSets),
            store: store,
            search: search,
            searchTime: searchTime,
            maximumVisits: maximumVisits
        )
    }

    func get(_ target: String, _ headers: [String: String] = [:]) async -> Answer {
        await send(Request(method: "GET", target: target, headers: headers))
    }

    /// Begins a response.
    func begin() async -> Form {
        let start = await get("/")
        let location = start.response.header("Location") ?? ""
        return Form(pages: self, page: await get(location).text, address: location)
    }

    func post(_ target: String, _ fields: [(String, String)], _ headers: [String: String] = [:]) async
        -> Answer
    {
        let body = fields.map { "\(Self.escape($0.0))=\(Self.escape($0.1))" }.joined(separator: "&")
        var headers = headers
        headers["content-type"] = "application/x-www-form-urlencoded"
        return await send(Request(method: "POST", target: target, headers: headers, body: Data(body.utf8)))
    }

    func send(_ request: Request) async -> Answer {
        Answer(
            response: await pages.respond(to: request, request.rawPath.split(separator: "/").map(String.init))
        )
    }

    private static func escape(_ text: String) -> String {
        text.utf8.map { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

/// What came back.
struct Answer {
    let response: Response
    var status: Int { response.status }
    var text: String { String(decoding: response.body, as: UTF8.self) }
}

/// A page as a browser has it: its hidden fields, and what the person enters.
struct Form {
    let pages: TestPages
    var page: String
    var address: String
    var fields: [(String, String)] = []

    /// The address without what follows `?`.
    var path: String { String(address.prefix { $0 != "?" && $0 != "#" }) }

    var hidden: [(String, String)] {
        page.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map {
            (String($0.1), String($0.2))
        }
    }

    /// Sends the form by a button, and follows where it leads.
    @discardableResult
    mutating func press(_ action: String, _ headers: [String: String] = [:]) async -> Answer {
        let answer = await send(action, headers)
        if let location = answer.response.header("Location") {
            address = location
            page = await pages.get(location).text
        } else {
            page = answer.text
        }
        fields = []
        return answer
    }

    /// Sends the form and stays on the page.
    func send(_ action: String, _ headers: [String: String] = [:]) async -> Answer {
        await pages.post(path, hidden + fields + [("action", action)], headers)
    }
}

/// Responses in memory, all that were ever saved.
final class KeptResponses: SurveyResponseStore {
    private let responses = Mutex<[String: QuestionnaireResponse]>([:])
    var all: [QuestionnaireResponse] { responses.withLock { Array($0.values) } }
    var completed: [QuestionnaireResponse] { all.filter { $0.status == .completed } }
    func response(_ id: String) -> QuestionnaireResponse? { responses.withLock { $0[id] } }
    func save(_ response: QuestionnaireResponse, id: String) { responses.withLock { $0[id] = response } }
}

/// A questionnaire of two pages with conditions, a repeating group and several kinds of questions.
let visitQuestionnaire = """
    {"resourceType": "Questionnaire", "url": "http://example.org/visit", "title": "Visit", "status": \
    "draft", "item": [
      {"linkId": "you", "type": "group", "text": "About you", "item": [
        {"linkId": "name", "type": "string", "text": "Your name", "required": true},
        {"linkId": "smokes", "type": "boolean", "text": "Do you smoke?"},
        {"linkId": "many", "type": "integer", "text": "How many a day?", "required": true,
         "enableWhen": [{"question": "smokes", "operator": "=", "answerBoolean": true}]},
        {"linkId": "born", "type": "date", "text": "When were you born?"},
        {"linkId": "file", "type": "attachment", "text": "A picture"}]},
      {"linkId": "drugs", "type": "group", "text": "What do you take?", "item": [
        {"linkId": "drug", "type": "group", "text": "Medicine", "repeats": true, "item": [
          {"linkId": "what", "type": "string", "text": "Its name"},
          {"linkId": "dose", "type": "quantity", "text": "How much?", "extension": [
            {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption",
             "valueCoding": {"system": "http://unitsofmeasure.org", "code": "mg", "display": "mg"}}]}]},
        {"linkId": "colour", "type": "open-choice", "text": "Colour", "answerOption": [
          {"valueCoding": {"system": "http://example.org/c", "code": "red", "display": "Red"}},
          {"valueCoding": {"system": "http://example.org/c", "code": "blue", "display": "Blue"}}]}]}]}
    """
