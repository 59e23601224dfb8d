import OrderedJSON
import Testing

@Suite("Changing JSON values")
struct EditingTests {
    private func parsed() throws -> JSONValue {
        try JSONValue(parsing: #"{"a": [1, 2.50, {"x": "\u0041"}], "b": {"c": {"d": 1e2}}, "e": null}"#)
    }

    @Test("a member is replaced where it is, a new one comes last, nil removes")
    func members() throws {
        var value = try parsed()
        value["b"] = true
        value["f"] = "new"
        value["e"] = nil
        value["nothing"] = nil
        #expect(value.text() == #"{"a":[1,2.50,{"x":"\u0041"}],"b":true,"f":"new"}"#)
    }

    @Test("changes deep inside leave what is beside them as it was written")
    func nested() throws {
        var value = try parsed()
        value["b"]?["c"]?["d"] = 3
        value["a"]?[2]?["y"] = [.null]
        value["a"]?[1] = nil
        #expect(value.text() == #"{"a":[1,{"x":"\u0041","y":[null]}],"b":{"c":{"d":3}},"e":null}"#)
        #expect(value["a"]?[1]?["x"]?.location?.line == 1)
        #expect(value["a"]?.location == nil)
    }

    @Test("a copy keeps what it was")
    func copies() throws {
        let original = try parsed()
        var one = original
        var other = original
        one["b"]?["c"] = 1
        other["b"]?["c"] = 2
        let second = one
        one["b"]?["c"] = 3
        #expect(original["b"]?["c"]?["d"]?.number == "1e2")
        #expect([one, other, second].map { $0["b"]?["c"]?.integer } == [3, 2, 1])
        #expect(original == (try parsed()))
    }

    @Test("elements are replaced, removed and appended")
    func elements() throws {
        var value = try JSONValue(parsing: "[1,2,3]")
        value[0] = "one"
        value[3] = 4
        value.append(5)
        value[1] = nil
        #expect(value.text() == #"["one",3,4,5]"#)
        #expect(value[4] == nil)
        #expect(value[-1] == nil)
        var new = JSONValue.null
        new.append(1)
        #expect(new.text() == "[1]")
    }

    @Test("setting one of repeated members leaves one, where the last was")
    func repeated() throws {
        var value = try JSONValue(parsing: #"{"a":1,"b":2,"a":3,"c":4}"#)
        value["a"] = 5
        #expect(value.text() == #"{"b":2,"a":5,"c":4}"#)
        var other = try JSONValue(parsing: #"{"a":1,"b":2,"a":3}"#)
        other["a"] = nil
        #expect(other.text() == #"{"b":2}"#)
    }

    @Test("setting a member of null or a scalar makes an object of it")
    func replacingScalars() {
        var value = JSONValue.null
        value["a"] = 1
        #expect(value.text() == #"{"a":1}"#)
        var text: JSONValue = "text"
        text["a"] = nil
        #expect(text.text() == #""text""#)
    }

    @Test("asking for a member that is not there, to change it, changes nothing")
    func optionalChain() throws {
        var value = try parsed()
        value["nothing"]?["x"] = 1
        value["e"]?["x"] = nil
        #expect(value == (try parsed()))
    }
}
