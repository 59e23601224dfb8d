import FHIR
import FHIRPathEngine
import OrderedJSON
import Testing

/// Rules of FHIRPath that the official tests at hand do not cover.
@Suite("Rules of FHIRPath")
struct FHIRPathRuleTests {
    private let patient: JSONValue = [
        "resourceType": "Patient",
        "name": [["given": ["Jim"], "family": "Moss"], ["given": ["Ann"], "family": "Dow"]],
    ]

    private func evaluate(_ expression: String, _ context: FHIRPathContext = FHIRPathContext()) throws
        -> [String]
    {
        try FHIRPath(expression).evaluate(on: patient, in: context).map(\.text)
    }

    @Test(
        "quantities are equivalent in both directions, to the less precise",
        arguments: [
            ("4 'g'", "4040 'mg'", true), ("3.04 'g'", "3040 'mg'", true), ("4040 'mg'", "4.0409 'g'", false),
            ("4.0 'g'", "4400 'mg'", true), ("4 'g'", "4600 'mg'", false), ("4.1 'g'", "4000 'mg'", false),
            ("23 'Cel'", "73.4 '[degF]'", true), ("23.5 'Cel'", "73.4 '[degF]'", false),
            ("1 year", "12 'mo'", true),
            ("1 'g'", "1 'cm'", false),
        ]
    )
    func equivalence(left: String, right: String, isEquivalent: Bool) throws {
        #expect(try evaluate("\(left) ~ \(right)") == ["\(isEquivalent)"])
        #expect(try evaluate("\(right) ~ \(left)") == ["\(isEquivalent)"])
    }

    @Test("iif on several items is an error, on one and on none it is not")
    func iif() throws {
        #expect(throws: FHIRPathError.self) { try evaluate("('item1' | 'item2').iif(true, 'a', 'b')") }
        #expect(try evaluate("'item1'.iif($this = 'item1', 'a', 'b')") == ["a"])
        #expect(try evaluate("{}.iif(true, 'a', 'b')") == ["a"])
        #expect(try evaluate("name.select(iif(family = 'Moss', 'a', 'b'))") == ["a", "b"])
    }

    @Test(
        "a variable holds for what follows in its chain",
        arguments: [
            ("defineVariable('v', 'x').select(%v)", ["x"]),
            ("defineVariable('v', 'x').select(%v).first().select(%v & %v)", ["xx"]),
            // Each item, and each operand, defines its own.
            ("name.select(defineVariable('n').given.select($this & %n.family))", ["JimMoss", "AnnDow"]),
            ("defineVariable('v', 'x').select(%v) | defineVariable('v', 'y').select(%v)", ["x", "y"]),
            ("'a'.replace(defineVariable('p', 'a').select(%p), defineVariable('p', 'b').select(%p))", ["b"]),
            (
                "defineVariable('r', 'r').select(defineVariable('v', 'v').select(%v)).select(%r & $this)",
                ["rv"]
            ),
        ]
    )
    func variables(expression: String, result: [String]) throws {
        #expect(try evaluate(expression) == result)
    }

    @Test(
        "a variable is unknown outside of its operand or argument",
        arguments: [
            "defineVariable('v', 'x').select(%v) | %v", "defineVariable('v', 'x').exists() and %v = 'x'",
            "select(defineVariable('v', 'x').select(%v)).select(%v)",
            "where(defineVariable('v', 'x').exists()).select(%v)",
            "iif(defineVariable('v', true).exists(), %v)",
            "name[defineVariable('v', 0).select(%v)].select(%v)",
        ]
    )
    func variablesOutside(expression: String) throws {
        do {
            let result = try evaluate(expression)
            Issue.record("\(result)")
        } catch let error as FHIRPathError {
            #expect(error.kind == .semantic, "\(error)")
        }
    }

    @Test("a variable is defined once in a chain")
    func twice() {
        #expect(throws: FHIRPathError.self) {
            try evaluate("defineVariable('v', 1).defineVariable('v', 2).select(%v)")
        }
    }

    @Test("as on several items is an error, unless each is to be cast")
    func casts() throws {
        #expect(throws: FHIRPathError.self) { try evaluate("name as HumanName") }
        var context = FHIRPathContext()
        context.castsEachItem = true
        #expect(try evaluate("(name as HumanName).family", context) == ["Moss", "Dow"])
        #expect(try evaluate("(name.given | name).as(HumanName).family", context) == ["Moss", "Dow"])
    }
}
