import FHIR
import OrderedJSON
import Surveys
import Testing

/// Includes of value sets that name several (FHIR R4, ValueSet.compose.include.valueSet).
struct ValueSetIntersectionTests {
    private static func listed(
        _ id: String,
        _ codes: [String],
        system: String = "s",
        _ members: [String: JSONValue] = [:]
    ) -> JSONValue {
        let concepts = codes.map { ["code": JSONValue($0)] as JSONValue }
        var tree: JSONValue = [
            "resourceType": "ValueSet", "id": JSONValue(id), "url": JSONValue("http://example.org/\(id)"),
            "compose": ["include": [["system": JSONValue(system), "concept": JSONValue(concepts)]]],
        ]
        for (name, value) in members { tree[name] = value }
        return tree
    }

    private static let unknown: JSONValue = [
        "resourceType": "ValueSet", "id": "unknown", "url": "http://example.org/unknown",
        "compose": ["include": [["system": "s", "filter": [["property": "p", "op": "=", "value": "v"]]]]],
    ]

    /// The codes of a value set that includes what is given, and the diagnostics' codes.
    private func codes(_ include: JSONValue, exclude: JSONValue? = nil) -> (
        codes: [String]?, diagnostics: [String]
    ) {
        var compose: JSONValue = ["include": include]
        compose["exclude"] = exclude
        let contained: JSONValue = [
            Self.listed("abc", ["a", "b", "c"]), Self.listed("bcd", ["b", "c", "d"]),
            Self.listed("other", ["b"], system: "t"),
            Self.listed("cd", ["c", "d"]), Self.unknown,
            ["resourceType": "ValueSet", "id": "all", "compose": compose],
        ]
        let survey = survey(
            [["linkId": "q", "type": "choice", "answerValueSet": "#all"]],
            ["contained": contained]
        )
        guard case .listed(let options)? = survey.item("q")?.format.options else {
            return (nil, survey.diagnostics.map(\.code))
        }
        return (options.compactMap { $0.value.coding?.code }, survey.diagnostics.map(\.code))
    }

    private func sets(_ names: String...) -> JSONValue {
        JSONValue(names.map { JSONValue("http://example.org/\($0)") })
    }

    @Test("value sets of one include intersect, those of several add up")
    func intersection() {
        #expect(codes([["valueSet": sets("abc", "bcd")]]).codes == ["b", "c"])
        #expect(codes([["valueSet": sets("abc", "bcd", "cd")]]).codes == ["c"])
        #expect(codes([["valueSet": sets("abc")], ["valueSet": sets("cd")]]).codes == ["a", "b", "c", "d"])
        #expect(codes([["valueSet": sets("abc", "other")]]).codes == [])
        #expect(
            codes([["valueSet": sets("abc")]], exclude: [["valueSet": sets("abc", "bcd")]]).codes == ["a"]
        )
    }

    @Test("a system of an include narrows its value sets, with or without concepts")
    func system() {
        #expect(
            codes([["system": "s", "concept": [["code": "a"], ["code": "d"]], "valueSet": sets("abc")]]).codes
                == ["a"]
        )
        #expect(codes([["system": "s", "valueSet": sets("abc")]]).codes == ["a", "b", "c"])
        #expect(codes([["system": "t", "valueSet": sets("abc")]]).codes == [])
    }

    @Test("codes that something unknown narrows are all taken, with a diagnostic")
    func unknown() {
        for include: JSONValue in [
            [["valueSet": sets("unknown", "abc")]], [["valueSet": sets("abc", "missing")]],
            [
                [
                    "system": "s", "filter": [["property": "p", "op": "=", "value": "v"]],
                    "valueSet": sets("abc"),
                ]
            ],
        ] {
            let (codes, diagnostics) = codes(include)
            #expect(codes == ["a", "b", "c"] && diagnostics == ["valueSetIncomplete"])
        }
        #expect(codes([["valueSet": sets("missing")]]).codes == nil)
    }

    @Test("a value set that a given one includes is asked for too")
    func given() {
        let tree: JSONValue = [
            "resourceType": "Questionnaire", "status": "draft",
            "item": [["linkId": "q", "type": "choice", "answerValueSet": "http://example.org/outer"]],
        ]
        let survey = Survey(Questionnaire(view: tree)) { url in
            switch url {
            case "http://example.org/outer":
                ValueSet(view: [
                    "resourceType": "ValueSet",
                    "compose": ["include": [["valueSet": ["http://example.org/abc"]]]],
                ])
            case "http://example.org/abc": ValueSet(view: Self.listed("abc", ["a", "b"]))
            default: nil
            }
        }
        guard case .listed(let options)? = survey.item("q")?.format.options else {
            return #expect(Bool(false), "no options")
        }
        #expect(options.count == 2)
    }

    @Test(
        "value sets that include or exclude each other end in a diagnostic",
        arguments: ["include", "exclude"]
    )
    func cycles(part: String) {
        let contained = (0..<20).map { number -> JSONValue in
            let others = (0..<200).map { ["valueSet": [JSONValue("#v\($0 % 20)")]] as JSONValue }
            var compose: JSONValue = ["include": [["system": "s", "concept": [["code": "a"]]]]]
            compose[part] = JSONValue(others)
            return ["resourceType": "ValueSet", "id": JSONValue("v\(number)"), "compose": compose]
        }
        let survey = survey(
            [["linkId": "q", "type": "choice", "answerValueSet": "#v0"]],
            ["contained": JSONValue(contained)]
        )
        #expect(survey.diagnostics.map(\.code).contains("valueSetIncomplete"))
    }

    @Test("many value sets that include the same large one are bounded together")
    func large() {
        let codes = (0..<10_000).map { "c\($0)" }
        let contained =
            [Self.listed("large", codes)]
            + (0..<300).map { number -> JSONValue in
                [
                    "resourceType": "ValueSet", "id": JSONValue("v\(number)"),
                    "compose": ["include": [["valueSet": ["#large"]]]],
                ]
            }
        let items = (0..<300).map {
            ["linkId": JSONValue("\($0)"), "type": "choice", "answerValueSet": JSONValue("#v\($0)")]
                as JSONValue
        }
        let survey = survey(JSONValue(items), ["contained": JSONValue(contained)])
        #expect(
            survey.diagnostics.contains { $0.code == "valueSetIncomplete" && $0.text.contains("together") }
        )
    }
}
