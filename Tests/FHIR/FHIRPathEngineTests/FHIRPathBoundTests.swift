import FHIR
import FHIRPathEngine
import OrderedJSON
import Testing

/// An expression from a stranger ends, whatever it is.
@Suite struct FHIRPathBoundTests {
    private let patient: JSONValue = ["resourceType": "Patient", "id": "1", "name": [["given": ["A", "B"]]]]

    @Test(
        "expressions that would take for ever end in a limit",
        arguments: [
            "(1|2|3|4|5|6|7|8|9|10).repeatAll($this | $this + 1)",
            "repeatAll($this)",
            """
            'aaaaaaaaaa'.replace('', 'bbbbbbbbbb').replace('', 'cccccccccc').replace('', \
            'cccccccccc').replace('', 'cccccccccc')
            """
                + ".replace('', 'cccccccccc').replace('', 'cccccccccc').replace('', 'cccccccccc')",
            """
            (1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24).aggregate($total & $total & \
            'a', 'aaaaaaaa')
            """,
            "(1|2|3|4|5|6|7|8|9).select(%context.repeatAll($this))",
        ]
    )
    func endless(expression: String) throws {
        var context = FHIRPathContext()
        context.limits.steps = 200_000
        context.limits.items = 100_000
        context.limits.stringLength = 1_000_000
        let path = try FHIRPath(expression)
        do {
            let items = try path.evaluate(on: patient, in: context)
            Issue.record("\(items.count) items")
        } catch {
            #expect(error.kind == .limit)
        }
    }

    @Test(
        "what an evaluation makes is bounded, whatever the pieces",
        arguments: [
            "'a'.repeat($this + 'a')", "'a'.repeatAll($this & 'a')", "1.repeat($this + 1)",
            "1.repeatAll($this + 1)",
            "'x'.defineVariable('t', \(long)).select(\(forty).select(%t.upper()))",
            "'x'.defineVariable('t', \(long)).select(\(forty).select(%t.substring(1)))",
            "'x'.defineVariable('t', \(long)).select(\(forty).select(%t.split('b')))",
            "'x'.defineVariable('t', \(long)).select(\(forty).select(%t.trim()))",
            "'x'.defineVariable('t', \(long)).select(\(forty).select(%t.toString()))",
            "'x'.defineVariable('t', \(long)).select(\(forty).select(%t & 'a'))",
            "'x'.defineVariable('t', \(long)).select(%t.toChars())",
        ]
    )
    func made(expression: String) throws {
        var context = FHIRPathContext()
        context.limits.madeBytes = 2_000_000
        let error = #expect(throws: FHIRPathError.self) {
            try FHIRPath(expression).evaluate(on: patient, in: context)
        }
        #expect(error?.kind == .limit)
        #expect(error?.reason.contains("2000000 bytes") == true, "\(error?.reason ?? "")")
    }

    @Test("what is found and numbers that are only compared do not count as made values")
    func found() throws {
        var context = FHIRPathContext()
        context.limits.madeBytes = 0
        let items = try FHIRPath("name.given.where($this.length() + 1 = 2) | name.given").evaluate(
            on: patient,
            in: context
        )
        #expect(items.count == 2)
    }

    private static let forty = "'1234567890123456789012345678901234567890'.toChars()"

    /// A text of a hundred thousand characters.
    private static let long = "'aaaaaaaaaa'" + String(repeating: ".replace('a', 'aaaaaaaaaa')", count: 4)

    @Test(
        "long texts and collections are counted by what they take",
        arguments: [
            "'x'.defineVariable('t', \(long)).select(%t.toChars().where(%t = %t))",
            "'x'.defineVariable('t', \(long)).select(%t.toChars().where(%t ~ %t))",
            "'x'.defineVariable('t', \(long)).select(%t.toChars().where(%t > %t))",
            "'x'.defineVariable('t', \(long)).select(%t.toChars().where(%t.toBoolean()))",
            "'x'.defineVariable('t', \(long)).select(%t.toChars().where('a'.contains(%t)))",
            "'x'.defineVariable('t', \(long).toChars()).select(%t.where(%t.tail().empty()))",
            "'x'.defineVariable('t', \(long).toChars()).select(%t.where(%t.ofType(Quantity).empty()))",
            "'x'.defineVariable('t', \(long)).select(%t.toChars().select(%t).join())",
            "\(long).replace('a', 'aaaaaaaaaa').replace('a', 'bbb').toChars()",
            "\(long).replaceMatches('a', '\(String(repeating: "$0", count: 50))')",
            "\(long).encode('hex').encode('hex').encode('hex').encode('hex').encode('hex')",
            "'\\\\'" + String(repeating: ".escape('json')", count: 40),
        ]
    )
    func longTexts(expression: String) throws {
        var context = FHIRPathContext()
        context.limits.steps = 600_000
        context.limits.stringLength = 1_000_000
        do {
            let items = try FHIRPath(expression).evaluate(on: patient, in: context)
            Issue.record("\(items.count) items")
        } catch {
            #expect(error.kind == .limit, "\(error)")
        }
    }

    @Test("a part of a text is found, however often it almost matches")
    func partOfText() throws {
        // Each of a hundred thousand beginnings goes wrong only at the end.
        let text = Self.long
        let found = try FHIRPath("(\(text) & 'b').indexOf(\(text).substring(1) & 'b')").evaluate(on: patient)
        #expect(found.map(\.integer) == [1])
        let parts = try FHIRPath(
            "'aXaXXb'.split('X') | 'aaa'.lastIndexOf('aa').toString() | 'aaa'.replace('aa', 'b')"
        )
        .evaluate(on: patient)
        #expect(parts.map(\.string) == ["a", "", "b", "1", "ba"])
    }

    @Test("parts of an object of very many members are found in one pass")
    func manyMembers() throws {
        let members = (0..<200_000).map { "\"a\($0)\":1" }.joined(separator: ",")
        let json = try JSONValue(parsing: "{\"resourceType\":\"Patient\",\"_a7\":{\"id\":\"x\"},\(members)}")
        #expect(try FHIRPath("children().count()").evaluate(on: json).map(\.integer) == [200_000])
        #expect(try FHIRPath("children().id").evaluate(on: json).map(\.string) == ["x"])
    }

    @Test("elements that repeat a name in the same way are equal")
    func repeatedName() throws {
        let name = #"{"text":"a b","text":"c d"}"#
        let json = try JSONValue(parsing: #"{"resourceType":"Patient","name":[\#(name),\#(name)]}"#)
        #expect(try FHIRPath("name[0] = name[1]").evaluate(on: json).map(\.text) == ["true"])
    }

    @Test("a replacement of very many matches takes time in proportion to its text")
    func manyMatches() throws {
        let items = try FHIRPath("\(Self.long).replaceMatches('a', 'b').length()").evaluate(on: patient)
        #expect(items.map(\.integer) == [100_000])
    }

    @Test(
        "expressions nested too deep are refused when they are read",
        arguments: ["(", "-", "a.where(", "1+("]
    )
    func deep(part: String) {
        do {
            _ = try FHIRPath(String(repeating: part, count: 5000))
            Issue.record("read")
        } catch {
            #expect(error.kind == .limit || error.kind == .syntax)
        }
    }

    @Test("long chains of operators are bounded")
    func longChains() {
        #expect(throws: FHIRPathError.self) { try FHIRPath(String(repeating: "1+", count: 5000) + "1") }
    }

    @Test(
        "errors say where they are",
        arguments: [
            ("1 +", 3), ("name.given(", 11), ("a b", 2), ("'open", 0), ("@2015-13", 0), ("foo()", 0),
            ("where()", 0),
            ("%nothing", 0), ("Patient.name.given + 1", 19), ("1 = $what", 4), ("1 /* open", 2),
            ("name.first(1)", 5),
        ]
    )
    func positions(expression: String, offset: Int) {
        do {
            let items = try FHIRPath(expression).evaluate(on: patient)
            Issue.record("\(items.map(\.text))")
        } catch {
            #expect(error.offset == offset, "\(error)")
        }
    }

    @Test("many rows of a form are told apart in few steps, however they are written")
    func rows() throws {
        func row(_ number: Int) -> JSONValue {
            [
                "linkId": "row", "text": "A row",
                "item": [
                    ["linkId": "id", "answer": [["valueString": JSONValue("id-\(number)")]]],
                    ["linkId": "state", "answer": [["valueCoding": ["code": "active"]]]],
                ],
            ]
        }
        let response: JSONValue = [
            "resourceType": "QuestionnaireResponse", "item": JSONValue((0..<500).map(row)),
        ]
        var context = FHIRPathContext()
        context.limits.steps = 200_000
        // 500 rows, 500 items for their ids, and one for the state, which all of them have.
        #expect(try FHIRPath("repeat(item)").evaluate(on: response, in: context).count == 1_001)

        let same: JSONValue = [
            "resourceType": "Observation",
            "component": [
                ["code": ["text": "a"], "valueQuantity": ["value": 1, "unit": "g", "code": "g"]],
                ["valueQuantity": ["code": "g", "unit": "g", "value": 1.0], "code": ["text": "a"]],
                ["code": ["text": "b"], "valueQuantity": ["value": 1, "unit": "g", "code": "g"]],
            ],
        ]
        #expect(try FHIRPath("component.distinct()").evaluate(on: same).count == 2)
        #expect(try FHIRPath("repeat(component)").evaluate(on: same).count == 2)
    }

    @Test("rows that are looked for by link id end, also in what is no response")
    func oddRows() throws {
        for odd: JSONValue in [
            ["resourceType": "item", "linkId": "x", "item": [["linkId": "x"]]],
            ["resourceType": "QuestionnaireResponse", "item": [["linkId": ["x"]], ["linkId": "x"]]],
            ["resourceType": "QuestionnaireResponse", "item": [["resourceType": "item", "linkId": "x"]]],
        ] {
            let short = try FHIRPath("repeat(item).where(linkId = 'x')").evaluate(on: odd)
            let long = try FHIRPath("repeat(item).where((linkId = 'x') = true)").evaluate(on: odd)
            #expect(short.map(\.json) == long.map(\.json))
        }
    }

    @Test("equal items are one in a set of distinct items, whatever their type")
    func equalElements() throws {
        let same: JSONValue = [
            "resourceType": "Observation",
            "component": [
                ["valueQuantity": ["unit": "x", "value": .null]], ["valueQuantity": ["unit": "x"]],
                ["valueQuantity": ["unit": "x", "value": []]],
            ],
        ]
        #expect(try FHIRPath("component.value.distinct()").evaluate(on: same).count == 1)
        let mixed: JSONValue = [
            "resourceType": "Observation", "valueQuantity": ["value": 1],
            "extension": [["url": "http://example.org", "valueMoney": ["value": 1]]],
        ]
        for expression in ["value | extension.value", "extension.value | value"] {
            #expect(try FHIRPath("(\(expression)).count()").evaluate(on: mixed).map(\.text) == ["1"])
        }
    }

    @Test("rows that are looked for by link id are those of the whole repetition, in order")
    func filteredRows() throws {
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: .min ... .max, using: &random)
        var state = seed | 1
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        func row(_ depth: Int) -> JSONValue {
            var made: JSONValue = ["linkId": JSONValue("\(next(3))")]
            if next(2) == 0 { made["answer"] = [["valueInteger": JSONValue(Int(next(3)))]] }
            let count = depth > 0 ? Int(next(4)) : 0
            let rows = (0..<count).map { _ in row(depth - 1) }
            if !rows.isEmpty { made["item"] = JSONValue(rows) }
            return made
        }
        for _ in 0..<50 {
            let response: JSONValue = [
                "resourceType": "QuestionnaireResponse",
                "item": JSONValue((0..<(1 + Int(next(6)))).map { _ in row(4) }),
            ]
            for base in ["", "%resource.", "item.", "item.where(linkId = '1')."] {
                let short = try FHIRPath("\(base)repeat(item).where(linkId = '1')")
                let long = try FHIRPath("\(base)repeat(item).where((linkId = '1') = true)")
                let found = try short.evaluate(on: response).map(\.json)
                #expect(try found == long.evaluate(on: response).map(\.json), "seed \(seed)")
            }
        }
    }
}
