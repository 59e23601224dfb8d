import FHIR
import OrderedJSON
import Testing

/// An expression from a stranger ends, whatever it is.
@Suite struct FHIRPathBoundTests {
    private let patient: JSONValue = ["resourceType": "Patient", "id": "1", "name": [["given": ["A", "B"]]]]

    @Test("Expressions that would take for ever end in a limit", arguments: [
        "(1|2|3|4|5|6|7|8|9|10).repeatAll($this | $this + 1)",
        "repeatAll($this)",
        "'aaaaaaaaaa'.replace('', 'bbbbbbbbbb').replace('', 'cccccccccc').replace('', 'cccccccccc').replace('', 'cccccccccc')"
            + ".replace('', 'cccccccccc').replace('', 'cccccccccc').replace('', 'cccccccccc')",
        "(1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24).aggregate($total & $total & 'a', 'aaaaaaaa')",
        "(1|2|3|4|5|6|7|8|9).select(%context.repeatAll($this))",
    ])
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

    @Test("Expressions nested too deep are refused when they are read", arguments: ["(", "-", "a.where(", "1+("])
    func deep(part: String) {
        do {
            _ = try FHIRPath(String(repeating: part, count: 5000))
            Issue.record("read")
        } catch {
            #expect(error.kind == .limit || error.kind == .syntax)
        }
    }

    @Test func longChainsOfOperatorsHaveABound() {
        #expect(throws: FHIRPathError.self) { try FHIRPath(String(repeating: "1+", count: 5000) + "1") }
    }

    @Test("Errors say where they are", arguments: [
        ("1 +", 3), ("name.given(", 11), ("a b", 2), ("'open", 0), ("@2015-13", 0), ("foo()", 0), ("where()", 0),
        ("%nothing", 0), ("Patient.name.given + 1", 19), ("1 = $what", 4), ("1 /* open", 2), ("name.first(1)", 5),
    ])
    func positions(expression: String, offset: Int) {
        do {
            let items = try FHIRPath(expression).evaluate(on: patient)
            Issue.record("\(items.map(\.text))")
        } catch {
            #expect(error.offset == offset, "\(error)")
        }
    }
}
