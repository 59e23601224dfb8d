import Foundation
import OrderedJSON
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Glibc)
import Glibc
#endif

/// `indivo survey serve`, as a program runs it.
struct ServeCommandTests {
    @Test("responses are private files, one after a kill, and questionnaires share a folder")
    func folder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "survey-serve-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let questionnaire = folder.appending(path: "q.json")
        try Data(visitQuestionnaire.utf8).write(to: questionnaire)
        let other = folder.appending(path: "other.json")
        try Data(visitQuestionnaire.replacing("example.org/visit", with: "example.org/other").utf8).write(
            to: other
        )
        let responses = folder.appending(path: "responses").path

        let server = try Serving([questionnaire.path, "--responses", responses, "--subject", "Patient/7"])
        let (address, _) = try await server.get("")
        let sent = try await server.post(
            address,
            "asked=name&asked=smokes&asked=born&asked=file&name.0=Ada&page=1&action=next"
        )
        #expect(sent.url.query() == "page=2")
        // What is stored survives a kill, and is gone on with.
        server.kill()
        let files = try FileManager.default.contentsOfDirectory(atPath: responses)
        #expect(files.count == 1 && files[0].hasPrefix("visit-"))
        let modes = try [responses, "\(responses)/\(files[0])"].map {
            try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
        }
        #expect(modes == [0o700, 0o600])

        let restarted = try Serving([questionnaire.path, "--responses", responses])
        defer { restarted.kill() }
        #expect(
            try await restarted.get(address.path().dropFirst() + "?page=1").text.contains("value=\"Ada\"")
        )
        #expect(
            try await restarted.post(
                address,
                "asked=0.:what&asked=0.:dose&asked=colour&colour.other=green&revision=1&page=2&action=send"
            ).text
                .contains("Thank you")
        )
        let text = try String(contentsOfFile: "\(responses)/\(files[0])", encoding: .utf8)
        #expect(
            text.contains("\"completed\"") && text.contains("Patient/7") && text.contains("Ada")
                && text.contains("green")
        )

        let another = try Serving([other.path, "--responses", responses])
        defer { another.kill() }
        // The other questionnaire knows nothing of the token, and leaves its file alone.
        _ = try await another.post(address, "asked=name&name.0=Grace&page=1&action=next")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: responses).sorted().map {
                String($0.prefix(6))
            } == [
                "other-", "visit-",
            ]
        )
        #expect(try String(contentsOfFile: "\(responses)/\(files[0])", encoding: .utf8) == text)
    }
}

/// The tool as it serves a survey.
private final class Serving {
    private let process = Process()
    private let base: URL

    init(_ options: [String]) throws {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let tool = (bundle?.deletingLastPathComponent() ?? Bundle.main.bundleURL).appending(path: "indivo")
        try #require(
            FileManager.default.isExecutableFile(atPath: tool.path),
            "there is no \(tool.path); swift build makes it"
        )
        process.executableURL = tool
        process.arguments = ["survey", "serve", "--port", "0", "--json"] + options
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n")
        { line.append(byte) }
        base = try #require(URL(string: JSONValue(parsing: line)["url"]?.string ?? ""))
    }

    func kill() {
        #if canImport(Darwin)
        Darwin.kill(process.processIdentifier, SIGKILL)
        #else
        Glibc.kill(process.processIdentifier, SIGKILL)
        #endif
        process.waitUntilExit()
    }

    /// Gets a path: where it led to, and the page.
    func get(_ path: some StringProtocol) async throws -> (url: URL, text: String) {
        try await answer(URLRequest(url: try #require(URL(string: base.absoluteString + path))))
    }

    func post(_ address: URL, _ form: String) async throws -> (url: URL, text: String) {
        var request = URLRequest(
            url: try #require(URL(string: base.absoluteString + address.path().dropFirst()))
        )
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(form.utf8)
        return try await answer(request)
    }

    private func answer(_ request: URLRequest) async throws -> (url: URL, text: String) {
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response.url), String(decoding: data, as: UTF8.self))
    }
}
