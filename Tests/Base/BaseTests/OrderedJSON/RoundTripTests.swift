import Foundation
import OrderedJSON
import Testing

@Suite("Round trips of JSON")
struct RoundTripTests {
    @Test("random values are the same after writing and parsing, in every style", arguments: 0..<50)
    func random(seed: UInt64) throws {
        var random = Numbers(state: seed &* 0x9E37_79B9 + 1)
        for _ in 0..<20 {
            let value = Self.value(depth: 4, &random)
            for style in [JSONStyle.compact, .pretty, .indented(1), .asWritten] {
                let text = value.text(style)
                let parsed = try JSONValue(parsing: text)
                #expect(parsed == value)
                #expect(parsed.hashValue == value.hashValue)
                #expect(parsed.text() == value.text())
                #expect(parsed.text(.pretty) == value.text(.pretty))
                #expect(parsed.text(.asWritten) == text)
            }
        }
    }

    @Test("cut and damaged texts are refused or parsed, and never more than that", arguments: 0..<20)
    func damaged(seed: UInt64) {
        var random = Numbers(state: seed &* 77 + 5)
        let text = Self.value(depth: 5, &random).utf8(.pretty)
        for end in 0..<min(text.count, 300) {
            var cut = Array(text[..<end])
            _ = try? JSONValue(parsing: cut)
            if !cut.isEmpty { cut[Int(random.next(UInt64(cut.count)))] = UInt8(random.next(256)) }
            guard let value = try? JSONValue(parsing: cut) else { continue }
            #expect((try? JSONValue(parsing: value.utf8())) == value)
        }
    }

    @Test(
        "every shared FHIR file is written as it was, white space apart",
        .enabled(if: !SharedFiles.all.isEmpty, "../shared/fhir is not there"),
        arguments: SharedFiles.all
    )
    func shared(file: URL) throws {
        let bytes = [UInt8](try Data(contentsOf: file))
        let value = try JSONValue(parsing: bytes)
        let compact = SharedFiles.withoutSpace(bytes)
        #expect(value.utf8() == compact)
        #expect(try JSONValue(parsing: value.utf8(.pretty)).utf8() == compact)
        #expect(JSONValue.rebuilt(value) == value)
    }

    private struct Numbers {
        var state: UInt64
        mutating func next(_ limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
    }

    private static func value(depth: Int, _ random: inout Numbers) -> JSONValue {
        switch random.next(depth > 0 ? 8 : 5) {
        case 0: return .null
        case 1: return JSONValue(random.next(2) == 0)
        case 2: return JSONValue(Int(random.next(1_000_000)) - 500_000)
        case 3:
            return JSONValue(number: "-\(random.next(1000)).\(random.next(1000))E-\(random.next(30))")
                ?? .null
        case 4: return JSONValue(text(&random))
        case 5, 6:
            return JSONValue(
                members: (0..<random.next(6)).map { _ in
                    JSONMember(name: text(&random), value: value(depth: depth - 1, &random))
                }
            )
        default: return JSONValue((0..<random.next(6)).map { _ in value(depth: depth - 1, &random) })
        }
    }

    private static func text(_ random: inout Numbers) -> String {
        let pieces = ["a", "\n", "\"", "\\", "é", "😀", "\u{0}", "plain words", "0", "\u{2028}", "e\u{301}"]
        return (0..<random.next(8)).map { _ in pieces[Int(random.next(UInt64(pieces.count)))] }.joined()
    }
}

enum SharedFiles {
    /// The JSON files of FHIR that lie beside the package.
    static let all: [URL] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../../shared/fhir").standardizedFileURL
        return ["examples", "synthea", "questionnaires"].flatMap { name in
            (try? FileManager.default.contentsOfDirectory(
                at: folder.appending(path: name),
                includingPropertiesForKeys: nil
            ))
                ?? []
        }
        .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    }()

    /// A JSON text without white space between its tokens, found in another way than the parser's.
    static func withoutSpace(_ bytes: [UInt8]) -> [UInt8] {
        var isInString = false
        var isEscaped = false
        return (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]).filter { byte in
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == 0x5C {
                    isEscaped = true
                } else if byte == 0x22 {
                    isInString = false
                }
                return true
            }
            isInString = byte == 0x22
            return ![0x20, 0x09, 0x0A, 0x0D].contains(byte)
        }
    }
}
