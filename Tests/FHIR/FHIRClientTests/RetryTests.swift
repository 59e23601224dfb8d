import FHIR
import FHIRClient
import Foundation
import HTTPCalls
import Testing

@Suite("FHIR client: retries")
struct RetryTests {
    /// Fails so many times, in a way, and then answers.
    private func server(
        failing times: Int,
        _ fail: @escaping @Sendable () throws -> HTTPAnswer,
        then answer: HTTPAnswer
    ) -> PlayedServer {
        PlayedServer { _, number in number < times ? try fail() : answer }
    }

    private static let created: HTTPAnswer = .status(201, ["Location": "Patient/9/_history/1"])
    private static let lost = HTTPTransportError(
        kind: .responseLost,
        server: "fhir.example.org",
        mayHaveReachedServer: true
    )
    private static let unsent = HTTPTransportError(
        kind: .cannotConnect,
        server: "fhir.example.org",
        mayHaveReachedServer: false
    )

    @Test("what reads is retried after failures that may pass, with waits that grow")
    func reading() async throws {
        for status in [429, 500, 502, 503, 504] {
            let clock = StillClock()
            let server = server(failing: 3, { .status(status) }, then: .patient)
            #expect(try await server.client(options: clock.options()).read(Patient.self, id: "7").id == "7")
            #expect(clock.waits == [.milliseconds(250), .milliseconds(500), .seconds(1)])
        }
        let server = server(failing: 2, { throw Self.lost }, then: .patient)
        _ = try await server.client().read(Patient.self, id: "7")
        #expect(server.received.count == 3)
    }

    @Test(
        "what does not pass by itself is not retried",
        arguments: [400, 401, 403, 404, 405, 409, 410, 412, 422, 501]
    )
    func final(status: Int) async throws {
        let server = PlayedServer(.status(status))
        #expect(await failure { try await server.client().read(Patient.self, id: "7") }?.attempts == 1)
        #expect(server.received.count == 1)
    }

    @Test("Retry-After is obeyed, in seconds and as a date, unless it passes the deadline")
    func retryAfter() async throws {
        for (field, wait) in [
            ("7", Duration.seconds(7)), ("Sat, 21 Nov 2026 04:00:09 GMT", .seconds(9)),
            ("soon", .milliseconds(250)),
        ] {
            let clock = StillClock()
            let server = server(failing: 1, { .status(503, ["Retry-After": field]) }, then: .patient)
            _ = try await server.client(options: clock.options()).read(Patient.self, id: "7")
            #expect(clock.waits == [wait], "\(field)")
        }
        let error = await failure {
            try await PlayedServer(.status(429, ["Retry-After": "99999999999"])).client().read(
                Patient.self,
                id: "7"
            )
        }
        #expect(error?.attempts == 1 && error?.reason == .busy && error?.retryAfter == .seconds(31_536_000))
    }

    @Test("a create without a condition is sent again only when it certainly did not arrive")
    func create() async throws {
        let busy = PlayedServer(.status(503))
        #expect(await failure { try await busy.client().create(Patient()) }?.attempts == 1)
        let lost = PlayedServer { _, _ in throw Self.lost }
        let error = await failure { try await lost.client().create(Patient()) }
        #expect(lost.received.count == 1 && error?.isSafeToRetry == false)
        #expect(error?.description.contains("look before you retry") == true)
        let unsent = server(failing: 2, { throw Self.unsent }, then: Self.created)
        #expect(try await unsent.client().create(Patient()).id == "9")
    }

    @Test("a create with a condition is retried, and the retry finds what was stored first")
    func conditionalCreate() async throws {
        let server = server(
            failing: 1,
            { throw Self.lost },
            then: .fhir(#"{"resourceType":"Patient","id":"9"}"#)
        )
        let written = try await server.client().create(
            Patient(),
            ifNoneExist: [.parameter("identifier", .token("a"))]
        )
        #expect(written.change == .existing && written.id == "9" && server.received.count == 2)
    }

    @Test("an update is retried, one of a version is not, but may be without harm")
    func update() async throws {
        var patient = Patient()
        patient.id = "7"
        let plain = server(failing: 1, { throw Self.lost }, then: .patient)
        #expect(try await plain.client().update(patient).change == .updated)
        let versioned = PlayedServer { _, _ in throw Self.lost }
        let error = await failure { [patient] in try await versioned.client().update(patient, ifMatch: "3") }
        #expect(
            versioned.received.count == 1 && error?.isSafeToRetry == true && error?.mayHaveBeenDone == true
        )
    }

    @Test("a retried delete that finds nothing succeeded; a first one that does says so")
    func delete() async throws {
        let server = server(failing: 1, { throw Self.lost }, then: .status(410))
        #expect(try await server.client().delete(Patient.self, id: "7") == nil)
        let error = await failure {
            try await PlayedServer(.status(404)).client().delete(Patient.self, id: "7")
        }
        #expect(error?.reason == .notFound)
    }

    @Test("patches, conditional updates and operations that change something are sent once")
    func once() async throws {
        let server = PlayedServer { _, _ in throw Self.lost }
        let client = try server.client()
        for error in [
            await failure { try await client.patch(Patient.self, id: "7", [.remove("/name")]) },
            await failure {
                try await client.update(Patient(), where: [.parameter("identifier", .token("a"))])
            },
            await failure {
                try await client.delete(Patient.self, where: [.parameter("identifier", .token("a"))])
            },
            await failure { try await client.operation("process") },
        ] { #expect(error?.attempts == 1 && error?.isSafeToRetry == false) }
        #expect(server.received.count == 4)
    }

    @Test("no attempt begins after the deadline, and a request that got no time is not sent")
    func deadline() async throws {
        let clock = StillClock()
        let server = PlayedServer { _, _ in
            clock.pass(.seconds(4))
            throw Self.lost
        }
        let policy = RetryPolicy(maximumAttempts: 100, firstDelay: .seconds(1), deadline: .seconds(10))
        let error = await failure {
            try await server.client(options: clock.options(retry: policy)).read(Patient.self, id: "7")
        }
        #expect(error?.reason == .responseLost && server.received.count == 2)
    }

    @Test("an attempt that may have been done stays so when the next fails otherwise")
    func outcome() async throws {
        var patient = Patient()
        patient.id = "7"
        let server = server(failing: 1, { throw Self.lost }, then: .status(412))
        let error = await failure { [patient] in try await server.client().update(patient) }
        #expect(
            error?.reason == .preconditionFailed && error?.mayHaveBeenDone == true && error?.attempts == 2
        )
    }
}
