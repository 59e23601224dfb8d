import FHIR
import FHIRClient
import Foundation
import HTTPCalls
import HTTPTypes
import Testing

@Suite("FHIR client: what comes back")
struct FailureTests {
    private static let outcome =
        """
        {"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"value",\
        "diagnostics":"planted-name is no name","expression":["Patient.name[0]"]}]}
        """

    private func readFailure(_ answer: HTTPAnswer, retry: RetryPolicy = .never) async throws
        -> FHIRClientError
    {
        let client = try PlayedServer(answer).client(options: StillClock().options(retry: retry))
        return try #require(await failure { try await client.read(Patient.self, id: "planted-id") })
    }

    @Test(
        "a status is a reason",
        arguments: [
            (400, FHIRClientError.Reason.invalid), (401, .unauthorized), (403, .forbidden), (404, .notFound),
            (405, .notSupported),
            (406, .notSupported), (409, .conflict), (410, .deleted), (412, .preconditionFailed),
            (415, .notSupported), (422, .invalid),
            (429, .busy), (501, .notSupported), (500, .serverFailed(status: 500)), (503, .busy),
            (302, .unexpectedStatus(302)),
            (418, .unexpectedStatus(418)),
        ]
    )
    func statuses(status: Int, reason: FHIRClientError.Reason) async throws {
        let error = try await readFailure(.fhir(Self.outcome, status: status))
        #expect(error.reason == reason && error.status == status && error.attempts == 1)
        #expect(error.interaction == "read" && error.request == "GET Patient/[id]")
        #expect(error.outcome?.issue.first?.message == "error: planted-name is no name (Patient.name[0])")
    }

    @Test("a description has the issues' severity, code and path, but no id or server text")
    func description() async throws {
        let error = try await readFailure(.fhir(Self.outcome, status: 422))
        #expect(
            error.description.contains("error value at Patient.name[0]") && error.description.contains("422")
        )
        #expect(!error.description.contains("planted"))
        let odd = Self.outcome.replacing("Patient.name[0]", with: "Patient.where(name='planted-name')")
            .replacing("value", with: "planted name")
        #expect(try await !readFailure(.fhir(odd, status: 422)).description.contains("planted"))
    }

    @Test("a page for people is no resource, whatever the status", arguments: [200, 500, 502, 404])
    func html(status: Int) async throws {
        let error = try await readFailure(
            .text("<html>planted-name</html>", type: "text/html; charset=utf-8", status: status)
        )
        #expect(error.status == status && error.outcome == nil && !error.description.contains("planted"))
        if status == 200 {
            #expect(
                error.reason == .malformedResponse("its content type is text/html, not application/fhir+json")
            )
        }
    }

    @Test(
        "what is not a resource of the type is an error that says what it is",
        arguments: [
            (HTTPAnswer.text(#"{"resourceType":"Patient"}"#, type: nil), "no content type"),
            (.text(#"{"resourceType":"Patient"}"#, type: "application/fhir+xml"), "application/fhir+xml"),
            (.fhir(""), "empty"), (.fhir("{}"), "not a resource"), (.fhir("[]"), "not a resource"),
            (.fhir("null"), "not a resource"),
            (.fhir(#"{"resourceType":"Group"}"#), "type Patient"),
            (.fhir(#"{"resourceType":"Patient""#), "1:26"),
            (.fhir(#"{"resourceType":"Patient","name":"\ud800"}"#), "not JSON"), (.fhir("\u{0}"), "not JSON"),
            (.fhir(#"{"resourceType":"Patient"}"#, ["Content-Encoding": "gzip"]), "compressed"),
            (.fhir(FailureTests.outcome), "type Patient"),
        ]
    )
    func malformed(answer: HTTPAnswer, words: String) async throws {
        let error = try await readFailure(answer)
        guard case .malformedResponse(let what) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(what.contains(words))
        #expect(error.isSafeToRetry && !error.description.contains("planted"))
    }

    @Test(
        "plain JSON is taken for FHIR's",
        arguments: [
            "application/json", "APPLICATION/FHIR+JSON;charset=UTF-8",
            "application/fhir+json; fhirVersion=4.0",
        ]
    )
    func types(type: String) async throws {
        let server = PlayedServer(.text(#"{"resourceType":"Patient","id":"7"}"#, type: type))
        #expect(try await server.client().read(Patient.self, id: "7").id == "7")
    }

    @Test("what was created is known by its location, whatever stands in the body")
    func wordsForPeople() async throws {
        let server = PlayedServer(
            .text("Created.", type: "text/plain", status: 201, ["Location": "Patient/9"])
        )
        #expect(try await server.client().create(Patient()).id == "9")
        let page = PlayedServer(.text("<html>log in</html>", type: "text/html"))
        let error = await failure { try await page.client().create(Patient()) }
        #expect(error?.mayHaveBeenDone == true && error?.isSafeToRetry == false)
    }

    @Test(
        "a transport's failure says whether the server may have acted",
        arguments: [
            (HTTPTransportError.Kind.hostNotFound, false, FHIRClientError.Reason.notReachable),
            (.cannotConnect, false, .notReachable),
            (.tls, false, .notReachable), (.tls, true, .responseLost), (.timedOut, true, .timedOut),
            (.responseLost, true, .responseLost),
            (.responseTooLarge, true, .responseTooLarge),
            (.malformedResponse, true, .malformedResponse("it is not HTTP")),
        ]
    )
    func transport(kind: HTTPTransportError.Kind, mayHave: Bool, reason: FHIRClientError.Reason) async throws
    {
        let server = PlayedServer { _, _ in
            throw HTTPTransportError(kind: kind, server: "fhir.example.org", mayHaveReachedServer: mayHave)
        }
        let client = try server.client(options: StillClock().options(retry: .never))
        let create = try #require(await failure { try await client.create(Patient()) })
        #expect(
            create.reason == reason && create.mayHaveBeenDone == mayHave && create.isSafeToRetry == !mayHave
        )
        #expect(create.transportError?.kind == kind)
        let read = try #require(await failure { try await client.read(Patient.self, id: "7") })
        #expect(read.isSafeToRetry)
    }

    @Test("an error of a custom transport may mean arrival, and its text is not quoted")
    func foreignError() async throws {
        struct OwnError: Error { let text = "planted" }
        let client = try PlayedServer { _, _ in throw OwnError() }.client(
            options: StillClock().options(retry: .never)
        )
        let error = try #require(await failure { try await client.create(Patient()) })
        #expect(
            error.reason == .responseLost && !error.isSafeToRetry && !error.description.contains("planted")
        )
    }

    @Test("a cancelled task is a cancelled interaction")
    func cancelled() async throws {
        let client = try PlayedServer { _, _ in throw CancellationError() }.client()
        let error = await failure { try await client.create(Patient()) }
        #expect(error?.reason == .cancelled && error?.isSafeToRetry == false)
    }
}
