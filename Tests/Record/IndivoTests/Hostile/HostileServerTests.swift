#if os(Linux)
import Foundation
import HTTPTypes
import Indivo
import Synchronization
import Testing

/// What a server does that means harm, or is broken. Each case runs in a process of its own, where
/// nothing else takes memory: it has to end in the error that is expected, and may take the answer's
/// allowed size and 64 MB besides.
@Suite("A hostile server")
struct HostileServerTests {
    @Test(
        "a body that never ends, however its length is told, is cut off",
        arguments: [
            "", "Content-Length: 1000000000000\r\n", "Transfer-Encoding: chunked\r\n",
        ]
    )
    func endlessBody(fields: String) async {
        await #expect(processExitsWith: .success) { [fields] in
            let server = try HostileServer { peer in
                peer.begin(fields)
                peer.repeatedly(
                    fields.contains("chunked") ? "10\r\n0123456789abcdef\r\n" : "<a>0123456789</a>"
                )
            }
            await Trial.run(server, expecting: "responseTooLarge") { _ = try await $0.information() }
        }
    }

    @Test(
        "a gigabyte of headers is cut off",
        arguments: ["X-Long: 0123456789abcdef\r\n", "0123456789abcdef"]
    )
    func endlessHead(piece: String) async {
        await #expect(processExitsWith: .success) { [piece] in
            let server = try HostileServer { peer in
                peer.say("HTTP/1.1 200 OK\r\n")
                peer.repeatedly(piece, upTo: 1 << 30)
            }
            await Trial.run(
                server,
                expecting: piece.contains("\r\n") ? "responseTooLarge" : "responseLost or too large"
            ) {
                _ = try await $0.information()
            }
        }
    }

    @Test("bytes that come one by one end at the deadline", arguments: [true, false])
    func slowBytes(inBody: Bool) async {
        await #expect(processExitsWith: .success) { [inBody] in
            let server = try HostileServer { peer in
                if inBody { peer.begin() } else { peer.say("HTTP/1.1 200 OK\r\n") }
                // Faster than the deadline by far, so that no wait between two bytes is what ends it.
                while peer.say(inBody ? " " : "X: y\r\n") { usleep(20_000) }
            }
            await Trial.run(server, expecting: "timedOut", deadline: .seconds(1)) {
                _ = try await $0.information()
            }
        }
    }

    @Test("a server that takes the request and never answers ends at the deadline")
    func silence() async {
        await #expect(processExitsWith: .success) {
            let server = try HostileServer { $0.linger() }
            await Trial.run(server, expecting: "timedOut", deadline: .seconds(1)) {
                _ = try await $0.information()
            }
        }
    }

    @Test(
        "a compressed body is not unpacked, and is an error",
        arguments: ["gzip", "deflate", "br", "gzip, gzip"]
    )
    func bomb(coding: String) async {
        await #expect(processExitsWith: .success) { [coding] in
            // What gzip makes of a gigabyte of zeros is a megabyte, mostly of the same bytes.
            let packed =
                [UInt8]([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + [UInt8](repeating: 0, count: 1 << 20)
            let server = try HostileServer { peer in
                peer.begin("Content-Encoding: \(coding)\r\nContent-Length: \(packed.count)\r\n")
                peer.say(packed)
            }
            await Trial.run(server, expecting: "malformedResponse") { _ = try await $0.information() }
        }
    }

    @Test(
        "a length that is wrong is a lost answer, or the answer ends where it says",
        arguments: [
            ("Content-Length: 1000\r\n", "<Record id=\"r-1\" label=\"x\"/>", "responseLost"),
            ("Content-Length: 5\r\n", "<Record id=\"r-1\" label=\"x\"/>", "malformedResponse"),
            ("Content-Length: -1\r\n", "<Record/>", "malformedResponse"),
            ("Content-Length: 99999999999999999999999\r\n", "<Record/>", "any"),
            ("Transfer-Encoding: chunked\r\n", "ffffffffffffffff\r\n<Record/>", "any"),
            ("Transfer-Encoding: chunked\r\n", "zz\r\n<Record/>", "any"),
        ]
    )
    func wrongLength(fields: String, body: String, expected: String) async {
        await #expect(processExitsWith: .success) { [fields, body, expected] in
            let server = try HostileServer { peer in
                peer.begin(fields)
                peer.say(body)
            }
            await Trial.run(server, expecting: expected) { _ = try await $0.information() }
        }
    }

    @Test(
        "no redirect is followed, to another host or to a file, so no signature leaks",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirects(status: Int) async {
        await #expect(processExitsWith: .success) { [status] in
            let visits = Visits()
            let elsewhere = try HostileServer { peer in
                visits.add()
                peer.begin()
            }
            for target in [
                "\(elsewhere.url)/records/r-1", "file:///etc/passwd", "//evil.example.org/",
                "ftp://\(elsewhere.url.host() ?? "")/",
            ] {
                let server = try HostileServer { peer in
                    peer.say(
                        "HTTP/1.1 \(status) Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n"
                    )
                }
                await Trial.run(server, expecting: "unexpectedStatus") { _ = try await $0.information() }
            }
            precondition(visits.count == 0, "a redirect was followed")
        }
    }

    @Test(
        "attacks in XML end in an error",
        arguments: [
            "billion laughs", "quadratic", "external entity", "external DTD", "parameter entities",
            "deep", "attributes", "name",
            "elements", "attributes of their own names", "documents", "reports", "another encoding",
        ]
    )
    func attacksInXML(kind: String) async {
        await #expect(processExitsWith: .success) { [kind] in
            let server = try HostileServer { peer in
                peer.begin("Connection: close\r\n")
                let size = 7 << 20
                switch kind {
                case "billion laughs":
                    peer.say("<!DOCTYPE a [<!ENTITY l0 \"lol\">")
                    for n in 1...30 {
                        peer.say(
                            "<!ENTITY l\(n) \"" + String(repeating: "&l\(n - 1);", count: 10) + "\">"
                        )
                    }
                    peer.say("]><Record id=\"r\" label=\"&l30;\">&l30;</Record>")
                case "quadratic":
                    peer.say(
                        "<!DOCTYPE a [<!ENTITY a \"\(String(repeating: "a", count: 100_000))\">]><Record>"
                    )
                    peer.repeatedly("&a;", upTo: 300_000)
                    peer.say("</Record>")
                case "external entity":
                    peer.say(
                        """
                        <!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><Record id=\"r\" \
                        label=\"x\">&x;</Record>
                        """
                    )
                case "external DTD":
                    peer.say("<!DOCTYPE Record SYSTEM \"file:///etc/passwd\"><Record>&x;</Record>")
                case "parameter entities":
                    peer.say(
                        """
                        <!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]><Record>&x;</Record>
                        """
                    )
                case "deep": peer.repeatedly("<a>", upTo: size)
                case "attributes":
                    peer.say("<Record ")
                    peer.repeatedly("a=\"\" ", upTo: size)
                case "name":
                    peer.say("<")
                    peer.repeatedly("aaaaaaaaaaaaaaaa", upTo: size)
                case "elements":
                    peer.say("<Record>")
                    peer.repeatedly("<a/>", upTo: size)
                    peer.say("</Record>")
                case "attributes of their own names":
                    peer.say("<Record>")
                    for n in 0..<400 {
                        peer.say(
                            "<a " + (0..<1500).map { "n\(n)x\($0)=\"\"" }.joined(separator: " ") + "/>"
                        )
                    }
                    peer.say("</Record>")
                case "documents":
                    peer.say("<Documents>")
                    peer.repeatedly("<Document id=\"\"/>", upTo: size)
                    peer.say("</Documents>")
                case "reports":
                    peer.say("<Reports>")
                    peer.repeatedly("<Report/>", upTo: size)
                    peer.say("</Reports>")
                default:
                    peer.say("<?xml version=\"1.0\" encoding=\"UTF-7\"?>+ADw-Record+AD4-")
                    peer.repeatedly("+ADw-a/+AD4-", upTo: size)
                }
            }
            await Trial.run(server, expecting: "malformedResponse or too large") { record in
                switch kind {
                case "documents": _ = try await record.documents().all()
                case "reports": _ = try await record.audit().all()
                default: _ = try await record.information()
                }
            }
        }
    }

    @Test(
        "attacks in JSON end in an error",
        arguments: ["[", "{\"a\":", "[0,", "0,", "{\"__modelname__\":\"Problem\"},", "{},"]
    )
    func attacksInJSON(piece: String) async {
        await #expect(processExitsWith: .success) { [piece] in
            let server = try HostileServer { peer in
                peer.begin("Connection: close\r\n", type: "application/json")
                peer.say("[")
                peer.repeatedly(piece, upTo: 7 << 20)
                peer.say("{}]")
            }
            await Trial.run(server, expecting: "malformedResponse or too large") {
                _ = try await $0.reports(of: Medication.self, matching: ReportQuery().format(.json)).all()
            }
        }
    }

    @Test("entities in messages, and texts that grow, end in an error")
    func bombsInMessages() async {
        await #expect(processExitsWith: .success) {
            let server = try HostileServer { peer in
                peer.begin("Connection: close\r\n")
                peer.say(
                    """
                    <!DOCTYPE m [<!ENTITY a \"\(String(repeating: "&#38;#38;", count: 1000))\"><!ENTITY \
                    b \"
                    """
                )
                peer.say(String(repeating: "&a;", count: 1000))
                peer.say(
                    """
                    \">]><Messages><Message \
                    id=\"m\"><body>\(String(repeating: "&b;", count: 1000))</body></Message></Messages>
                    """
                )
            }
            await Trial.run(server, expecting: "malformedResponse") {
                _ = try await $0.account("p@example.org").inbox()
            }
        }
    }

    @Test(
        "an id that leads a path elsewhere is never sent, nor repeated in the error",
        arguments: [
            "../../apps/x", "a/b", "a&#10;Authorization: x", "..", "", "a?b=c", "a#b", "a&#x7F;", "é",
            "a;b",
        ]
    )
    func ids(id: String) async throws {
        let transport = AnsweringTransport(
            "<Documents total_document_count=\"1\"><Document id=\"\(id)\"/></Documents>"
        )
        let record = transport.record()
        let document = try #require(try await record.documents().all().first)
        let error = await #expect(throws: IndivoError.self) { try await document.refreshMetadata() }
        guard case .badArgument(let why)? = error?.reason else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(!why.contains("apps/x") && !why.contains("\n") && !why.contains("é"))
        #expect(transport.requests.count == 1)
        let said = try #require(error).description
        let isOneLine = said.allSatisfy { !$0.isNewline }
        #expect(isOneLine, "\(said)")
    }

    @Test(
        "an id that looks like escapes is escaped itself and stays one path segment",
        arguments: [
            ("a%2Fb", "a%252Fb"), ("%2e%2e", "%252e%252e"), ("{document}", "%7Bdocument%7D"),
            ("a\\b", "a%5Cb"),
        ]
    )
    func escapedIDs(id: String, sent: String) async throws {
        let transport = AnsweringTransport("<Document id=\"\(id)\"/>")
        try await FileDocument(id: id, in: transport.record()).refreshMetadata()
        #expect(transport.requests.map(\.path) == ["/records/r-1/documents/\(sent)/meta"])
    }

    @Test(
        "what is about another record or document is refused, not taken for this one's",
        arguments: [
            "<Record id=\"r-2\" label=\"x\"/>", "<Document id=\"d-2\" record_id=\"r-1\"/>",
            "<Document id=\"d-1\" record_id=\"r-2\"/>",
            "<Documents record_id=\"r-2\"/>",
            "<Documents record_id=\"r-1\"><Document id=\"d\" record_id=\"r-2\"/></Documents>",
            """
            <Reports><Report><Meta><Document id=\"d\" \
            record_id=\"r-2\"/></Meta><Item><Equipment/></Item></Report></Reports>
            """,
        ]
    )
    func anotherRecord(body: String) async throws {
        func ask(_ body: String) async throws {
            let record = AnsweringTransport(body).record()
            switch body.prefix(5) {
            case "<Reco": _ = try await record.information()
            case "<Repo": _ = try await record.equipment().all()
            case _ where body.hasPrefix("<Documents"): _ = try await record.documents().all()
            default: _ = try await FileDocument(id: "d-1", in: record).refreshMetadata()
            }
        }
        let error = await #expect(throws: IndivoError.self) { try await ask(body) }
        guard case .malformedResponse(let what)? = error?.reason else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(what.contains("another"))
        try await ask(body.replacing("r-2", with: "r-1").replacing("d-2", with: "d-1"))
    }

    @Test(
        "a total that no list can have is refused, before it is reckoned with",
        arguments: [
            ("9223372036854775807", "-9223372036854775808"), ("-1", "-1"), ("3", "9223372036854775807"),
        ]
    )
    func totals(first: String, second: String) async throws {
        let count = Visits()
        let transport = AnsweringTransport { _, _ in
            count.add()
            let total = count.count == 1 ? first : second
            let entry =
                """
                <Report><Meta/><Item><AuditEntry><Resources \
                document_id=\"d\"/></AuditEntry></Item></Report>
                """
            return HTTPAnswer(
                response: HTTPResponse(status: .ok),
                body: Data("<Reports><Summary total_document_count=\"\(total)\"/>\(entry)</Reports>".utf8)
            )
        }
        let error = await #expect(throws: IndivoError.self) {
            try await transport.record().audit(matching: ReportQuery().paged(by: 1)).all()
        }
        guard case .malformedResponse? = error?.reason else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
    }
}

/// Counts from any thread.
private final class Visits: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}

/// One attack on a client in a process of its own.
private enum Trial {
    static let allowedAnswer = 8 << 20
    static let allowedBesides = 64_000_000

    /// Makes the call, and ends the process with a failure unless it fails as it should, within time and
    /// memory.
    static func run(
        _ server: HostileServer,
        expecting expected: String,
        deadline: Duration = .seconds(60),
        _ call: (IndivoRecord) async throws -> Void
    ) async {
        let record = server.record(
            limits: HTTPLimits(deadline: deadline, maximumResponseBytes: allowedAnswer)
        )
        // What the first call of a process sets up is no part of the measure.
        let quiet = try? HostileServer {
            $0.begin("Content-Length: 1\r\n")
            $0.say("x")
        }
        _ = try? await quiet?.record(limits: HTTPLimits()).information()
        // Forgets the peak so far, where the system lets it.
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = peak()
        let start = ContinuousClock.now
        var kind = "success"
        do {
            try await call(record)
        } catch let error as IndivoError {
            kind = name(of: error)
            precondition(
                !error.description.isEmpty && !error.description.contains("root:"),
                "the error shows a file"
            )
            precondition(!error.debugDetails.contains("root:x"), "the error shows a file")
        } catch {
            kind = "another error: \(error)"
        }
        let grown = peak() - before
        let took = start.duration(to: .now)
        let accepted =
            switch expected {
            case "any": ["malformedResponse", "responseLost", "responseTooLarge"]
            // What never closes its elements, and has no length, counts as cut.
            case "malformedResponse or too large":
                ["malformedResponse", "responseTooLarge", "responseLost"]
            case "responseLost or too large": ["malformedResponse", "responseLost", "responseTooLarge"]
            default: [expected]
            }
        FileHandle.standardError.write(Data("\(kind), \(grown / 1_000_000) MB, \(took)\n".utf8))
        precondition(accepted.contains(kind), "the call ended with \(kind), not \(expected)")
        // A sanitizer keeps what was freed, and books of its own.
        let isWatched = ["__asan_init", "__tsan_init"].contains { (name: String) in
            dlsym(nil, name) != nil
        }
        precondition(isWatched || grown <= allowedAnswer + allowedBesides, "the call took \(grown) bytes")
        precondition(took < deadline + .seconds(60), "the call took \(took)")
    }

    private static func name(of error: IndivoError) -> String {
        switch error.reason {
        case .responseTooLarge: "responseTooLarge"
        case .responseLost: "responseLost"
        case .timedOut: "timedOut"
        case .malformedResponse: "malformedResponse"
        case .unexpectedStatus: "unexpectedStatus"
        default: "\(error.reason)"
        }
    }

    /// The most memory that the process had at any time, in bytes.
    private static func peak() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let number = status.firstMatch(of: #/VmHWM:\s*(\d+) kB/#).flatMap({ Int($0.1) })
        else { return 0 }
        return number * 1024
    }
}
#endif
