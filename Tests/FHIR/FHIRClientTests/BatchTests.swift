import FHIR
import FHIRClient
import Foundation
import HTTPCalls
import OrderedJSON
import Testing

@Suite("FHIR client: batches and transactions")
struct BatchTests {
    private func response(_ entries: [String], type: String = "transaction-response") -> HTTPAnswer {
        .fhir(#"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#)
    }

    private let created = #"{"response":{"status":"201 Created","location":"Patient/9/_history/1"}}"#

    @Test("a resource of a transaction is referred to by the urn:uuid it is sent under")
    func references() async throws {
        var transaction = FHIRTransaction()
        let patient = transaction.create(
            Patient(),
            ifNoneExist: [.parameter("identifier", .token(system: "urn:x", "1"))]
        )
        var weight = Observation(status: .final, code: .loinc("29463-7"))
        weight.subject = patient.to(AnyResource.self)
        transaction.create(weight)
        var stored = Patient()
        stored.id = "7"
        transaction.update(stored, ifMatch: "3")
        transaction.delete(Observation.self, id: "8")
        transaction.search(Patient.self, [.parameter("name", .string("a b"))])
        let server = PlayedServer(
            response([
                created,
                #"{"response":{"status":"201","location":"https://fhir.example.org/r4/Observation/5"}}"#,
                #"""
                {"response":{"status":"200 OK","etag":"W/\"4\""},"resource":{"resourceType":"Patient",\#
                "id":"7","meta":{"versionId":"4"}}}
                """#,
                #"{"response":{"status":"204"}}"#,
                #"{"resource":{"resourceType":"Bundle","type":"searchset"},"response":{"status":"200"}}"#,
            ])
        )
        let results = try await server.client().transaction(transaction)
        #expect(results.map(\.status) == [201, 201, 200, 204, 200] && results.allSatisfy(\.isSuccess))
        #expect(
            results.map(\.id) == ["9", "5", "7", nil, nil] && results[0].versionID == "1"
                && results[2].versionID == "4"
        )
        #expect(results[4].resource?.as(FHIRBundle.self)?.type == .searchset)

        let sent = try #require(server.received.first)
        #expect(sent.line == "POST /r4")
        let bundle = try FHIRBundle(parsing: sent.body)
        #expect(bundle.type == .transaction)
        let address = try #require(bundle.entry[0].fullUrl?.rawValue)
        #expect(
            address.hasPrefix("urn:uuid:") && address == patient.reference
                && bundle.entry[1].fullUrl != bundle.entry[0].fullUrl
        )
        #expect(bundle.entry[1].resource?.as(Observation.self)?.subject?.reference == address)
        #expect(bundle.entry.map { $0.request?.method } == [.post, .post, .put, .delete, .get])
        #expect(
            bundle.entry.map { $0.request?.url?.rawValue }
                == ["Patient", "Observation", "Patient/7", "Observation/8", "Patient?name=a%20b"]
        )
        #expect(
            bundle.entry[0].request?.ifNoneExist == "identifier=urn%3Ax%7C1"
                && bundle.entry[2].request?.ifMatch == "W/\"3\""
        )
    }

    @Test("a transaction at a base without a path is posted to the root")
    func root() async throws {
        let server = PlayedServer(response([]))
        _ = try await server.client(base: "https://fhir.example.org").transaction(FHIRTransaction())
        #expect(server.lines == ["POST /"])
    }

    @Test("a transaction that the server refuses is an error with its outcome")
    func refused() async throws {
        let server = PlayedServer(
            .fhir(
                """
                {"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"invalid",\
                "details":{"text":"no"}}]}
                """,
                status: 400
            )
        )
        var transaction = FHIRTransaction()
        transaction.create(Patient())
        let error = await failure { [transaction] in try await server.client().transaction(transaction) }
        #expect(
            error?.reason == .invalid && error?.outcome?.issue.first?.message == "error: no"
                && error?.isSafeToRetry == true
        )
    }

    @Test("a batch gives each entry its own result")
    func batch() async throws {
        var batch = FHIRTransaction()
        batch.read(Patient.self, id: "7")
        batch.read(Patient.self, id: "8")
        let server = PlayedServer(
            response(
                [
                    #"{"resource":{"resourceType":"Patient","id":"7"},"response":{"status":"200 OK"}}"#,
                    """
                    {"response":{"status":"404 Not Found","outcome":{"resourceType":"OperationOutcome",\
                    "issue":[{"severity":"error","code":"not-found"}]}}}
                    """,
                ],
                type: "batch-response"
            )
        )
        let results = try await server.client().batch(batch)
        #expect(
            results.map(\.isSuccess) == [true, false] && results[1].outcome?.issue.first?.code == .notFound
        )
        #expect(results[0].resource?.as(Patient.self)?.id == "7")
    }

    @Test(
        "a response that does not fit what was sent is an error",
        arguments: [
            ([], "transaction-response"),
            ([#"{"response":{"status":"201"}}"#, #"{"response":{"status":"201"}}"#], "transaction-response"),
            ([#"{"response":{}}"#], "transaction-response"),
            ([#"{"response":{"status":"fine"}}"#], "transaction-response"),
            ([#"{"response":{"status":"2010"}}"#], "transaction-response"),
            ([#"{"response":{"status":"400"}}"#], "transaction-response"),
            ([#"{"response":{"status":"201"}}"#], "searchset"),
        ]
    )
    func mismatch(entries: [String], type: String) async throws {
        var transaction = FHIRTransaction()
        transaction.create(Patient())
        let error = await failure { [transaction] in
            try await PlayedServer(response(entries, type: type)).client().transaction(transaction)
        }
        guard case .malformedResponse? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.isSafeToRetry == false)
    }

    @Test("a transaction is retried only where nothing of it can be done twice")
    func retries() async throws {
        let condition: FHIRSearch = [.parameter("identifier", .token("a"))]
        var safe = FHIRTransaction(), unsafe = FHIRTransaction()
        safe.create(Patient(), ifNoneExist: condition)
        safe.delete(Patient.self, id: "7")
        unsafe = safe
        unsafe.create(Patient())
        let lost = HTTPTransportError(
            kind: .responseLost,
            server: "fhir.example.org",
            mayHaveReachedServer: true
        )
        for (transaction, attempts) in [(safe, 4), (unsafe, 1)] {
            let server = PlayedServer { _, _ in throw lost }
            let error = await failure { try await server.client().transaction(transaction) }
            #expect(server.received.count == attempts && error?.isSafeToRetry == (attempts > 1))
        }
    }

    @Test("a bundle from a file is a transaction when every entry has a request")
    func fromBundle() throws {
        let bundle = try FHIRBundle(
            parsing:
                """
                {"resourceType":"Bundle","type":"transaction",\
                "entry":[{"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"Patient"}}]}
                """
        )
        #expect(try FHIRTransaction(bundle).bundle(.transaction).tree == bundle.tree)
        #expect(throws: FHIRClientError.self) {
            try FHIRTransaction(
                FHIRBundle(
                    parsing: #"{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient"}}]}"#
                )
            )
        }
    }
}
