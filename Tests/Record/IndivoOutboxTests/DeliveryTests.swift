import Foundation
import Indivo
import IndivoOutbox
import IndivoTesting
import Testing

@Suite("Delivering an outbox")
struct DeliveryTests {
    @Test(
        "document, label, version and status queue without a network and arrive in order"
    )
    func wholeLife() async throws {
        try await Place.use { place in
            let offline = try place.outbox(FaultyTransport(.system) { _, _ in .loseRequest })
            let document = medication("C")
            let added = try await offline.add(document)
            try await offline.setLabel("vitamins", of: document)
            document.instructions = "one a day"
            let replaced = try await offline.replace(document)
            try await offline.setStatus(.archived, of: document, reason: "finished")
            let tried = try await offline.flush()
            #expect(tried.delivered.isEmpty && tried.setAside.isEmpty && tried.remaining == 4)
            guard case .unreachable? = tried.stop else {
                Issue.record("a missing network should be told")
                return
            }

            let outbox = try place.outbox()
            let report = try await outbox.flush()
            #expect(report.stop == nil && report.remaining == 0 && report.setAside.isEmpty)
            #expect(
                report.delivered.map(\.change.description) == [
                    "add", "set label", "replace", "set status archived",
                ]
            )

            let record = place.record()
            let first = try #require(try await record.documentMetadata(externalID: added.id))
            let second = try #require(try await record.documentMetadata(externalID: replaced.id))
            #expect(first.label == "vitamins")
            #expect(first.replacedBy?.id == second.id)
            #expect(second.status == .archived)
            let stored = try #require(
                try await record.reports(of: Medication.self, matching: ReportQuery(status: .archived)).all()
                    .first
            )
            #expect(stored.id == second.id && stored.instructions == "one a day")
            #expect(try await stored.statusHistory().map(\.reason) == ["finished"])
            #expect(try await outbox.confirmDelivery(of: document))
            #expect(document.id == second.id && document.record?.id == record.id)
        }
    }

    @Test(
        "whichever request or answer of a delivery is lost, everything is stored once",
        arguments: [true, false]
    )
    func everyLoss(beforeServer: Bool) async throws {
        try await Place.use { place in
            for lost in 0..<12 {
                let outbox = try place.outbox(
                    FaultyTransport(.system) { _, index in
                        index == lost ? (beforeServer ? .loseRequest : .loseResponse) : nil
                    }
                )
                let document = medication("\(lost)")
                let added = try await outbox.add(document)
                try await outbox.setLabel("label \(lost)", of: document)
                document.instructions = "one a day"
                let replaced = try await outbox.replace(document)
                try await outbox.setStatus(.archived, of: document, reason: "finished")
                try await outbox.setStatus(.archived, of: document, reason: "finished")
                #expect(try await outbox.flush().delivered.count == 5, "request \(lost)")
                let record = place.record()
                #expect(try await record.documentMetadata(externalID: added.id)?.label == "label \(lost)")
                #expect(try await record.documentMetadata(externalID: replaced.id)?.status == .archived)
                try await place.outbox().confirmDelivery(of: document)
                #expect(try await document.statusHistory().count == 2)
                #expect(try await document.versions().count == 2)
            }
            #expect(try await place.medications(status: .archived) == (0..<12).map { "Test \($0)" })
        }
    }

    @Test("a client that dies after any request delivers the rest next time, nothing twice")
    func everyDeath() async throws {
        try await Place.use { place in
            for death in 0..<12 {
                // From a request on nothing comes back; then another outbox, as after a new start.
                let dying = try place.outbox(
                    FaultyTransport(.system) { _, index in
                        index < death ? nil : index == death ? .loseResponse : .loseRequest
                    },
                    attempts: 1
                )
                let document = medication("\(death)")
                try await dying.add(document)
                document.instructions = "one a day"
                try await dying.replace(document)
                try await dying.setLabel("label", of: document)
                try await dying.setStatus(.void, of: document, reason: "wrong")
                try await dying.flush()
                let report = try await place.outbox().flush()
                #expect(report.remaining == 0 && report.setAside.isEmpty && report.stop == nil)
                try await place.outbox().confirmDelivery(of: document)
                #expect(try await document.statusHistory().map(\.status) == [.void])
                #expect(try await document.versions().count == 2)
            }
            #expect(try await place.medications(status: .void).count == 12)
        }
    }

    @Test("of requests that the network doubles, one counts", arguments: [0, 1])
    func doubled(answer: Int) async throws {
        try await Place.use { place in
            let outbox = try place.outbox(DoublingTransport(answer: answer))
            let document = medication("A")
            let added = try await outbox.add(document)
            document.instructions = "one a day"
            try await outbox.replace(document)
            try await outbox.setStatus(.archived, of: document, reason: "finished")
            try await outbox.setLabel("label", of: document)
            let report = try await outbox.flush()
            #expect(report.delivered.count + report.remaining == 4 && report.setAside.isEmpty)
            #expect(try await place.outbox().flush().remaining == 0)
            try await place.outbox().confirmDelivery(of: document)
            #expect(try await document.statusHistory().count == 1)
            #expect(try await document.versions().count == 2)
            #expect(try await place.record().documentMetadata(externalID: added.id) != nil)
        }
    }

    @Test("a copy of a status change that arrives late changes nothing")
    func lateCopy() async throws {
        try await Place.use { place in
            let late = LateTransport(call: "/set-status")
            let outbox = try place.outbox(late)
            let document = medication("A")
            try await outbox.add(document)
            try await outbox.setStatus(.archived, of: document, reason: "finished")
            try await outbox.setStatus(.active, of: document, reason: "again")
            #expect(try await outbox.flush().delivered.count == 3)
            #expect(late.held == 2)
            #expect(try await late.release() == [403, 403])
            try await outbox.confirmDelivery(of: document)
            #expect(try await document.statusHistory().map(\.reason) == ["finished", "again"])
        }
    }

    @Test("a captive portal that answers every request delivers nothing and loses nothing")
    func captivePortal() async throws {
        try await Place.use { place in
            for status in [200, 302, 403, 404, 500, 511] {
                let outbox = try place.outbox(PortalTransport(status: status))
                if status == 200 { try await outbox.add(medication("A")) }
                let report = try await outbox.flush()
                #expect(report.setAside.isEmpty && report.delivered.isEmpty, "\(status)")
                #expect(report.remaining == 1 && report.stop != nil, "\(status)")
            }
            try await place.outbox().flush()
            #expect(try await place.medications() == ["Test A"])
        }
    }

    @Test("a token that is no longer good stops the delivery and sets nothing aside")
    func revoked() async throws {
        try await Place.use { place in
            let outbox = try place.outbox(token: OAuthToken(value: "gone", secret: "gone"))
            try await outbox.add(medication("A"))
            let report = try await outbox.flush()
            guard case .loginNeeded? = report.stop else {
                Issue.record("it should ask for a login, and said \(String(describing: report.stop))")
                return
            }
            #expect(report.setAside.isEmpty && report.remaining == 1)
            try await place.outbox().flush()
            #expect(try await place.medications() == ["Test A"])
        }
    }

    @Test("a record that the server does not have stops the delivery with a report")
    func noSuchRecord() async throws {
        try await Place.use { place in
            // A server that began anew has other records, under other ids.
            let gone = place.record(id: UUID().uuidString.lowercased())
            let outbox = try place.outbox(record: gone)
            try await outbox.add(medication("A"))
            let report = try await outbox.flush()
            #expect(report.remaining == 1 && report.setAside.isEmpty)
            #expect("\(report)".contains("waits for the server that has the record"))
            #expect("\(report)".contains("This server has no such record"))
            #expect(!"\(report)".contains("logs in again"))
        }
    }

    @Test("a change on which the server keeps failing is set aside, but not for a gateway")
    func serverFailures() async throws {
        try await Place.use { place in
            let failing = try place.outbox(FailingTransport(), attempts: 2, serverFailures: 3)
            try await failing.add(medication("A"))
            #expect(try await failing.flush().remaining == 1)
            let report = try await failing.flush()
            #expect(report.setAside.first?.state.reason?.contains("failed on it 3 times") == true)
            let id = try #require(report.setAside.first?.id)
            try await failing.retry(id)

            let gateway = try place.outbox(PortalTransport(status: 503), serverFailures: 1)
            #expect(try await gateway.flush().remaining == 1)
            try await place.outbox().flush()
            #expect(try await place.medications() == ["Test A"])
        }
    }

    @Test(
        "a change that fails alone holds up the others no longer than allowed",
        arguments: [FaultyTransport.Fault.reset, .status(503), .status(500), .status(403)]
    )
    func failingAlone(fault: FaultyTransport.Fault) async throws {
        try await Place.use { place in
            let bad = try await place.outbox().add(medication("A"))
            let good = try await place.outbox().add(medication("B"))
            let outbox = try place.outbox(
                FaultyTransport(.system) { request, _ in request.path?.contains(bad.id) == true ? fault : nil
                },
                serverFailures: 6,
                networkFailures: 6
            )
            let first = try await outbox.flush()
            #expect(first.stop != nil && first.remaining == 2 && first.setAside.isEmpty)
            let second = try await outbox.flush()
            #expect(
                second.setAside.map(\.id) == [bad.id] && second.delivered.map(\.id) == [good.id]
                    && second.stop == nil
            )
            let calm = try place.outbox()
            try await calm.retry(bad.id)
            #expect(try await calm.flush().delivered.map(\.id) == [bad.id])
            #expect(try await place.medications().sorted() == ["Test A", "Test B"])
        }
    }

    @Test(
        "a change of status that may have been made is looked for when tried again"
    )
    func unsure() async throws {
        try await Place.use { place in
            let document = medication("A")
            try await place.record().add(document)
            let wrong = try place.outbox(
                FaultyTransport(.system) { request, index in
                    index == 0
                        || request.path?.contains("/status-history") == false
                            && request.path?.contains("/set-status") == false
                        ? nil : .loseResponse
                },
                networkFailures: 3
            )
            let item = try await wrong.setStatus(.archived, of: document, reason: "finished")
            #expect(try await wrong.flush().setAside.map(\.id) == [item.id])
            #expect(try await document.statusHistory().count == 1)
            let calm = try place.outbox()
            try await calm.retry(item.id)
            #expect(try await calm.flush().delivered.map(\.id) == [item.id])
            #expect(try await document.statusHistory().count == 1)
        }
    }

    @Test("a network that fails for everything counts against no change")
    func failingNetwork() async throws {
        try await Place.use { place in
            let faults: [FaultyTransport.Fault] = [.reset, .loseRequest, .status(503), .status(500)]
            for fault in faults {
                let outbox = try place.outbox(
                    FaultyTransport(.system) { _, _ in fault },
                    serverFailures: 1,
                    networkFailures: 1
                )
                if try await outbox.items().isEmpty { try await outbox.add(medication("A")) }
                let report = try await outbox.flush()
                #expect(report.setAside.isEmpty && report.remaining == 1 && report.stop != nil, "\(fault)")
            }
            try await place.outbox().flush()
            #expect(try await place.medications() == ["Test A"])
        }
    }

    @Test("what is queued while the outbox runs is delivered; cancelling ends it")
    func running() async throws {
        try await Place.use { place in
            var policy = DeliveryPolicy()
            policy.maximumDelay = .seconds(3600)
            let outbox = try place.record().outbox(in: place.folder, keys: place.keys, policy: policy)
            var updates = outbox.updates.makeAsyncIterator()
            let delivery = Task { try await outbox.run() }
            for name in ["A", "B"] {
                try await outbox.add(medication(name))
                while let update = await updates.next() {
                    if case .delivered = update { break }
                }
            }
            delivery.cancel()
            await #expect(throws: CancellationError.self) { try await delivery.value }
            #expect(try await place.medications() == ["Test A", "Test B"])
        }
    }

    @Test("updates tell of an item from queue to delivery")
    func updates() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let updates = outbox.updates
            try await outbox.add(medication("A"))
            try await outbox.add(refused("B"), validation: .none)
            let report = try await outbox.flush()
            try await outbox.discard(try #require(report.setAside.first).id)
            var seen: [String] = []
            for await update in updates {
                seen.append(String("\(update)".prefix { $0 != "(" }))
                if case .discarded = update { break }
            }
            #expect(
                seen == [
                    "queued", "queued", "sending", "delivered", "sending", "setAside", "finished",
                    "discarded",
                ]
            )
        }
    }
}
