import Foundation
import HTTPTypes
import Indivo
import Testing

@Suite("What servers say to a terminal")
struct HostileWordsTests {
    /// A window's title, a colour, C1's own introducer, a line that writes over itself, and text from right
    /// to left.
    private static let commands =
        "\u{1B}]0;owned\u{7} \u{9B}31m ok\u{8}\u{8}no\rover\u{202E}drawkcab\u{2066}\u{85}\u{0}\u{7F}"

    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
            || [0x2028, 0x2029, 0x200E, 0x200F, 0x061C].contains(scalar.value)
    }

    @Test(
        "no command to a terminal is in what an error says, whatever the server answers",
        arguments: [
            (HTTPResponse.Status.badRequest, "text/html", "refused: \(commands)"),
            (.internalServerError, "text/html", commands),
            (.ok, "application/xml", "<a\u{9B}31m>\(commands)</b>"),
            (.ok, "application/xml", "<a x='\(commands)'><\u{202E}"), (.ok, "application/xml", commands),
            (.notFound, "text/html", commands), (.forbidden, "text/html", commands),
        ]
    )
    func responses(status: HTTPResponse.Status, type: String, body: String) async throws {
        let transport = AnsweringTransport(status: status, type: type, body)
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record().add(Problem(), validation: .none)
        }
        for text in [error.description, error.debugDescription, error.localizedDescription] {
            #expect(!text.unicodeScalars.contains(where: Self.isCommand), "\(text.debugDescription)")
        }
        for line in error.debugDetails.split(separator: "\n") {
            #expect(!line.unicodeScalars.contains(where: Self.isCommand), "\(line.debugDescription)")
        }
        if case .invalid(let words, _) = error.reason {
            #expect(!words.unicodeScalars.contains(where: Self.isCommand), "\(words.debugDescription)")
        }
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.split(separator: "\n").joined().unicodeScalars.contains(where: Self.isCommand))
    }

    @Test("what an HTTP library quotes of a server is shown without control sequences")
    func transport() async throws {
        let failure = HTTPTransportError(
            kind: .tls,
            server: "indivo.example.org",
            mayHaveReachedServer: false,
            detail: "subject name '\(Self.commands)' does not match"
        )
        #expect(!failure.description.unicodeScalars.contains(where: Self.isCommand))
        #expect(failure.description.contains("owned"))
        let transport = AnsweringTransport { _, _ in throw failure }
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record().information()
        }
        #expect(!error.description.unicodeScalars.contains(where: Self.isCommand))
    }

    @Test("ordinary text stays: letters of every script, joined emoji, and tabs as blanks")
    func ordinary() throws {
        let text = "Größe, Ж, 血圧, العربية, 👩‍⚕️, “quoted” – done"
        let failure = HTTPTransportError(kind: .other, server: "s", mayHaveReachedServer: true, detail: text)
        #expect(failure.description == "the request to s failed (\(text))")
    }
}
