import FHIR
import FHIRTerminology
import Testing

@Suite("Expansions, filters and bounds")
struct ExpansionTests {
    private static let system = """
        {"resourceType": "CodeSystem", "url": "http://a/animals", "status": "active", "content": "complete",
         "property": [{"code": "legs", "type": "integer"}],
         "concept": [{"code": "animal", "property": [{"code": "notSelectable", "valueBoolean": true}], "concept": [
           {"code": "bird", "display": "Bird", "property": [{"code": "legs", "valueInteger": 2}],
            "designation": [{"language": "de", "value": "Vogel"}], "concept": [{"code": "penguin"}]},
           {"code": "dodo", "property": [{"code": "status", "valueCode": "retired"}]},
           {"code": "fish", "property": [{"code": "child", "valueCode": "penguin"}]}]}]}
        """

    /// The codes of a value set with this compose, over the animals.
    private func codes(
        _ compose: String,
        _ more: [String] = [],
        options: ExpansionOptions = ExpansionOptions()
    ) throws -> [String] {
        let set =
            #"{"resourceType": "ValueSet", "url": "http://a/set", "status": "active", "compose": \#(compose)}"#
        let terminology = try Terminology(
            adding: ([Self.system, set] + more).map { try AnyResource(parsing: $0) }
        )
        return try terminology.expand("http://a/set", options: options).codes.map(\.value.code)
    }

    private func filtered(_ property: String, _ operation: String, _ value: String) throws -> [String] {
        let filter = #"[{"property": "\#(property)", "op": "\#(operation)", "value": "\#(value)"}]"#
        return try codes(#"{"include": [{"system": "http://a/animals", "filter": \#(filter)}]}"#)
    }

    @Test(
        "each operation of a filter chooses its concepts",
        arguments: [
            ("concept", "is-a", "bird", ["bird", "penguin"]),
            ("concept", "is-a", "fish", ["penguin", "fish"]),
            ("concept", "descendent-of", "bird", ["penguin"]),
            ("concept", "is-not-a", "bird", ["animal", "dodo", "fish"]),
            ("concept", "generalizes", "penguin", ["animal", "bird", "penguin", "fish"]),
            ("code", "regex", "[a-e].*", ["animal", "bird", "dodo"]),
            ("code", "in", "bird, fish", ["bird", "fish"]),
            ("code", "not-in", "bird,fish,animal", ["penguin", "dodo"]),
            ("legs", "=", "2", ["bird"]),
            ("legs", "exists", "true", ["bird"]),
            ("legs", "exists", "false", ["animal", "penguin", "dodo", "fish"]),
            ("parent", "=", "fish", ["penguin"]),
            ("child", "=", "penguin", ["bird", "fish"]),
            ("inactive", "=", "true", ["dodo"]),
        ]
    )
    func filters(property: String, operation: String, value: String, expected: [String]) throws {
        #expect(try filtered(property, operation, value) == expected)
    }

    @Test("checking a code and expanding agree for every code of R4's small value sets")
    func checksAgree() throws {
        for url in Terminology.valueSetsOfR4 {
            guard let expansion = try? Terminology.r4.expand(url), expansion.total <= 40 else { continue }
            for code in expansion.codes {
                let validation = Terminology.r4.validate(code.value.code, system: code.value.system, in: url)
                guard code.isAbstract else {
                    if case .valid = validation { continue }
                    Issue.record("\(url) \(code.value): \(validation)")
                    continue
                }
            }
            #expect(Terminology.r4.validate("no such code", in: url).isInvalid)
        }
    }

    @Test("a filter on a property that the code system does not have is an error")
    func unknownProperty() {
        #expect(throws: TerminologyError.self) { try filtered("wings", "=", "2") }
        #expect(throws: TerminologyError.self) { try filtered("concept", "is-a", "unicorn") }
        #expect(throws: TerminologyError.self) { try filtered("code", "regex", "[") }
    }

    @Test("includes are joined, exclusions removed, imports intersected with their system")
    func composition() throws {
        let birds = #"""
            {"resourceType": "ValueSet", "url": "http://a/birds", "status": "active", "compose": {"include": [
              {"system": "http://a/animals", "filter": [{"property": "concept", "op": "is-a", "value": "bird"}]}]}}
            """#
        let all = #"{"system": "http://a/animals"}"#
        #expect(
            try codes(#"{"include": [\#(all)], "exclude": [{"valueSet": ["http://a/birds"]}]}"#, [birds])
                == ["animal", "dodo", "fish"]
        )
        #expect(
            try codes(
                #"{"include": [{"system": "http://a/animals", "valueSet": ["http://a/birds"]}]}"#,
                [birds]
            ) == ["bird", "penguin"]
        )
        #expect(
            try codes(
                #"{"include": [{"valueSet": ["http://a/birds"]}, {"system": "http://b", "concept": [{"code": "x"}]}]}"#,
                [birds]
            ) == ["bird", "penguin", "x"]
        )
        #expect(
            try codes(#"{"inactive": false, "include": [\#(all)]}"#) == ["animal", "bird", "penguin", "fish"]
        )
    }

    @Test("a page, a text, a language, and what is left out")
    func options() throws {
        let all = #"{"include": [{"system": "http://a/animals"}]}"#
        var options = ExpansionOptions()
        options.offset = 1
        options.count = 2
        #expect(try codes(all, options: options) == ["bird", "penguin"])
        options = ExpansionOptions()
        options.activeOnly = true
        options.excludesAbstract = true
        #expect(try codes(all, options: options) == ["bird", "penguin", "fish"])
        options = ExpansionOptions()
        options.displayLanguage = "de-CH"
        options.filter = "vog"
        #expect(try codes(all, options: options) == ["bird"])
    }

    @Test("a value set that imports itself, directly or not, is an error and not checked")
    func cycles() throws {
        let other = #"""
            {"resourceType": "ValueSet", "url": "http://a/other", "status": "active",
             "compose": {"include": [{"valueSet": ["http://a/set"]}]}}
            """#
        let compose = #"{"include": [{"valueSet": ["http://a/other"]}]}"#
        #expect(throws: TerminologyError.cycle(valueSet: "http://a/other")) { try codes(compose, [other]) }
        let set =
            #"{"resourceType": "ValueSet", "url": "http://a/set", "status": "active", "compose": \#(compose)}"#
        let terminology = try Terminology(adding: [set, other].map { try AnyResource(parsing: $0) })
        #expect(terminology.validate("x", in: "http://a/set").isNotChecked)
    }

    @Test("value sets that import each other twice at every level end at once")
    func exponential() throws {
        let sets = (0..<40).map { level in
            let next = "http://a/\(level + 1)"
            return #"""
                {"resourceType": "ValueSet", "url": "http://a/\#(level)", "status": "active", "compose":
                  {"include": [{"valueSet": ["\#(next)"]}, {"valueSet": ["\#(next)", "\#(next)"]}]}}
                """#
        }
        let last = #"""
            {"resourceType": "ValueSet", "url": "http://a/40", "status": "active", "compose":
              {"include": [{"system": "http://b", "concept": [{"code": "x"}]}]}}
            """#
        let terminology = try Terminology(adding: (sets + [last]).map { try AnyResource(parsing: $0) })
        #expect(terminology.validate("x", system: "http://b", in: "http://a/0") == .valid(display: nil))
        #expect(try terminology.expand("http://a/0").total == 1)
    }

    @Test("an expansion of more codes or steps than the limits allow is an error")
    func limits() throws {
        var limits = Terminology.Limits()
        limits.codes = 3
        let terminology = try Terminology(adding: [AnyResource(parsing: Self.system)], limits: limits)
        let part =
            #"{"resourceType": "ValueSet", "status": "active", "compose": {"include": [{"system": "http://a/animals"}]}}"#
        let definition = try ValueSetDefinition(ValueSet(parsing: part))
        #expect(throws: TerminologyError.tooManyCodes(limit: 3)) { try terminology.expand(definition) }
    }

    @Test("a concept with 100,000 parents, or a chain as long, is read and queried quickly")
    func hostile() throws {
        let parents = (0..<100_000).map { #"{"code": "parent", "valueCode": "p\#($0)"}"# }.joined(
            separator: ","
        )
        let concepts = (0..<100_000).map {
            #"{"code": "p\#($0)", "property": [{"code": "parent", "valueCode": "p\#($0 + 1)"}]}"#
        }.joined(separator: ",")
        let text = #"""
            {"resourceType": "CodeSystem", "url": "http://a", "status": "active", "content": "complete",
             "concept": [{"code": "x", "property": [\#(parents)]}, \#(concepts)]}
            """#
        let terminology = try Terminology(adding: [AnyResource(parsing: text)])
        #expect(try terminology.subsumption(of: "p99999", and: "p0", in: "http://a") == .subsumes)
        let set = #"""
            {"resourceType": "ValueSet", "status": "active", "compose": {"include": [{"system": "http://a",
              "filter": [{"property": "concept", "op": "is-a", "value": "p50000"}]}]}}
            """#
        #expect(try terminology.expand(ValueSetDefinition(ValueSet(parsing: set))).total == 50_002)
    }

    @Test("a supplement adds designations and properties to a code system's concepts")
    func supplements() throws {
        let supplement = #"""
            {"resourceType": "CodeSystem", "url": "http://a/more", "status": "active", "content": "supplement",
             "supplements": "http://a/animals", "concept": [{"code": "fish",
               "property": [{"code": "scales", "valueBoolean": true}],
               "designation": [{"language": "nl", "value": "vis"}]}]}
            """#
        let terminology = try Terminology(
            adding: [Self.system, supplement].map { try AnyResource(parsing: $0) }
        )
        let fish = try #require(try terminology.codeSystem("http://a/animals")?.concept("fish"))
        #expect(fish.display(in: "nl") == "vis")
        #expect(fish.properties.contains { $0.name == "scales" && $0.value == "true" })
    }
}
