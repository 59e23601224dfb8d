import FHIR
import FHIRTerminology
import Foundation
import OrderedJSON
import Testing

@Suite("What other programs say")
struct AgreementTests {
    @Test("R4's value sets have the codes that another program found", .timeLimit(.minutes(2)))
    func expansions() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let table = try String(contentsOf: folder.appending(path: "Fixtures/expansions.txt"), encoding: .utf8)
        var unknown: [String] = []
        for line in table.split(separator: "\n") {
            let parts = line.split(separator: " ").map(String.init)
            guard let expansion = try? Terminology.r4.expand(parts[0]) else {
                unknown.append(parts[0])
                // The value set names version 3.6.0 of a code system that has 4.0.1.
                if parts[1] != "-", !parts[0].hasSuffix("/task-code") {
                    Issue.record("\(parts[0]) is not expanded")
                }
                continue
            }
            // What has a form is not in the package that the other program read.
            guard parts[1] != "-" else { continue }
            let lines = expansion.codes.map { Array("\($0.value.system ?? "")|\($0.value.code)\n".utf8) }
            #expect(expansion.total == Int(parts[1]), "\(parts[0])")
            #expect(Self.hash(lines.sorted { $0.lexicographicallyPrecedes($1) }) == parts[2], "\(parts[0])")
        }
        #expect(unknown.count == 99)
    }

    /// FNV-1a, 64 bits.
    private static func hash(_ lines: [[UInt8]]) -> String {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in lines.joined() { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// The folder `tests` of HL7/fhir-tx-ecosystem-ig, the test suite for terminology servers.
    private static let folder = ProcessInfo.processInfo.environment["INDIVO_TX_TESTS"]

    @Test(
        "HL7's tests for terminology servers agree on valid codes and expansions",
        .enabled(if: folder != nil, "INDIVO_TX_TESTS names the folder of HL7's tests")
    )
    func ecosystem() throws {
        let folder = try URL(filePath: #require(Self.folder))
        func json(_ path: String) throws -> JSONValue {
            try JSONValue(parsing: Data(contentsOf: folder.appending(path: path)))
        }
        var counts: [String: (same: Int, all: Int)] = [:]
        for suite in try json("test-cases.json")["suites"]?.elements ?? [] {
            guard suite["mode"]?.string == "general", let name = suite["name"]?.string else { continue }
            var resources: [AnyResource] = []
            for path in suite["setup"]?.elements ?? [] {
                guard let path = path.string, let json = try? json(path),
                    let resource = AnyResource(tree: json)
                else { continue }
                // One that cannot be read leaves the others.
                if (try? Terminology(adding: [resource])) != nil { resources.append(resource) }
            }
            let terminology = try Terminology(adding: resources)
            for test in suite["tests"]?.elements ?? [] {
                let operations = [
                    "expand": TerminologyOperation.expand, "validate-code": .validateInValueSet,
                    "cs-validate-code": .validateInCodeSystem, "lookup": .lookup,
                ]
                guard let operation = test["operation"]?.string.flatMap({ operations[$0] }),
                    let request = test["request"]?.string, let response = test["response"]?.string
                else { continue }
                let files = [request] + [test["profile"]?.string].compactMap { $0 }
                let given = files.flatMap { Array((try? json($0)["parameter"]?.elements) ?? []) }
                let found = try? operation.result(
                    OperationParameters(["parameter": JSONValue(given)]),
                    with: terminology,
                    identifier: "",
                    now: "2026"
                )
                let ours = Self.summary(found)
                guard let expected = (try? json(test["response:flat"]?.string ?? response)).map(Self.summary)
                else { continue }
                counts[name, default: (0, 0)].all += 1
                counts[name, default: (0, 0)].same += ours == expected ? 1 : 0
                if ours != expected {
                    print("\(name) \(test["name"]?.string ?? "") ours \(ours) theirs \(expected)")
                }
            }
        }
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            print(name, count.same, "of", count.all)
        }
        let same = counts.values.map(\.same).reduce(0, +)
        let all = counts.values.map(\.all).reduce(0, +)
        print("all", same, "of", all)
        // The others: limits of a server's own, fragments (never valid here), the language of displays, and value
        // sets that mix versions.
        #expect(same * 100 >= all * 94)
    }

    private static func summary(_ result: JSONValue?) -> String {
        guard let result else { return "no" }
        if let expansion = result["expansion"] {
            var codes: [String] = []
            var open = Array(expansion["contains"]?.elements ?? [])
            while let code = open.popLast() {
                let flags =
                    (code["inactive"]?.boolean == true ? "i" : "")
                    + (code["abstract"]?.boolean == true ? "a" : "")
                codes.append("\(code["code"]?.string ?? "")\(flags)")
                open += code["contains"]?.elements.map(Array.init) ?? []
            }
            return codes.sorted().joined(separator: " ")
        }
        let value = result["parameter"]?.elements?.first { $0["name"]?.string == "result" }
        if let value { return value["valueBoolean"]?.boolean == true ? "yes" : "no" }
        return result["resourceType"]?.string == "Parameters" ? "found" : "no"
    }
}
