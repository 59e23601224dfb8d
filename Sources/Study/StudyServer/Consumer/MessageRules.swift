import FHIR
import Foundation
import StudyFormats
import StudyWarehouse

/// Why a message is not loaded.
struct MessageProblem: Error {
    let reason: String
    /// The participants whom the message is about, where they can be read: when one of them withdraws, the
    /// message's content is erased. `nil` if there are more than a message is filed under.
    let participants: Set<String>?
}

/// What becomes of a message, and of what it says, by the rules of a study.
struct MessageRules: Sendable {
    let opened: OpenedMessage
    /// How many more bytes the warehouse keeps of messages that cannot be loaded.
    let quota: Int
    /// What the warehouse keeps of resources.
    let disclosure: Disclosure
    let rules: StudyRules
    private let received: FHIRDateTime
    private let receivedTime: WarehouseTime
    private let now = WarehouseTime(FHIRDateTime(Date()))
    private var message: StudyMessage { opened.message }

    init(opened: OpenedMessage, quota: Int, disclosure: Disclosure, rules: StudyRules) {
        self.opened = opened
        self.quota = quota
        self.disclosure = disclosure
        self.rules = rules
        received = FHIRDateTime(text: opened.message.received) ?? FHIRDateTime(Date())
        receivedTime = WarehouseTime(received)
    }

    /// Decides what becomes of the message, and changes the batch accordingly.
    ///
    /// - Returns: What became of the message; `nil` for one that was processed before.
    /// - Throws: ``KeptQuota/Exceeded``, ``WarehouseError``, the database's error.
    func apply(to batch: inout WarehouseBatch) throws -> StoredMessage.State? {
        let participants = opened.participants
        let known = try batch.message(message.id)
        // Another consumer may have written it meanwhile.
        let again = opened.origin.again
        guard known == nil || again && known?.isLoaded != true else { return nil }
        if again, known?.hasBody != true { return nil }
        // Whom the message names outside of its encryption; a digest is all that is kept of that.
        let named = known?.participant ?? message.subject.map(Intake.digest)
        var stored = StoredMessage(
            id: message.id,
            kind: message.content.rawValue,
            body: message.body,
            received: message.received,
            state: .loaded,
            participant: named,
            client: message.client
        )
        var owners: [String] = []
        // Where the warehouse has no room for the message, nothing of it is left.
        let owner = named ?? opened.participants.sorted().first
        return try batch.attempt(owner) { batch in
            switch opened.read {
            case .failure(let problem) where problem.participants == nil:
                // Its content could not be erased with each of them.
                let many =
                    "it names more than \(Intake.maximumParticipants) participants, and its content is not "
                    + "kept"
                stored.state = .failed(reason: "\(many): \(problem.reason)")
                stored.body = nil
            case .failure(let problem): stored.state = .failed(reason: problem.reason)
            case .success(let intakes) where named != nil && intakes.contains { $0.participant != named }:
                stored.state = .failed(
                    reason: "it is of another participant than it says outside of its encryption"
                )
            case .success(let intakes):
                stored.participant = intakes.first?.participant ?? named
                stored.isSigned = intakes.contains { !$0.isData }
                try apply(intakes, &stored, to: &batch)
            }
            if case .failed = stored.state {
                // It is filed under everybody whom it names.
                owners = participants.union([named].compactMap { $0 }).sorted()
                stored.participant = named ?? owners.first
                let left = try owners.contains {
                    try batch.hasWithdrawn($0) && !batch.tookPart($0, at: receivedTime)
                }
                if left { refuse(&stored) }
            }
            if stored.state.awaitsProcessing, let body = stored.body, body.count > quota {
                throw KeptQuota.Exceeded()
            }
            for owner in owners where owner != stored.participant { batch.file(message.id, under: owner) }
            batch.keep(stored)
            return stored.state
        }
    }

    private func refuse(_ stored: inout StoredMessage) {
        stored.state = .refused
        stored.body = nil
        stored.client = nil
    }

    private func apply(_ intakes: [Intake], _ stored: inout StoredMessage, to batch: inout WarehouseBatch)
        throws
    {
        guard let participant = stored.participant else { return }
        let moment = receivedTime
        let consents = Intake.consents(in: intakes)
        guard consents.count <= Intake.maximumConsents else {
            stored.state = .failed(reason: "it has more than \(Intake.maximumConsents) consents")
            return
        }
        let isProven = try isProven(for: participant, in: &batch)
        var tookPart = try batch.tookPart(participant, at: moment)
        if !isProven, !tookPart, try batch.hasStopped(participant), !consents.isEmpty {
            // Nobody else lets them take part again.
            return leave(&stored, "it is another consent")
        }
        guard try tookPart || takesPart(participant, intakes, consents.last, moment, in: &batch) else {
            return refuse(&stored)
        }
        if opened.origin.isApproved, let client = message.client {
            try batch.add(client: client, of: participant)
        }
        // Whatever the order in a message, a withdrawal takes precedence over a consent, and both are applied
        // before the data that depend on them.
        if let data = withdrawnData(by: intakes) {
            guard isProven else { return leave(&stored, "it is a withdrawal") }
            switch data {
            case .erased:
                try batch.withdraw(participant, now: moment, received: message.received)
                return refuse(&stored)
            case .kept:
                try batch.stop(participant, at: moment, received: message.received)
                // Data in the same message as the withdrawal are the last that count.
                guard intakes.contains(where: \.isData) else { return refuse(&stored) }
                tookPart = true
            }
        }
        guard try keep(consents, of: participant, isProven, in: &batch) else {
            return leave(&stored, "it is another consent")
        }
        guard try batch.hasConsent(participant, rules.consents, received: message.received) else {
            // A participant who stopped will not consent any more.
            if tookPart { return refuse(&stored) }
            let isConsent = !consents.isEmpty && !intakes.contains(where: \.isData)
            stored.state = isConsent ? .loaded : .waiting
            return
        }
        let pseudonym = try batch.pseudonym(of: participant, now: now)
        let data = intakes.compactMap {
            Intake.PseudonymisedResource($0, pseudonym, received: received, disclosure)
        }
        if !isProven {
            let replacing = try data.first { item in
                try isReplaced(by: item, of: participant, in: &batch)
            }
            if replacing != nil { return leave(&stored, "it replaces what was given before") }
        }
        // The first resource of a visit decides for all of them.
        var isOlder: [String: Bool] = [:]
        for item in data where try !keepSample(item, of: participant, in: &batch) {
            let visit = item.facts.visit
            let known = try isOlder[visit.id] ?? self.isOlder(item, received, of: participant, in: &batch)
            isOlder[visit.id] = known
            guard known != true else { continue }
            try makeVisit(item, of: participant, in: &batch)
            try batch.store(
                item.facts,
                (item.resource, item.type),
                of: participant,
                message: message.id,
                written: item.written,
                received: receivedTime,
                isNewer: known == false,
                now: now
            )
        }
        if data.isEmpty, consents.isEmpty { stored.state = .kept }
    }

    // MARK: Samples

    private func lookup(_ item: Intake.PseudonymisedResource, of participant: String) -> SampleLookup? {
        if let sample = item.sample { return SampleLookup(participant, sample) }
        guard item.type == "Observation" else { return nil }
        return SampleLookup(participant, item.facts.visit, isCorrection: item.isCorrection)
    }

    /// What is known of the identity of a sample; `nil` for an item that is not a sample, and where every
    /// sample is a visit.
    private func knownSample(
        _ item: Intake.PseudonymisedResource,
        of participant: String,
        in batch: inout WarehouseBatch
    ) throws -> KnownSample? {
        guard try batch.sampleStorage() == .table, let lookup = lookup(item, of: participant) else {
            return nil
        }
        return try batch.knownSample(lookup)
    }

    /// Whether there is a row or visit that an item would replace with something different.
    private func isReplaced(
        by item: Intake.PseudonymisedResource,
        of participant: String,
        in batch: inout WarehouseBatch
    ) throws -> Bool {
        switch try knownSample(item, of: participant, in: &batch) {
        case .row(let sample, _): return sample != item.sample
        case .absent where item.sample != nil: return false
        case .absent, .visit, nil:
            return try batch.isReplaced(
                item.facts.visit,
                of: participant,
                by: item.resource,
                type: item.type
            )
        }
    }

    /// Keeps an item as a row of the table of samples, unless what is there is newer.
    ///
    /// - Returns: False for an item that is stored as facts.
    private func keepSample(
        _ item: Intake.PseudonymisedResource,
        of participant: String,
        in batch: inout WarehouseBatch
    ) throws -> Bool {
        guard let sample = item.sample else { return false }
        switch try knownSample(item, of: participant, in: &batch) {
        case .visit, nil: return false
        case .row(let known, let knownReceived):
            guard let time = FHIRDateTime(text: knownReceived.xml) else { return false }
            let order = ResourceOrder(sample.versionFields, received: received)
            if order.isOlder(than: ResourceOrder(known.versionFields, received: time)) { return true }
        case .absent: break
        }
        batch.store(
            sample,
            of: participant,
            message: message.id,
            received: receivedTime,
            now: now
        )
        return true
    }

    /// Removes the row of the table that an item with facts replaces.
    private func makeVisit(
        _ item: Intake.PseudonymisedResource,
        of participant: String,
        in batch: inout WarehouseBatch
    ) throws {
        guard try batch.sampleStorage() == .table, let lookup = lookup(item, of: participant) else { return }
        try batch.makeVisit(lookup, message: message.id, received: receivedTime, now: now)
    }

    /// Whether what a visit has is newer; `nil` where there is no such visit, or its resource is not kept.
    private func isOlder(
        _ item: Intake.PseudonymisedResource,
        _ received: FHIRDateTime,
        of participant: String,
        in batch: inout WarehouseBatch
    ) throws -> Bool? {
        if case .row(let sample, let known) = try knownSample(item, of: participant, in: &batch),
            let time = FHIRDateTime(text: known.xml)
        {
            let order = ResourceOrder(item.resource, received: received)
            return order.isOlder(than: ResourceOrder(sample.versionFields, received: time))
        }
        guard item.type != "Patient",
            let known = try batch.storedResource(of: item.facts.visit, of: participant, type: item.type),
            let knownReceived = FHIRDateTime(text: known.received)
        else { return nil }
        let order = ResourceOrder(item.resource, received: received)
        return order.isOlder(than: ResourceOrder(known.json, received: knownReceived))
    }

    /// Whether the participant of a message takes part, or takes part again because of it: somebody who
    /// withdrew may consent again, under the same id. What is older than the withdrawal stays refused.
    private func takesPart(
        _ participant: String,
        _ intakes: [Intake],
        _ consent: Intake.Consent?,
        _ received: WarehouseTime,
        in batch: inout WarehouseBatch
    ) throws -> Bool {
        guard try batch.hasWithdrawn(participant) else {
            return try !batch.withdrew(participant, at: received)
        }
        if let data = withdrawnData(by: intakes) {
            // A participant who stopped may still want the data erased.
            return try data == .erased && batch.hasStopped(participant)
        }
        guard let consent else { return false }
        return try batch.enrolAgain(participant, signed: consent.signedAtLatest, received: received)
    }

    /// What the withdrawal in a message does to the participant's data; `nil` for a message without one. Of
    /// several withdrawals, one that erases takes precedence.
    private func withdrawnData(by intakes: [Intake]) -> WithdrawnData? {
        let withdrawals = intakes.compactMap { intake in
            if case .withdrawal(let data) = intake.classification { data ?? rules.withdrawnData } else { nil }
        }
        return withdrawals.contains(.erased) ? .erased : withdrawals.first
    }

    /// Whether the message may remove or replace what a participant gave.
    private func isProven(for participant: String, in batch: inout WarehouseBatch) throws -> Bool {
        if opened.origin.isApproved || rules.unproven == .accepted { return true }
        guard let client = message.client else { return false }
        return try batch.isClient(client, of: participant)
    }

    private func leave(_ stored: inout StoredMessage, _ what: String) {
        stored.state = .pending(reason: "\(what), and nothing proves that the participant’s phone sent it")
    }

    /// Keeps each consent of the message; the app of the first one speaks for the participant from now on.
    ///
    /// - Returns: False where one changes another without a proof.
    private func keep(
        _ consents: [Intake.Consent],
        of participant: String,
        _ isProven: Bool,
        in batch: inout WarehouseBatch
    ) throws -> Bool {
        let isFirst = try !batch.hasConsent(participant)
        let new = try consents.filter { consent in
            try !batch.hasConsent(
                participant,
                signed: consent.signed,
                version: consent.version,
                shares: consent.shares
            )
        }
        guard isFirst || isProven || new.isEmpty else { return false }
        for consent in new {
            try batch.keepConsent(
                of: participant,
                message: message.id,
                signed: consent.signed,
                version: consent.version,
                shares: consent.shares
            )
        }
        if isFirst, !new.isEmpty, let client = message.client {
            try batch.add(client: client, of: participant)
        }
        return true
    }
}
