import Foundation
import IndivoXML
import Testing

/// Real documents, where they are at hand: the folders `samples` and `recordings` beside the package, or those that
/// `INDIVO_SAMPLES` and `INDIVO_RECORDINGS` name.
enum RealData {
    static func folder(_ name: String, variable: String) -> URL {
        if let path = ProcessInfo.processInfo.environment[variable] { return URL(filePath: path) }
        return URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/\(name)")
    }

    /// A folder that a variable names must be there; then its absence is a failure and no reason to skip.
    static func isWanted(_ name: String, variable: String) -> Bool {
        ProcessInfo.processInfo.environment[variable] != nil
            || FileManager.default.fileExists(atPath: folder(name, variable: variable).path)
    }
}

@Suite("Real documents")
struct SampleTests {
    private func expectRoundTrip(_ data: Data, _ name: String) throws {
        let document = try XMLNode(parsing: data).document
        let canonical = try document.canonical(withComments: true)
        let written = try XMLNode(parsing: document.data()).document
        #expect(try written.canonical(withComments: true) == canonical, "\(name) changed")
        let element = try XMLNode(parsing: try #require(document.root).xml())
        #expect(try element.canonical() == document.clone().canonical(), "\(name) changed as an element")
    }

    @Test(
        "every sample is canonically equal after parse and write",
        .enabled(if: RealData.isWanted("samples", variable: "INDIVO_SAMPLES"), "no folder of samples"))
    func samples() throws {
        let folder = RealData.folder("samples", variable: "INDIVO_SAMPLES")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "xml" }
        #expect(files.count > 0)
        for file in files { try expectRoundTrip(try Data(contentsOf: file), file.lastPathComponent) }
    }

    @Test(
        "every XML body of the recordings is canonically equal after parse and write",
        .enabled(if: RealData.isWanted("recordings", variable: "INDIVO_RECORDINGS"), "no folder of recordings"))
    func recordings() throws {
        let file = RealData.folder("recordings", variable: "INDIVO_RECORDINGS").appending(path: "exchanges.jsonl")
        var bodies = 0
        for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) {
            let exchange = try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
            let type = (exchange["response_headers"] as? [[String]])?.first { $0[0].lowercased() == "content-type" }?[1]
            var candidates: [String] = []
            // The server calls every text it stored XML, plain text and JSON too.
            if type?.contains("xml") == true, exchange["status"] as? Int == 200,
                let body = exchange["response_body"] as? String, body.contains("<") {
                candidates.append(body)
            }
            // Requests may be broken on purpose: those that libxml2 refuses are none of this test's.
            if let body = exchange["request_body"] as? String, body.first == "<", (try? XMLNode(parsing: body)) != nil {
                candidates.append(body)
            }
            for body in candidates where !body.isEmpty {
                bodies += 1
                // A declaration may stand behind blank lines, which XML does not allow and the server does.
                let text = body.drop(while: \.isWhitespace)
                try expectRoundTrip(Data(text.utf8), exchange["name"] as? String ?? "?")
            }
        }
        #expect(bodies > 0)
    }
}
