import Foundation
import IndivoXML
import TestSupport
import Testing

/// Real documents, where they are at hand: the folders `samples` and `recordings` beside the package, or
/// those that `INDIVO_SAMPLES` and `INDIVO_RECORDINGS` name.
enum RealData {
    static func folder(_ name: String, variable: String) -> URL {
        if let path = ProcessInfo.processInfo.environment[variable] { return URL(filePath: path) }
        return URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(
                path: "shared/\(name)"
            )
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
        .enabled(if: RealData.isWanted("samples", variable: "INDIVO_SAMPLES"), "no folder of samples")
    )
    func samples() throws {
        let folder = RealData.folder("samples", variable: "INDIVO_SAMPLES")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "xml" }
        #expect(files.count > 0)
        for file in files { try expectRoundTrip(try Data(contentsOf: file), file.lastPathComponent) }
    }

    @Test(
        "every XML body of the recordings is canonically equal after parse and write",
        .enabled(if: ServerRecordings.areWanted, "no folder of recordings")
    )
    func recordings() throws {
        var bodies = 0
        for exchange in try ServerRecordings.exchanges() {
            var candidates: [String] = []
            // The server calls every text it stored XML, plain text and JSON too.
            if exchange.responseHeader("Content-Type")?.contains("xml") == true, exchange.status == 200,
                exchange.responseText.contains("<")
            {
                candidates.append(exchange.responseText)
            }
            // Requests may be broken on purpose: those that libxml2 refuses are none of this test's.
            let request = exchange.requestText
            if request.first == "<", (try? XMLNode(parsing: request)) != nil { candidates.append(request) }
            for body in candidates where !body.isEmpty {
                bodies += 1
                // A declaration may stand behind blank lines, which XML does not allow and the server does.
                let text = body.drop(while: \.isWhitespace)
                try expectRoundTrip(Data(text.utf8), exchange.name)
            }
        }
        #expect(bodies > 0)
    }
}
