import OrderedJSON
import Testing

@Suite("Equality of JSON values")
struct EqualityTests {
    @Test(
        "equal by content: white space, escapes and the order of members do not count",
        arguments: [
            (#"{"a":1,"b":[2]}"#, #" { "b" : [ 2 ], "a" : 1 } "#), (#""\u0041\/""#, #""A/""#),
            (#"{"\u0061":1}"#, #"{"a":1}"#),
            (#"{"a":1,"b":2,"a":3}"#, #"{"b":2,"a":1,"a":3}"#), ("[]", "[ ]"), ("{}", "{ }"),
            (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"c":2,"b":1}}"#),
        ]
    )
    func equal(one: String, other: String) throws {
        let a = try JSONValue(parsing: one)
        let b = try JSONValue(parsing: other)
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
        #expect(JSONValue.rebuilt(a) == b)
        #expect(JSONValue.rebuilt(a).hashValue == b.hashValue)
    }

    @Test(
        "different content is not equal",
        arguments: [
            ("1.0", "1.00"), ("1e2", "100"), ("1", "\"1\""), ("null", "false"), ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"), ("[]", "{}"),
            (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":1}"#, #"{"a":1,"b":1}"#),
            (#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#), (#"{"a":1,"a":1}"#, #"{"a":1}"#),
            (#"{"b":1,"a":1}"#, #"{"a":1,"c":1}"#),
        ]
    )
    func different(one: String, other: String) throws {
        let a = try JSONValue(parsing: one)
        let b = try JSONValue(parsing: other)
        #expect(a != b)
        #expect(b != a)
        #expect(JSONValue.rebuilt(a) != b)
    }
}

extension JSONValue {
    /// The same value, made and not parsed.
    static func rebuilt(_ value: JSONValue) -> JSONValue {
        if let members = value.members {
            return JSONValue(members: members.map { JSONMember(name: $0.name, value: rebuilt($0.value)) })
        }
        if let elements = value.elements { return JSONValue(elements.map(rebuilt)) }
        if let string = value.string { return JSONValue(string) }
        if let number = value.number { return JSONValue(number: number) ?? .null }
        return value.boolean.map { JSONValue($0) } ?? .null
    }
}
