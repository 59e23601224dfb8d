import Foundation
import IndivoXML
import Testing

@Suite("Reading piece by piece")
struct ReaderTests {
    private func chunks(_ text: String, size: Int) -> AsyncStream<[UInt8]> {
        let bytes = Array(text.utf8)
        return AsyncStream { stream in
            for start in Swift.stride(from: 0, to: bytes.count, by: size) {
                stream.yield(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            stream.finish()
        }
    }

    private func read(_ text: String, size: Int = 7, options: XMLParseOptions = .init()) async throws
        -> [String]
    {
        var found: [String] = []
        for try await node in XMLReader(
            chunks: chunks(text, size: size),
            elements: "Report",
            "Other",
            options: options
        ) {
            found.append(try node.xml())
        }
        return found
    }

    @Test("each wanted element comes complete, whatever the pieces", arguments: [1, 7, 1_000_000])
    func elements(size: Int) async throws {
        let text = """
            <!DOCTYPE x [<!ENTITY e "ent">]><x xmlns="u">skip<Report a="é">1<Report/>&e;<!--c--></Report>
            <y><Other/></y><z/><Report><![CDATA[<]]></Report></x>
            """
        #expect(
            try await read(text, size: size) == [
                "<Report xmlns=\"u\" a=\"é\">1<Report/>ent<!--c--></Report>", "<Other xmlns=\"u\"/>",
                "<Report xmlns=\"u\"><![CDATA[<]]></Report>",
            ]
        )
    }

    @Test("bytes one at a time, and lines")
    func bytes() async throws {
        let text = Array("<x>\n<Report>\n</Report><Report/></x>".utf8)
        let stream = AsyncStream<UInt8> { stream in
            for byte in text { stream.yield(byte) }
            stream.finish()
        }
        var lines: [Int?] = []
        for try await report in XMLReader(stream, elements: "Report") { lines.append(report.line) }
        #expect(lines == [2, 3])
    }

    @Test("what comes before an error is delivered, then the error")
    func errors() async throws {
        let text = "<x>" + String(repeating: "<Report>0123456789</Report>", count: 2_000) + "<bad></x>"
        var count = 0
        let error = await #expect(throws: XMLError.self) {
            for try await _ in XMLReader(chunks: chunks(text, size: 1_000), elements: "Report") { count += 1 }
        }
        #expect(count > 1_000)
        #expect(error?.kind == .syntax)
        await #expect(throws: XMLError.self) { try await read("") }
        await #expect(throws: XMLError.self) { try await read("<x><Report>") }
    }

    @Test("limits hold piece by piece")
    func limits() async throws {
        func kind(_ text: String, _ change: (inout XMLLimits) -> Void = { _ in }) async -> XMLError.Kind? {
            var options = XMLParseOptions()
            change(&options.limits)
            do {
                _ = try await read(text, size: 10_000, options: options)
                return nil
            } catch {
                return (error as? XMLError)?.kind
            }
        }
        #expect(await kind(String(repeating: "<a>", count: 2_000)) == .limit(.depth))
        #expect(
            await kind("<Report a='\(String(repeating: "x", count: 90_000))'/>") { $0.textBytes = 50_000 }
                == .limit(.textBytes)
        )
        #expect(
            await kind("<a " + (0..<60_000).map { "a\($0)=''" }.joined(separator: " ") + "/>")
                == .limit(.attributes)
        )
        #expect(
            await kind("<a>\(String(repeating: "x", count: 30_000))</a>") { $0.inputBytes = 20_000 }
                == .limit(.inputBytes)
        )
        #expect(
            await kind("<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><r>&x;</r>")
                == .externalEntity
        )
        #expect(await kind("<?xml version=\"1.0\" encoding=\"UTF-7\"?><a/>") == .encoding)
    }

    @Test("a file is read, and one that is not there is an error")
    func files() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "indivo-\(UUID().uuidString).xml")
        try Data("<x><Report>1</Report><Report>2</Report></x>".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var texts: [String] = []
        for try await report in XMLReader(contentsOf: file, elements: "Report") {
            texts.append(report.text())
        }
        #expect(texts == ["1", "2"])
        #expect(try XMLNode(contentsOf: file).children().count == 2)
        let missing = file.appending(path: "none")
        let error = #expect(throws: XMLError.self) { try XMLNode(contentsOf: missing) }
        #expect(error?.kind == .file)
        await #expect(throws: XMLError.self) {
            for try await _ in XMLReader(contentsOf: missing, elements: "Report") {}
        }
    }

    @MainActor
    @Test("an app on the main actor reads without ceremony")
    func mainActor() async throws {
        var names: [String] = []
        for try await node in XMLReader(chunks: chunks("<x><Report/></x>", size: 3), elements: "Report") {
            names.append(node.name)
        }
        #expect(names == ["Report"])
    }

    /// One document in several encodings, with what the transport would say of it.
    private static let encoded: [(name: String, bytes: [UInt8], label: String?)] = {
        let body = "<r xmlns:p=\"urn:p\"><a n=\"1\">é€</a><b>x</b><a n=\"2\"><p:c/>ü\u{1F600}</a></r>"
        func utf16(_ text: String, isBig: Bool) -> [UInt8] {
            text.utf16.flatMap {
                isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
            }
        }
        func utf32(_ text: String) -> [UInt8] {
            text.unicodeScalars.flatMap { scalar in [24, 16, 8, 0].map { UInt8(scalar.value >> $0 & 0xFF) } }
        }
        let declared = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>"
        return [
            ("UTF-8", Array(body.utf8), nil),
            ("UTF-8 with a mark", [0xEF, 0xBB, 0xBF] + Array(body.utf8), nil),
            ("UTF-16, big end first", [0xFE, 0xFF] + utf16(declared + body, isBig: true), nil),
            ("UTF-16, little end first", [0xFF, 0xFE] + utf16(declared + body, isBig: false), nil),
            ("UTF-16 without a mark", utf16(declared + body, isBig: false), nil),
            ("UTF-16 as the transport says", utf16(body, isBig: true), "UTF-16BE"),
            ("UCS-4", utf32(body), nil),
        ]
    }()

    @Test("every encoding is read, however it is cut", arguments: encoded.indices, [1, 2, 3, 7, 600])
    func encodings(number: Int, size: Int) async throws {
        let (name, bytes, label) = ReaderTests.encoded[number]
        var options = XMLParseOptions()
        options.encoding = label
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            Array(bytes[$0..<min($0 + size, bytes.count)])
        }
        let chunks = AsyncStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
        var found: [String] = []
        for try await node in XMLReader(chunks: chunks, elements: "a", options: options) {
            found.append(try node.xml())
        }
        #expect(
            found == ["<a n=\"1\">é€</a>", "<a n=\"2\"><p:c xmlns:p=\"urn:p\"/>ü\u{1F600}</a>"],
            "\(name) in pieces of \(size)"
        )
    }

    @Test("Latin 1 is read as its declaration says, and UTF-7 is refused")
    func declaredEncodings() async throws {
        let latin =
            Array("<?xml version='1.0' encoding='ISO-8859-1'?><r><a>".utf8) + [0xE9] + Array("</a></r>".utf8)
        var found: [String] = []
        for try await node in XMLReader(chunks: stream(latin), elements: "a") { found.append(node.text()) }
        #expect(found == ["é"])
        let seven = Array("<?xml version='1.0' encoding='UTF-7'?><r>+ADw-a/+AD4-</r>".utf8)
        let error = await #expect(throws: XMLError.self) {
            for try await _ in XMLReader(chunks: stream(seven), elements: "a") {}
        }
        #expect(error?.kind == .encoding)
    }

    @Test(
        "text that is not what it says, or is cut off, is an error and never the end",
        arguments: [
            [0xFE, 0xFF, 0, 0x3C, 0, 0x61, 0xDA],
            [0xFE, 0xFF, 0, 0x3C, 0, 0x72, 0, 0x3E, 0xDA, 0xDA, 0xDA, 0xDA, 0, 0x3C],
            [0x3C, 0x72, 0x3E, 0xFF, 0x3C, 0x2F, 0x72, 0x3E],
            [0x3C, 0x72, 0x3E, 0x3C, 0x61, 0x2F, 0x3E],
            [0x3C],
        ] as [[UInt8]]
    )
    func brokenText(bytes: [UInt8]) async throws {
        await #expect(throws: XMLError.self) {
            for try await _ in XMLReader(chunks: stream(bytes), elements: "x") {}
        }
        #expect(throws: XMLError.self) { try XMLNode(parsing: bytes) }
    }

    @Test("an error says the line and column")
    func place() async throws {
        let error = await #expect(throws: XMLError.self) {
            for try await _ in XMLReader(chunks: stream(Array("<r>\n<a/>\n <b></c></r>".utf8)), elements: "a")
            {}
        }
        #expect(error?.line == 3)
        #expect((error?.column ?? 0) > 1)
    }

    private func stream(_ bytes: [UInt8]) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            continuation.yield(bytes)
            continuation.finish()
        }
    }
}
