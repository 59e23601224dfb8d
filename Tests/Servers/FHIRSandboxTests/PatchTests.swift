import OrderedJSON
import Testing

@testable import FHIRSandbox

@Suite("JSON Patch")
struct PatchTests {
    private func applied(_ patch: JSONValue, to json: JSONValue) throws -> JSONValue {
        try PatchDocument(patch, limit: 100).apply(to: json, limits: FHIRSandboxLimits())
    }

    @Test("the examples of RFC 6902, appendix A")
    func examples() throws {
        #expect(
            try applied([["op": "add", "path": "/baz", "value": "qux"]], to: ["foo": "bar"]) == [
                "baz": "qux", "foo": "bar",
            ]
        )
        #expect(
            try applied([["op": "add", "path": "/foo/1", "value": "qux"]], to: ["foo": ["bar", "baz"]]) == [
                "foo": ["bar", "qux", "baz"]
            ]
        )
        #expect(
            try applied([["op": "remove", "path": "/baz"]], to: ["baz": "qux", "foo": "bar"]) == [
                "foo": "bar"
            ]
        )
        #expect(
            try applied([["op": "remove", "path": "/foo/1"]], to: ["foo": ["bar", "qux", "baz"]]) == [
                "foo": ["bar", "baz"]
            ]
        )
        #expect(
            try applied([["op": "replace", "path": "/baz", "value": "boo"]], to: ["baz": "qux"]) == [
                "baz": "boo"
            ]
        )
        #expect(
            try applied(
                [["op": "move", "from": "/foo/waldo", "path": "/qux/thud"]],
                to: ["foo": ["bar": "baz", "waldo": "fred"], "qux": ["corge": "grault"]]
            )
                == ["foo": ["bar": "baz"], "qux": ["corge": "grault", "thud": "fred"]]
        )
        #expect(
            try applied(
                [["op": "move", "from": "/foo/1", "path": "/foo/3"]],
                to: ["foo": ["all", "grass", "cows", "eat"]]
            )
                == ["foo": ["all", "cows", "eat", "grass"]]
        )
        #expect(
            try applied(
                [
                    ["op": "test", "path": "/baz", "value": "qux"],
                    ["op": "test", "path": "/foo/1", "value": 2],
                ],
                to: ["baz": "qux", "foo": ["a", 2, "c"]]
            )["baz"]?.string == "qux"
        )
        #expect(
            try applied([["op": "add", "path": "/child", "value": ["grandchild": [:]]]], to: ["foo": "bar"])[
                "child"
            ]?["grandchild"] != nil
        )
        #expect(
            try applied([["op": "test", "path": "/~01", "value": 10]], to: ["/": 9, "~1": 10])["~1"]?.integer
                == 10
        )
        #expect(
            try applied([["op": "add", "path": "/foo/-", "value": ["abc", "def"]]], to: ["foo": ["bar"]]) == [
                "foo": ["bar", ["abc", "def"]]
            ]
        )
        #expect(
            try applied([["op": "copy", "from": "/foo", "path": "/bar"]], to: ["foo": [1]]) == [
                "foo": [1], "bar": [1],
            ]
        )
    }

    @Test(
        "what cannot be done is refused, and nothing is changed",
        arguments: [
            #"[{"op":"test","path":"/baz","value":"bar"}]"#,
            #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#,
            #"[{"op":"remove","path":"/nothing"}]"#, #"[{"op":"replace","path":"/nothing","value":1}]"#,
            #"[{"op":"add","path":"/list/9","value":1}]"#, #"[{"op":"add","path":"/list/01","value":1}]"#,
            #"[{"op":"move","from":"/list","path":"/list/0"}]"#, #"[{"op":"remove","path":""}]"#,
            #"[{"op":"add","path":"no pointer","value":1}]"#, #"[{"op":"add","path":"/~2","value":1}]"#,
            #"[{"op":"dance","path":"/a"}]"#, #"[{"op":"add","path":"/a"}]"#, #"{"op":"add"}"#, #"[7]"#,
        ]
    )
    func refused(patch: String) throws {
        let patch = try JSONValue(parsing: patch)
        #expect(throws: FHIRFailure.self) { try applied(patch, to: ["qux": "x", "list": [1, 2]]) }
    }

    @Test("copies neither grow without bound nor go deeper than allowed")
    func bombs() throws {
        var doubling: [JSONValue] = [
            ["op": "add", "path": "/a", "value": JSONValue(Array(repeating: "xxxxxxxx", count: 1000))]
        ]
        for _ in 0..<60 { doubling.append(["op": "copy", "from": "/a", "path": "/a/-"]) }
        var limits = FHIRSandboxLimits()
        limits.body = 1 << 20
        limits.depth = 50
        #expect(throws: FHIRFailure.self) {
            try PatchDocument(JSONValue(doubling), limit: 100).apply(to: [:], limits: limits)
        }
        var deepening: [JSONValue] = [
            ["op": "add", "path": "/a", "value": [:]], ["op": "add", "path": "/b", "value": [:]],
        ]
        for index in 0..<90 {
            deepening.append([
                "op": "move", "from": "/\(index % 2 == 0 ? "a" : "b")",
                "path": "/\(index % 2 == 0 ? "b" : "a")/x",
            ])
            deepening.append(["op": "add", "path": "/\(index % 2 == 0 ? "a" : "b")", "value": [:]])
        }
        #expect(throws: FHIRFailure.self) {
            try PatchDocument(JSONValue(deepening), limit: 1000).apply(to: [:], limits: limits)
        }
    }

    @Test("a patch changes one resource, checks If-Match, and cannot change the id")
    func onServer() async throws {
        let server = try TestServer()
        await server.store(.patient("p", family: "Moss"))
        let patched = await server.patch(
            "Patient/p",
            [["op": "replace", "path": "/name/0/family", "value": "Reed"]],
            ["If-Match": "W/\"1\""]
        )
        #expect(patched.status == 200)
        #expect(patched.json["meta"]?["versionId"]?.string == "2")
        #expect(await server.found("Patient?family=reed") == ["p"])
        #expect(
            await server.patch("Patient/p", [["op": "replace", "path": "/id", "value": "q"]]).status == 422
        )
        #expect(await server.patch("Patient/p", [], ["If-Match": "W/\"1\""]).status == 412)
        #expect(await server.patch("Patient/nobody", []).status == 404)
        #expect(await server.get("Patient/p").header("ETag") == "W/\"2\"")
    }
}
