import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import Testing

@Suite("Addresses of the wrong server")
struct WrongAddressTests {
    private static let page =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Not found</title></head></html>"
    static let apiNotFound =
        "<h4>We're sorry. You have reached a page that has been disconnected or is no longer in "
            + """
            service, if you feel like you've reached this page in error, please check the url and try your \
            connection again.</h4>
            """

    private func failure(_ transport: AnsweringTransport, api: String) async throws -> IndivoError {
        try await #require(throws: IndivoError.self) {
            try await transport.record(api: api).reports(of: LabResult.self).all()
        }
    }

    @Test("a page in response to a call says that the API address is the UI's", arguments: [404, 403, 405])
    func pages(status: Int) async throws {
        let transport = AnsweringTransport(
            status: HTTPResponse.Status(code: status),
            type: "text/html",
            Self.page
        )
        let error = try await failure(transport, api: "https://indivo.example.org")
        #expect(error.status == status)
        #expect(error.description.contains("the API address seems to be the UI server's"), "\(error)")
        #expect(!error.description.contains("may not know the model"), "\(error)")
    }

    @Test("a redirect to the login page says so too, another redirect does not")
    func redirects() async throws {
        for (location, isLogin) in [("/login?return_url=%2F", true), ("https://other.example.org/x", false)] {
            let transport = AnsweringTransport { _, _ in
                HTTPAnswer(response: HTTPResponse(status: .found, headerFields: [.location: location]))
            }
            let error = try await failure(transport, api: "https://indivo.example.org")
            #expect(
                error.description.contains("the UI server's or a proxy's. The two") == isLogin,
                "\(error)"
            )
        }
    }

    @Test("a path of the API address is named where nothing is found below it")
    func path() async throws {
        let transport = AnsweringTransport(
            status: .notFound,
            type: "text/html; charset=utf-8",
            Self.apiNotFound
        )
        let below = try await failure(transport, api: "https://indivo.example.org:8000/indivo")
        #expect(below.description.contains("a path of its own, “/indivo”"), "\(below)")
        let plain = try await failure(transport, api: "https://indivo.example.org:8000")
        #expect(
            !plain.description.contains("path of its own")
                && plain.description.contains("may not know the model"),
            "\(plain)"
        )
    }

    @Test("a page is no version")
    func version() async throws {
        let transport = AnsweringTransport(type: "text/html", Self.page)
        let error = try await #require(throws: IndivoError.self) { try await transport.server().version() }
        guard case .malformedResponse = error.reason else { throw error }
        #expect(try await AnsweringTransport(type: "text/plain", "2.0.0").server().version() == "2.0.0")
    }

    @Test(
        "a login at the API's address fails before a page opens, with the advice",
        arguments: [
            (200, "application/json", #"{"id": "meds@apps.example.org"}"#),
            (404, "text/html; charset=utf-8", WrongAddressTests.apiNotFound),
        ]
    )
    func loginAtTheAPI(status: Int, type: String, body: String) async throws {
        let transport = AnsweringTransport(status: HTTPResponse.Status(code: status), type: type, body)
        let error = try await #require(throws: IndivoError.self) {
            try await transport.server().selectRecord(callback: OutOfBandReceiver { _ in nil }) { _ in
                Issue.record("opened")
            }
        }
        guard case .login(.badCallback(let why)) = error.reason else { throw error }
        #expect(why.contains("the API server responds at the UI server's address, indivo.example.org"))
        #expect(transport.requests.map(\.path) == ["/apps/meds@apps.example.org"])
    }

    @Test("a login goes on where the address fails for the library, or shows anything else")
    func loginGoesOn() async throws {
        let failing = AnsweringTransport { request, _ in
            throw HTTPTransportError(
                kind: .timedOut,
                server: request.authority ?? "",
                mayHaveReachedServer: true
            )
        }
        for transport in [failing, AnsweringTransport(type: "text/html", Self.page)] {
            let opened = Shared(false)
            let error = try await #require(throws: IndivoError.self) {
                try await transport.server().selectRecord(callback: OutOfBandReceiver { _ in nil }) { _ in
                    opened.set(true)
                }
            }
            #expect(error.reason == .login(.cancelled))
            #expect(opened.get())
        }
    }
}
