import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Synchronization
import Testing

@Suite("Requests as a real server verifies them")
struct ServerRuleTests {
    /// Verifies every request by the server's rule before it answers.
    private final class Judge: HTTPTransport {
        private let judged = Mutex(0)
        let consumerSecret: String
        let tokenSecret: String

        init(consumerSecret: String, tokenSecret: String) {
            self.consumerSecret = consumerSecret
            self.tokenSecret = tokenSecret
        }

        var count: Int { judged.withLock { $0 } }

        func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
            let header = request.headerFields[.authorization] ?? ""
            let path = request.path ?? ""
            // The page that a login begins with, which is asked for before a browser opens it.
            if header.isEmpty, path.hasPrefix("/apps/") {
                return HTTPAnswer(response: HTTPResponse(status: .notFound))
            }
            let isTokenCall = path.hasSuffix("/oauth/request_token")
            let expected = ServerRule.signature(
                method: request.method.rawValue,
                scheme: request.scheme ?? "",
                host: request.authority ?? "",
                target: path,
                contentType: request.headerFields[.contentType],
                body: body,
                authorization: header,
                consumerSecret: consumerSecret,
                tokenSecret: isTokenCall ? "" : tokenSecret
            )
            #expect(
                expected != nil && expected == ServerRule.parameter("oauth_signature", of: header),
                "\(request.method) \(path)"
            )
            #expect(request.method == .get || !path.contains("?"), "no query but with GET")
            #expect((body == nil) == (request.headerFields[.contentType] == nil), "a type with each body")
            judged.withLock { $0 += 1 }
            let place = String(path.prefix { $0 != "?" })
            let answer =
                if place.contains("/oauth/") {
                    """
                    oauth_token=t&oauth_token_secret=\(PercentCoding.encode(tokenSecret))&\
                    xoauth_indivo_record_id=r-1
                    """
                } else if place.contains("/reports/") {
                    "<Models/>"
                } else if place.hasSuffix("/label") || place.hasSuffix("/documents/")
                    || place.hasSuffix("/versions/")
                {
                    "<Documents total_document_count=\"1\"><Document id=\"d-1\"/></Documents>"
                } else if place.hasSuffix("/set-status") {
                    "<ok/>"
                } else if request.method == .get, place.contains("/documents/"), !place.hasSuffix("/meta") {
                    """
                    <Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model \
                    name=\"Problem\"/></Models>
                    """
                } else {
                    "<Document id=\"d-1\" label=\"l\"/>"
                }
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(answer.utf8))
        }
    }

    private enum PercentCoding {
        static func encode(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
    }

    private static let odd = Array("&=+%~!*'()-._/?:@#[];,$\"<>\\^`{|} \täßЖ中א\u{301}😀\u{2028}abcXYZ019")
    private static let literal = Array("abcXYZ019-._~!$&'()*+,=:@")

    private func text(
        _ characters: [Character],
        _ range: ClosedRange<Int>,
        _ generator: inout some RandomNumberGenerator
    ) -> String {
        String(
            (0..<Int.random(in: range, using: &generator)).map { _ in
                characters.randomElement(using: &generator) ?? "x"
            }
        )
    }

    @Test("hundreds of calls with odd texts, ids and secrets satisfy the server's own rule")
    func calls() async throws {
        var generator = SeededGenerator(seed: 11)
        var judged = 0
        for round in 0..<60 {
            let consumerSecret = text(Self.odd, 0...20, &generator)
            let tokenSecret = text(Self.odd, 1...20, &generator)
            let judge = Judge(consumerSecret: consumerSecret, tokenSecret: tokenSecret)
            let api = [
                "https://Indivo.example.org", "https://indivo.example.org:443/", "http://LOCALHOST:8000",
                "http://[::1]:80",
            ]
            let url = try #require(URL(string: api[round % api.count]))
            let server = IndivoServer(
                api: url,
                ui: url,
                app: AppCredentials(
                    id: "meds@apps.example.org",
                    consumerKey: text(Self.odd, 1...12, &generator),
                    consumerSecret: Secret(consumerSecret)
                ),
                transport: judge
            )
            let record = try await server.selectRecord(
                callback: OutOfBandReceiver { [step = text(Self.odd, 1...12, &generator)] in
                    $0 == .record ? "r-1" : "v" + step
                }
            ) { _ in }
            let problem = Problem()
            problem.notes = text(Self.odd.filter { $0 != "\u{2028}" }, 0...30, &generator)
            try await record.add(
                problem,
                externalID: .chosen("x" + text(Self.literal, 0...12, &generator)),
                validation: .none
            )
            try await problem.setLabel(text(Self.odd, 0...40, &generator))
            try await problem.setStatus(.void, reason: text(Self.odd, 1...40, &generator))
            problem.notes = "other"
            try await problem.replace(validation: .none)
            _ = try await problem.versions()
            _ = try await record.reports(of: Problem.self, matching: ReportQuery(status: .archived)).all()
            _ = try await record.documentList()
            _ = try await record.documentMetadata(externalID: text(Self.literal, 1...12, &generator) + "x")
            judged += judge.count
        }
        #expect(judged >= 600)
    }
}
