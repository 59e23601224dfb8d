import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import HTTPCalls
import HTTPTypes
import HealthSamples
import IndivoBase
import OrderedJSON
import Synchronization
import Testing

/// Uploads to the sandbox, over a network that fails.
@Suite struct SampleUploadTests {
    /// Loses requests before and responses after the server has acted.
    final class FaultyTransport: HTTPTransport {
        private let inner: any HTTPTransport = .system
        private let random: Mutex<SeededGenerator>
        let faults = Mutex(0)

        init(seed: UInt64) { random = Mutex(SeededGenerator(seed: seed)) }

        func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
            let roll = random.withLock { Int.random(in: 0..<10, using: &$0) }
            if roll == 0 {
                faults.withLock { $0 += 1 }
                throw HTTPTransportError(
                    kind: .cannotConnect,
                    server: "test",
                    mayHaveReachedServer: false,
                    detail: "injected"
                )
            }
            let answer = try await inner.send(request, body: body)
            if roll == 1 {
                faults.withLock { $0 += 1 }
                throw HTTPTransportError(
                    kind: .responseLost,
                    server: "test",
                    mayHaveReachedServer: true,
                    detail: "injected"
                )
            }
            return answer
        }
    }

    private func withSandbox<Value>(_ body: (FHIRSandbox) async throws -> Value) async throws -> Value {
        var configuration = FHIRSandboxConfiguration()
        configuration.port = 0
        let sandbox = try await FHIRSandbox.start(configuration)
        do {
            let value = try await body(sandbox)
            await sandbox.stop()
            return value
        } catch {
            await sandbox.stop()
            throw error
        }
    }

    private static func samples(_ count: Int) -> [Sample] {
        (0..<count).map { index in
            let time =
                FHIRDateTime(text: "2026-03-01T\(10 + index / 60 % 10):\(10 + index % 50):00+01:00")
                ?? "2026-03-01T00:00:00Z"
            var sample = Sample(
                type: "HKQuantityTypeIdentifierHeartRate",
                start: time,
                end: time,
                value: .quantity(
                    SampleQuantity(value: FHIRDecimal(50 + index), unit: .healthKit("count/min"))
                ),
                source: SampleSource(name: "Watch \(index % 3)")
            )
            sample.metadata["HKTimeZone"] = .text("Europe/Berlin")
            return sample
        }
    }

    private func client(_ sandbox: FHIRSandbox, _ transport: any HTTPTransport = .system) throws -> FHIRClient
    {
        var options = FHIRClient.Options()
        options.retry = RetryPolicy(
            maximumAttempts: 12,
            firstDelay: .milliseconds(1),
            maximumDelay: .milliseconds(2)
        )
        return try FHIRClient(base: sandbox.baseURL, transport: transport, options: options)
    }

    private func patient(_ client: FHIRClient, _ value: String) async throws -> String {
        var patient = Patient(name: HumanName(family: "Doe"))
        patient.identifier = [Identifier(system: "urn:test", value: value)]
        return try #require(try await client.create(patient).id)
    }

    @Test("samples uploaded twice over a failing network are stored once each")
    func failingNetwork() async throws {
        try await withSandbox { sandbox in
            let transport = FaultyTransport(seed: 5)
            let id = try await patient(try client(sandbox), "1")
            let samples = Self.samples(300)
            for run in 0..<2 {
                let upload = SampleUpload(client: try client(sandbox, transport), patientID: id)
                for start in stride(from: 0, to: samples.count, by: 25) {
                    let outcomes = try await upload.send(Array(samples[start..<start + 25]))
                    #expect(outcomes.allSatisfy { $0 == .created || $0 == .existing })
                    if run == 1 { #expect(outcomes.allSatisfy { $0 == .existing }) }
                }
            }
            #expect(transport.faults.withLock { $0 } > 0)
            let client = try client(sandbox)
            #expect(
                try await client.count(Observation.self, [.parameter("subject", .reference("Patient/\(id)"))])
                    == 300
            )
            #expect(try await client.count(Device.self, []) == 3)
        }
    }

    @Test("two patients with equal samples both have them")
    func equalSamples() async throws {
        try await withSandbox { sandbox in
            let client = try client(sandbox)
            let samples = Self.samples(4)
            for value in ["1", "2"] {
                let id = try await patient(client, value)
                let outcomes = try await SampleUpload(client: client, patientID: id).send(samples + samples)
                #expect(
                    outcomes == Array(repeating: .created, count: 4) + Array(repeating: .existing, count: 4)
                )
                #expect(
                    try await client.count(
                        Observation.self,
                        [.parameter("subject", .reference("Patient/\(id)"))]
                    ) == 4
                )
            }
        }
    }

    @Test("what is refused is reported, and the rest is sent")
    func refused() async throws {
        try await withSandbox { sandbox in
            let client = try client(sandbox)
            let id = try await patient(client, "1")
            var samples = Self.samples(5)
            samples[2].type = "HKQuantityTypeIdentifierHartRate"
            let outcomes = try await SampleUpload(client: client, patientID: id).send(samples)
            #expect(outcomes.filter { $0 == .created }.count == 4)
            guard case .refused(let reason) = outcomes[2] else {
                return #expect(Bool(false), "\(outcomes[2])")
            }
            #expect(reason.contains("Did you mean 'HKQuantityTypeIdentifierHeartRate'?"))
        }
    }

    /// As from a sensor that gives its own UUID to everything that it measures.
    @Test("different samples with one UUID are not taken for one")
    func sharedUUID() async throws {
        try await withSandbox { sandbox in
            let client = try client(sandbox)
            let id = try await patient(client, "1")
            var samples = Self.samples(3)
            for index in 0..<2 { samples[index].uuid = "6F1B0F0E-5D0B-4E9C-9A53-0E0B5A7C2D11" }
            samples[2] = samples[0]
            samples[2].uuid = samples[0].uuid?.lowercased()
            let outcomes = try await SampleUpload(client: client, patientID: id).send(samples)
            #expect(outcomes[0] == .created && outcomes[2] == .existing)
            guard case .refused(let reason) = outcomes[1] else {
                return #expect(Bool(false), "\(outcomes[1])")
            }
            #expect(reason.contains("another sample of the batch has the UUID 6f1b0f0e"))
        }
    }

    /// They name the patient of the server that they come from, which may be somebody else here.
    @Test("clinical records are refused, whatever they are")
    func clinicalRecords() async throws {
        try await withSandbox { sandbox in
            let client = try client(sandbox)
            let other = try await patient(client, "1")
            let id = try await patient(client, "2")
            var laboratory = Observation(status: .final, code: CodeableConcept(text: "x"))
            laboratory.subject = Reference("Patient/\(other)")
            let records = [AnyResource(laboratory), AnyResource(Patient(name: HumanName(family: "Doe")))].map
            { resource in
                Sample(
                    type: "HKClinicalRecord",
                    start: "2026-03-01T08:00:00Z",
                    end: "2026-03-01T08:00:00Z",
                    value: .clinicalRecord(resource)
                )
            }
            let outcomes = try await SampleUpload(client: client, patientID: id).send(
                Self.samples(1) + records
            )
            #expect(outcomes.first == .created)
            for outcome in outcomes.dropFirst() {
                guard case .refused(let reason) = outcome else { return #expect(Bool(false), "\(outcome)") }
                #expect(reason.contains("clinical records are not uploaded"))
            }
            #expect(try await client.count(Observation.self, []) == 1)
        }
    }

    @Test("the patient is found by identifier and compared")
    func foundPatient() async throws {
        try await withSandbox { sandbox in
            let client = try client(sandbox)
            let id = try await patient(client, "a|b")
            let identifier = try #require(PatientIdentifier("urn:test|a|b"))
            #expect(try await client.patient(identifiedBy: identifier).id == id)
            await #expect(
                throws: PatientLookupError.notFound(try #require(PatientIdentifier("urn:other|a|b")))
            ) {
                try await client.patient(identifiedBy: #require(PatientIdentifier("urn:other|a|b")))
            }
            _ = try await patient(client, "a|b")
            await #expect(throws: PatientLookupError.ambiguous(identifier, count: 2)) {
                try await client.patient(identifiedBy: identifier)
            }
        }
    }

    /// A server that gives all patients, whatever is asked.
    private struct IgnorantTransport: HTTPTransport {
        var identifiers = ["other"]

        func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
            let entries = identifiers.enumerated().map { id, value in
                """
                {"search":{"mode":"match"},"resource":{"resourceType":"Patient","id":"\(id)",\
                "identifier":[{"system":"urn:test","value":"\(value)"}]}}
                """
            }
            let bundle =
                #"{"resourceType":"Bundle","type":"searchset","entry":[\#(entries.joined(separator: ","))]}"#
            var response = HTTPResponse(status: .ok)
            response.headerFields[.contentType] = "application/fhir+json"
            return HTTPAnswer(response: response, body: Data(bundle.utf8))
        }
    }

    @Test("a server that ignores the identifier is found out")
    func ignoredIdentifier() async throws {
        let client = try FHIRClient(
            base: #require(URL(string: "https://fhir.example.org")),
            transport: IgnorantTransport()
        )
        let identifier = try #require(PatientIdentifier("urn:test|12"))
        await #expect(throws: PatientLookupError.ignored(identifier)) {
            try await client.patient(identifiedBy: identifier)
        }
    }

    /// Of a thousand others nobody knows whether the next one has the identifier too.
    @Test("one patient among many others is not taken for the only one")
    func amongOthers() async throws {
        let others = (0..<1000).map { "other \($0)" }
        let server = try #require(URL(string: "https://fhir.example.org"))
        let many = try FHIRClient(
            base: server,
            transport: IgnorantTransport(identifiers: ["12"] + others + ["12"])
        )
        let identifier = try #require(PatientIdentifier("urn:test|12"))
        await #expect(throws: PatientLookupError.ignored(identifier)) {
            try await many.patient(identifiedBy: identifier)
        }
        let few = try FHIRClient(base: server, transport: IgnorantTransport(identifiers: ["other", "12"]))
        #expect(try await few.patient(identifiedBy: identifier).id == "1")
    }

    @Test("the first bar divides system and value")
    func firstBar() {
        #expect(PatientIdentifier("s|a|b")?.value == "a|b")
        #expect(PatientIdentifier("|a")?.system == nil && PatientIdentifier("a")?.value == "a")
        #expect(PatientIdentifier("s|") == nil && PatientIdentifier("") == nil)
    }

    @Test("an anchor holds for its scope and remembers what was refused")
    func anchorScope() throws {
        func anchor(_ target: String, _ mapping: HealthMapping = .standard) -> UploadAnchor {
            UploadAnchor(target: target, mapping: mapping, selection: "", file: "f")
        }
        var first = anchor("a")
        first.advance(to: 10, outcomes: [(3, true), (4, false), (9, true)])
        var second = anchor("a")
        let isResumed = second.resume(from: first.json)
        #expect(isResumed && second == first)
        #expect((0..<12).filter { second.needs($0) } == [3, 9, 10, 11])
        second.advance(to: 10, outcomes: [(3, false)])
        #expect(second.refused == [9])
        var other = anchor("b")
        let isOther = other.resume(from: first.json)
        #expect(!isOther && other.position == 0)
        let mapping = try HealthMapping.standard.overlaid(
            parsing: Data(#"{"quantities": {"HKQuantityTypeIdentifierHeight": {"display": "Tall"}}}"#.utf8)
        )
        var changed = anchor("a", mapping)
        let isChanged = changed.resume(from: first.json)
        let isMalformed = second.resume(from: ["version": 1, "position": 5])
        #expect(!isChanged && !isMalformed)
    }

    @Test("more refusals than are remembered hold the position")
    func manyRefusals() {
        var anchor = UploadAnchor(target: "a", mapping: .standard, selection: "", file: "f")
        anchor.advance(to: 20_000, outcomes: (0..<20_000).map { ($0, true) })
        #expect(anchor.position == UploadAnchor.refusalLimit)
        #expect((0..<20_000).allSatisfy { anchor.needs($0) })
        // What follows does not move it past those that are forgotten.
        anchor.advance(to: 20_200, outcomes: (20_000..<20_200).map { ($0, $0 == 20_100) })
        #expect(
            anchor.position == UploadAnchor.refusalLimit && anchor.refused.count == UploadAnchor.refusalLimit
        )
        #expect((0..<20_200).allSatisfy { anchor.needs($0) })
        // The next run goes on behind it as soon as fewer are refused.
        var next = UploadAnchor(target: "a", mapping: .standard, selection: "", file: "f")
        let isResumed = next.resume(from: anchor.json)
        next.advance(to: 20_200, outcomes: (0..<20_200).map { ($0, $0 == 7) })
        #expect(isResumed && next.position == 20_200 && next.refused == [7])
    }

    @Test("a sample of which one member was refused is remembered")
    func refusedMember() {
        var anchor = UploadAnchor(target: "a", mapping: .standard, selection: "", file: "f")
        anchor.advance(to: 2, outcomes: [(0, true), (0, false), (1, false), (1, false)])
        #expect(anchor.refused == [0])
    }

    @Test(
        "an anchor does not hold for another mapping, whichever section differs",
        arguments: [
            #"{"workouts": {"running": 99}}"#, #"{"metadata": {"acme": "mg"}}"#,
            #"{"quantities": {"HKQuantityTypeIdentifierStepCount": {"total": "mean"}}}"#,
        ]
    )
    func anchorMapping(_ own: String) throws {
        let mapping = try HealthMapping.standard.overlaid(parsing: Data(own.utf8))
        var other = UploadAnchor(target: "a", mapping: mapping, selection: "", file: "f")
        let isResumed = other.resume(
            from: UploadAnchor(target: "a", mapping: .standard, selection: "", file: "f").json
        )
        #expect(!isResumed)
    }
}
