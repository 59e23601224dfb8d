import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON
import TestSupport
import Testing

/// The official tests of FHIRPath for R4, where they are at hand.
@Suite(
    .enabled(
        if: SharedFHIR.exists("fhirpath"),
        "The official tests are not beside the package, in ../shared/fhir."
    )
)
struct FHIRPathSuiteTests {
    /// What is left out, with the reason. By expression, since names occur twice.
    static let leftOut: [String: String] = [:]

    @Test("the official tests pass")
    func official() throws {
        var total = 0
        var failures: [String] = []
        var skipped = 0
        for file in SharedFHIR.files("fhirpath") where file.lastPathComponent.hasPrefix("tests-") {
            let tests = try JSONValue(parsing: Data(contentsOf: file))
            for test in try #require(tests.elements) {
                total += 1
                let expression = try #require(test["expression"]?.string)
                if Self.leftOut[expression] != nil {
                    skipped += 1
                    continue
                }
                if let failure = Self.run(test, expression) {
                    let group = test["group"]?.string ?? ""
                    let name = test["name"]?.string ?? ""
                    failures.append("\(group) \(name) \(expression): \(failure)")
                }
            }
        }
        #expect(total >= 400)
        #expect(Double(skipped) < Double(total) * 0.03)
        #expect(failures.isEmpty, "\(failures.count) of \(total):\n\(failures.joined(separator: "\n"))")
        print(
            """
            FHIRPath: \(total - skipped - failures.count) of \(total) official tests pass, \(skipped) left out
            """
        )
    }

    /// The tests of fhirpath.js beside the official ones. Its `%factory` is its own, and in about one of
    /// twenty it differs: UCUM's years and the calendar's never compare there, JSON without types compares by
    /// spelling, `ln` has a digit more.
    @Test("the tests of another engine agree", .enabled(if: SharedFHIR.exists("fhirpath/extra")))
    func otherEngine() throws {
        var total = 0
        var failures: [String] = []
        for file in SharedFHIR.files("fhirpath/extra") where file.lastPathComponent.hasPrefix("cases-") {
            let cases = try JSONValue(parsing: Data(contentsOf: file))
            for test in try #require(cases["tests"]?.elements) {
                guard let expression = test["expression"]?.string, !expression.contains("%factory") else {
                    continue
                }
                total += 1
                if let failure = Self.runExtra(test, expression, subjects: cases["subjects"]) {
                    failures.append("\(test["id"]?.string ?? "") \(expression): \(failure)")
                }
            }
        }
        print("FHIRPath: \(total - failures.count) of \(total) tests of fhirpath.js pass")
        #expect(total >= 400)
        #expect(Double(failures.count) < Double(total) * 0.08, "\(failures.joined(separator: "\n"))")
    }

    private static func runExtra(_ test: JSONValue, _ expression: String, subjects: JSONValue?) -> String? {
        let mustFail = test["error"]?.boolean == true
        do {
            let subject: JSONValue?
            if let name = test["inputfile"]?.string {
                subject = try JSONValue(
                    parsing: Data(
                        contentsOf: SharedFHIR.folder.appending(path: "fhirpath/extra/input/\(name)")
                    )
                )
            } else {
                subject = test["subject"]?.string.flatMap { subjects?[$0] }
            }
            var context = FHIRPathContext()
            for member in test["variables"]?.members ?? [] {
                context.variables[member.name] = (member.value.elements.map(Array.init) ?? [member.value]).map
                { FHIRPathItem($0) }
            }
            let items = try FHIRPath(expression).evaluate(
                on: subject.map { [FHIRPathItem($0)] } ?? [],
                in: context
            )
            if mustFail { return "an error is expected, not \(items.map(\.text))" }
            let expected = test["result"]?.elements.map(Array.init) ?? []
            let isSame =
                items.count == expected.count
                && zip(items, expected).allSatisfy { item, value in
                    if let number = value.number { return item.decimal == Decimal(string: number) }
                    if let string = value.string { return item.text == string }
                    return item.json == value
                }
            return isSame ? nil : "\(items.map(\.text)), not \(expected.map { $0.text() })"
        } catch {
            return mustFail ? nil : "\(error)"
        }
    }

    private static func run(_ test: JSONValue, _ expression: String) -> String? {
        let mustFail = test["invalid"]?.string
        var context = FHIRPathContext()
        context.isStrict = test["mode"]?.string == "strict" || mustFail == "semantic"
        do {
            let path = try FHIRPath(expression)
            var input: [FHIRPathItem] = []
            if let name = test["input"]?.string {
                input = [
                    FHIRPathItem(
                        try JSONValue(
                            parsing: Data(
                                contentsOf: SharedFHIR.folder.appending(path: "fhirpath/input/\(name)")
                            )
                        )
                    )
                ]
            }
            let items = try path.evaluate(on: input, in: context)
            if let mustFail { return "a \(mustFail) error is expected, not \(items.map(\.text))" }
            let expected = test["output"]?.elements.map(Array.init) ?? []
            if test["predicate"]?.string == "true" {
                let holds =
                    items.isEmpty ? "false" : items.count == 1 ? "\(items[0].boolean ?? true)" : "true"
                return holds == expected.first?["value"]?.string ?? "false" ? nil : "\(holds)"
            }
            guard items.count == expected.count else { return "\(items.map(\.text))" }
            var rest = items
            for output in expected {
                let text = output["value"]?.string ?? ""
                let isOrdered = test["ordered"]?.string != "false"
                let index = isOrdered ? 0 : rest.firstIndex { matches($0, text, output["type"]?.string) } ?? 0
                guard matches(rest.remove(at: index), text, output["type"]?.string) else {
                    return "\(items.map(\.text))"
                }
            }
            return nil
        } catch {
            return mustFail == nil ? "\(error)" : nil
        }
    }

    private static func matches(_ item: FHIRPathItem, _ text: String, _ type: String?) -> Bool {
        let expected =
            text.hasPrefix("@T")
            ? text.dropFirst(2) : text.hasPrefix("@") ? text.dropFirst() : Substring(text)
        if let type {
            let own = item.typeName.replacingOccurrences(of: "System.", with: "")
            guard
                own.lowercased() == type.lowercased() || ["string", "uri"].contains(type)
                    || item.decimal != nil
            else {
                return false
            }
        }
        if let decimal = item.decimal, type != "decimal", type != nil {
            return Decimal(string: text) == decimal
        }
        return item.text == expected
    }
}
