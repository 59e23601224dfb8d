import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON
import Surveys
import Testing

/// Public questionnaires with what their publishers' own tests, or a calculation by hand, say that comes of
/// them. The facts are in `Tests/Interop/surveys/published-results.json`; the questionnaires lie beside the
/// package, or in the folder that the environment variable `QUESTIONNAIRES` names.
struct PublishedResults {
    struct Case: Sendable {
        let file: String
        let name: String
        let kind: String
        /// Who says what is expected.
        let source: String
        let facts: JSONValue

        var title: String { "\(file) (\(kind)\(name.isEmpty ? "" : ", " + name))" }
    }

    /// A value that is compared: what was expected, and what came.
    struct Comparison {
        let name: String
        let expected: [JSONValue]
        let found: [JSONValue]
        /// Why it is not what the publisher expects.
        let difference: String?

        var isEqual: Bool { expected.map(\.comparable) == found.map(\.comparable) }
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Interop/surveys/published-results.json").standardizedFileURL

    private static var folders: [URL] {
        let further = ProcessInfo.processInfo.environment["QUESTIONNAIRES"].map { URL(filePath: $0) }
        return [SharedQuestionnaires.folder] + (further.map { [$0] } ?? [])
    }

    static func cases() throws -> [Case] {
        let tree = try JSONValue(parsing: Data(contentsOf: file))
        return (tree["cases"]?.elements ?? []).map { facts in
            Case(
                file: facts["file"]?.string ?? "",
                name: facts["name"]?.string ?? "",
                kind: facts["kind"]?.string ?? "",
                source: facts["by"]?.string ?? "",
                facts: facts
            )
        }
    }

    /// The questionnaire of a case; nil where it is not there.
    static func questionnaire(of one: Case) throws -> Questionnaire? {
        (one.facts["questionnaire"] ?? json(one.file)).flatMap(Questionnaire.init(tree:))
    }

    /// A file's JSON; nil where it is not there.
    private static func json(_ name: String) -> JSONValue? {
        for folder in folders {
            let url = folder.appending(path: name + ".json")
            if let data = try? Data(contentsOf: url) { return try? JSONValue(parsing: data) }
        }
        return nil
    }

    /// Fills, answers and extracts as a case says.
    static func comparisons(_ one: Case, _ questionnaire: Questionnaire) throws -> [Comparison] {
        let survey = Survey(questionnaire)
        var context = SurveyContext(now: one.facts["now"]?.string ?? "2026-03-02T10:00:00Z")
        let given = one.facts["contexts"] ?? json(one.file + ".contexts")
        for member in given?.members ?? [] {
            context.resources[member.name] = member.value.elements.map(Array.init) ?? [member.value]
        }
        let record = one.facts["record"]?.elements.map(Array.init) ?? []
        var session = SurveySession(survey, context: context)
        for _ in 0..<3 where !session.openQueries.isEmpty {
            for url in session.openQueries { context.queries[url] = found(by: url, in: record) }
            session = SurveySession(survey, context: context)
        }
        let answered =
            one.facts["response"] ?? (one.facts["answers"] == nil ? json(one.file + ".response") : nil)
        if let tree = answered, let response = QuestionnaireResponse(tree: tree) {
            session = SurveySession(survey, restoring: response, context: context)
            session.recalculate()
        }
        if let answers = one.facts["answers"] {
            let problems = session.fill(with: answers)
            #expect(problems.isEmpty, "\(one.title): \(problems)")
        }
        var comparisons = (one.facts["filled"]?.members ?? []).map { member in
            Comparison(
                name: member.name,
                expected: member.value.elements.map(Array.init) ?? [],
                found: session.occurrences(of: member.name).filter { session.isEnabled($0) }
                    .flatMap { session.answers(of: $0) }.map(\.essence),
                difference: one.facts["differs"]?[member.name]?.string
            )
        }
        if one.kind == "population", let tree = json(one.file + ".filled") {
            comparisons += leaves(tree["item"], session.response(.inProgress).tree["item"], one)
        }
        let expected = one.kind == "extraction" ? json(one.file + ".extracted") : nil
        guard one.facts["extracted"] != nil || expected != nil else { return comparisons }
        var response = session.response(.completed, authored: FHIRDateTime(text: context.now ?? ""))
        if let given = answered {
            for name in ["id", "subject", "author", "authored"] { response.tree[name] = given[name] }
        }
        if answered == nil { response.tree["id"] = "r" }
        // As the questionnaire makes it: what is left out because it is not valid FHIR is theirs to say.
        let bundle = survey.extract(from: response, context: context).unchecked.tree
        if let expected { comparisons += leaves(entries(of: expected), entries(of: bundle), one) }
        for member in one.facts["extracted"]?.members ?? [] {
            comparisons.append(
                Comparison(
                    name: member.name,
                    expected: member.value.elements.map(Array.init) ?? [],
                    found: try FHIRPath(member.name).evaluate(on: bundle).map(\.json),
                    difference: one.facts["differs"]?[member.name]?.string
                )
            )
        }
        return comparisons
    }

    /// The entries of a bundle, whose order means nothing, in one that both have.
    private static func entries(of bundle: JSONValue) -> JSONValue {
        let entries = bundle["entry"]?.elements.map(Array.init) ?? []
        func key(_ entry: JSONValue) -> String {
            let resource = entry["resource"]
            return (resource?["resourceType"]?.string ?? "") + " " + (resource?["code"]?.text() ?? "")
        }
        return JSONValue(
            entries.enumerated().sorted { (key($0.element), $0.offset) < (key($1.element), $1.offset) }
                .map(\.element)
        )
    }

    /// The values in two trees by their paths, without the texts and ids that implementations make up.
    private static func leaves(_ expected: JSONValue?, _ found: JSONValue?, _ one: Case) -> [Comparison] {
        var theirs: [String: JSONValue] = [:]
        var ours: [String: JSONValue] = [:]
        expected?.collect(into: &theirs)
        found?.collect(into: &ours)
        return Set(theirs.keys).union(ours.keys).sorted().map { path in
            Comparison(
                name: path,
                expected: theirs[path].map { [$0] } ?? [],
                found: ours[path].map { [$0] } ?? [],
                difference: one.facts["differs"]?.members?
                    .first { path.hasPrefix($0.name) || path.hasSuffix($0.name) }?.value.string
            )
        }
    }

    /// What a server with the resources of a record finds: those of the type that have one of the codes.
    private static func found(by url: String, in record: [JSONValue]) -> JSONValue {
        let parts = url.split(separator: "?", maxSplits: 1)
        let type = parts[0].split(separator: "/")[0]
        let codes =
            parts.count < 2
            ? nil
            : parts[1].split(separator: "&").first { $0.hasPrefix("code=") }?
                .dropFirst(5).split(separator: ",").map {
                    String($0.removingPercentEncoding?.split(separator: "|").last ?? "")
                }
        let found = record.filter { resource in
            guard resource["resourceType"]?.string == String(type) else { return false }
            guard let codes else { return true }
            return (resource["code"]?["coding"]?.elements ?? []).contains {
                codes.contains($0["code"]?.string ?? "")
            }
        }
        return [
            "resourceType": "Bundle", "type": "searchset",
            "entry": JSONValue(found.map { ["resource": $0] }),
        ]
    }
}

extension SurveyAnswer {
    /// The answer as facts name it: of a coding the code, or where there is none the display, of a quantity
    /// the number, of a reference what it refers to.
    fileprivate var essence: JSONValue {
        let tree = content.tree
        return switch self {
        case .coding: tree["code"] ?? tree["display"] ?? tree
        case .quantity: tree["value"] ?? tree
        case .reference: tree["reference"] ?? tree
        default: tree
        }
    }
}

extension JSONValue {
    /// Adds the values in the tree by their paths, in which items have their link ids.
    fileprivate func collect(into found: inout [String: JSONValue], at path: String = "") {
        if let elements {
            var counts: [String: Int] = [:]
            for element in elements {
                let name = element["linkId"]?.string ?? ""
                let count = counts[name, default: 0]
                counts[name] = count + 1
                element.collect(into: &found, at: "\(path)[\(name)\(name.isEmpty ? "" : " ")\(count)]")
            }
        } else if let members {
            let made = ["linkId", "text", "fullUrl", "id", "definition", "extension"]
            let isItem = self["linkId"] != nil
            for member in members where !(member.name == "fullUrl" || isItem && made.contains(member.name)) {
                member.value.collect(into: &found, at: "\(path).\(member.name)")
            }
        } else {
            found[path] = self
        }
    }

    /// The value as text, with `1.0` as `1`, and all UUIDs as one.
    fileprivate var comparable: String {
        number.flatMap { Decimal(string: $0) }.map { "\($0)" }
            ?? text().replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "UUID")
    }
}

@Suite("Surveys: published results")
struct PublishedResultTests {
    /// A row of the article: a questionnaire, a kind, how many values were compared, how many were equal.
    private struct Row {
        let name: String
        var compared = 0
        var equal = 0

        var line: String { "| \(name) | \(compared) | \(equal) |" }
    }

    private static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/FHIR/Surveys/Surveys.docc/PublishedResults.md").standardizedFileURL

    @Test("public questionnaires give what their publishers expect, but for listed cases")
    func publishedResults() throws {
        var compared = 0
        var equal = 0
        var missing: Set<String> = []
        var rows: [Row] = []
        let article = try String(contentsOf: Self.article, encoding: .utf8)
        for one in try PublishedResults.cases() {
            guard let questionnaire = try PublishedResults.questionnaire(of: one) else {
                missing.insert(one.file)
                continue
            }
            let comparisons = try PublishedResults.comparisons(one, questionnaire)
            for comparison in comparisons {
                #expect(
                    comparison.isEqual == (comparison.difference == nil),
                    """
                    \(one.title): \(comparison.name) is \(comparison.found.map { $0.text() }), \
                    \(one.source) has \(comparison.expected.map { $0.text() })
                    """
                )
            }
            let name = "\(one.file) | \(one.kind)"
            if rows.last?.name != name { rows.append(Row(name: name)) }
            rows[rows.count - 1].compared += comparisons.count
            rows[rows.count - 1].equal += comparisons.count { $0.isEqual }
            compared += comparisons.count
            equal += comparisons.count { $0.isEqual }
            for reason in Set(comparisons.compactMap(\.difference)) {
                #expect(article.contains(reason), "the article does not say: \(reason)")
            }
        }
        if ProcessInfo.processInfo.environment["QUESTIONNAIRES"] != nil {
            print(rows.map(\.line).joined(separator: "\n"))
            print("compared \(compared), equal \(equal), missing \(missing.sorted())")
        }
        for row in rows { #expect(article.contains(row.line), "the article does not have: \(row.line)") }
        #expect(Double(equal) >= 0.95 * Double(compared), "\(equal) of \(compared)")
    }
}
