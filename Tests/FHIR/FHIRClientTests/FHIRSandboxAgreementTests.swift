import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import HTTPCalls
import OrderedJSON
import Testing

/// The client against the package's own server, over a socket, interaction by interaction.
@Suite("FHIR client: with the FHIR sandbox")
struct FHIRSandboxAgreementTests {
    private func use(
        _ change: (inout FHIRSandboxConfiguration) -> Void = { _ in },
        token: String? = nil,
        _ body: (FHIRClient) async throws -> Void
    ) async throws {
        var configuration = FHIRSandboxConfiguration()
        change(&configuration)
        let sandbox = try await FHIRSandbox.start(configuration)
        do {
            let client =
                try token.map { try FHIRClient(base: sandbox.baseURL, authorization: .bearer(.init($0))) }
                ?? FHIRClient(base: sandbox.baseURL)
            try await body(client)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    private let system: FHIRURI = "urn:example:mrn"

    private func patient(_ family: String, _ number: String) -> Patient {
        Patient(name: HumanName(family: family), identifier: Identifier(system: system, value: number))
    }

    @Test("a resource is created, read, updated, patched and deleted, and has a history")
    func life() async throws {
        try await use { client in
            let capabilities = try await client.capabilities()
            #expect(capabilities.fhirVersion?.code == "4.0.1")
            let created = try await client.create(patient("Müller, Jr", "1"))
            #expect(created.change == .created && created.versionID == "1")
            let id = try #require(created.id)
            var read = try await client.read(Patient.self, id: id)
            #expect(read.name.first?.family == "Müller, Jr" && read.meta?.versionId == "1")
            read.active = true
            let updated = try await client.update(read, ifMatch: "1")
            #expect(
                updated.change == .updated && updated.versionID == "2" && updated.resource?.active == true
            )
            let stale = await failure { [read] in try await client.update(read, ifMatch: "1") }
            #expect(stale?.reason == .preconditionFailed && stale?.outcome?.issue.isEmpty == false)
            let patched = try await client.patch(
                Patient.self,
                id: id,
                [.test("/active", true), .replace("/name/0/family", "Reed")],
                ifMatch: "2"
            )
            #expect(patched.versionID == "3" && patched.resource?.name.first?.family == "Reed")
            #expect(
                try await client.read(Patient.self, id: id, version: "1").name.first?.family == "Müller, Jr"
            )
            #expect(try await client.read(Patient.self, id: id, ifNot: "3") == nil)
            #expect(try await client.read(Patient.self, id: id, ifNot: "2")?.meta?.versionId == "3")
            try await client.delete(Patient.self, id: id)
            #expect(await failure { try await client.read(Patient.self, id: id) }?.reason == .deleted)
            var methods: [HTTPVerb?] = []
            for try await entry in client.history(Patient.self, id: id, count: 2).entries {
                methods.append(entry.request?.method)
            }
            #expect(methods.count == 4 && methods.first == .delete && methods.last == .post)
            #expect(await failure { try await client.read(Patient.self, id: "nobody") }?.reason == .notFound)
        }
    }

    @Test("conditions find what is stored, refuse several matches, and arrive unharmed")
    func conditions() async throws {
        try await use { client in
            let odd = "a|b,c$d\\e f+g&h=ü%"
            let condition: FHIRSearch = [.parameter("identifier", .token(system: system, odd))]
            let first = try await client.create(patient("A", odd), ifNoneExist: condition)
            let second = try await client.create(patient("A", odd), ifNoneExist: condition)
            #expect(first.change == .created && second.change == .existing && second.id == first.id)
            let updated = try await client.update(patient("B", odd), where: condition)
            #expect(updated.change == .updated && updated.id == first.id)
            #expect(try await client.count(Patient.self) == 1)
            for number in ["1", "2"] { try await client.create(patient("Fir", number)) }
            let several = await failure {
                try await client.create(
                    patient("Fir", "3"),
                    ifNoneExist: [.parameter("family", .string("Fir"))]
                )
            }
            #expect(several?.reason == .preconditionFailed)
            try await client.delete(Patient.self, where: condition)
            #expect(
                await failure { try await client.read(Patient.self, id: #require(first.id)) }?.reason
                    == .deleted
            )
        }
    }

    @Test("a search is paged, by GET and by POST, with includes, and counts")
    func searching() async throws {
        try await use { client in
            let owner = try #require(try await client.create(patient("Moss", "1")).id)
            for value in 0..<7 {
                var weight = Observation(status: .final, code: .loinc("29463-7"))
                weight.subject = Reference("Patient/\(owner)")
                weight.effective = .dateTime(FHIRDateTime(stringLiteral: "2026-01-0\(value + 1)"))
                weight.value = .quantity(Quantity(value: FHIRDecimal(70 + value), unit: "kg", code: "kg"))
                try await client.create(weight, returning: .minimal)
            }
            let conditions: FHIRSearch = [
                .parameter("patient", .reference("Patient/\(owner)")),
                .parameter("code", .token(system: .loinc, "29463-7")),
                .parameter("date", .date(.atLeast, "2026-01-02")),
                .parameter("value-quantity", .quantity(.less, 76, code: "kg")),
                .sort("-date"), .count(2), .include("Observation:patient"),
            ]
            for method in [FHIRSearchMethod.get, .post] {
                var values: [String?] = []
                for try await weight in client.search(Observation.self, conditions, by: method) {
                    values.append(weight.value?.quantity?.value?.description)
                }
                #expect(values == ["75", "74", "73", "72", "71"], "\(method)")
            }
            var included = 0
            for try await entry in client.search(Observation.self, conditions).pages.entries
            where entry.search?.mode == .include {
                included += 1
            }
            #expect(included >= 1)
            #expect(
                try await client.count(Observation.self, [.parameter("patient.family", .string("moss"))]) == 7
            )
            let unknown = await failure {
                for try await _ in client.search(Patient.self, [.raw("no-such-parameter", "1")]) {}
            }
            #expect(unknown?.reason == .invalid)
            var about = 0
            for try await _ in client.everything(aboutPatient: owner, count: 3).entries { about += 1 }
            #expect(about == 8)
        }
    }

    @Test("a transaction is all or nothing and resolves urn:uuid; a batch does what it can")
    func batches() async throws {
        try await use { client in
            func transaction(_ number: String) -> FHIRTransaction {
                var transaction = FHIRTransaction()
                let reference = transaction.create(
                    patient("Ivy", number),
                    ifNoneExist: [.parameter("identifier", .token(system: system, number))]
                )
                var weight = Observation(status: .final, code: .loinc("29463-7"))
                weight.subject = reference.to(AnyResource.self)
                weight.identifier = [Identifier(system: "urn:example:sample", value: number)]
                transaction.create(
                    weight,
                    ifNoneExist: [.parameter("identifier", .token(system: "urn:example:sample", number))]
                )
                return transaction
            }
            let results = try await client.transaction(transaction("1"))
            #expect(results.map(\.status) == [201, 201])
            let again = try await client.transaction(transaction("1"))
            #expect(again.map(\.status) == [200, 200])
            #expect(again.map(\.location?.rawValue).allSatisfy { $0 != nil } && again[0].id == results[0].id)
            let weight = try await client.read(Observation.self, id: #require(results[1].id))
            #expect(weight.subject?.target?.id == results[0].id)

            var bad = transaction("2")
            bad.delete(Patient.self, id: "x/y")
            let refused = await failure { [bad] in try await client.transaction(bad) }
            #expect(refused != nil)
            #expect(try await client.count(Patient.self) == 1)

            var batch = FHIRTransaction()
            batch.read(Patient.self, id: try #require(results[0].id))
            batch.read(Patient.self, id: "nobody")
            #expect(try await client.batch(batch).map(\.isSuccess) == [true, false])
        }
    }

    @Test("a resource is validated without being stored")
    func validate() async throws {
        try await use { client in
            let outcome = try await client.validate(patient("Moss", "1"))
            #expect(outcome.issue.allSatisfy { $0.severity != .error })
            let count = try await client.count(Patient.self)
            #expect(count == 0)
        }
    }

    @Test("a token is demanded and sent")
    func token() async throws {
        try await use({ $0.tokens = ["t"] }, token: "t") { client in
            let written = try await client.create(patient("Moss", "1"))
            #expect(written.change == .created)
        }
        try await use({ $0.tokens = ["t"] }, token: "other") { client in
            #expect(await failure { try await client.read(Patient.self, id: "1") }?.reason == .unauthorized)
        }
    }
}
