import FHIR
import Foundation
import StudyDelivery
import StudyWarehouse

/// Why a message is not loaded.
struct MessageProblem: Error {
    let reason: String
    /// Whose message it is, where that can be read: each of them may withdraw, and then it goes, too. `nil` for more than
    /// it is filed under.
    let participants: Set<String>?
}

/// Writes a message, and what it says, into a warehouse.
struct MessageLoad: Sendable {
    let message: StudyMessage
    /// What was read of it.
    let read: Result<[Intake], MessageProblem>
    /// Whether it may be processed although it is known.
    let again: Bool
    /// How many bytes of messages the warehouse still takes that cannot be loaded.
    let room: Int

    private let now = WarehouseTime(FHIRDateTime(Date()))

    /// The same message when what was read of it cannot be written.
    func failing(with reason: String) -> MessageLoad {
        let problem = MessageProblem(reason: reason, participants: participants)
        return MessageLoad(message: message, read: .failure(problem), again: again, room: room)
    }

    private var participants: Set<String> {
        switch read {
        case .success(let intakes): Set(intakes.map(\.participant))
        case .failure(let problem): problem.participants ?? []
        }
    }

    /// Does all that is to be done in one transaction.
    ///
    /// - Returns: What became of the message; `nil` for one that was processed before.
    /// - Throws: ``KeptRoom/Full``, ``ProcessingError``, ``WarehouseError``, the database's error.
    func write(to warehouse: WarehouseTransaction) throws -> StoredMessage.State? {
        // Whoever else has something of the same participant waits, or did all of it before.
        let participants = participants.union([message.subject.map(Intake.digest)].compactMap { $0 })
        for participant in participants.sorted() { try warehouse.lock(participant) }
        var known = try warehouse.message(message.id)
        // Whose it is may be known from before alone; they may have withdrawn until they are locked.
        if let participant = known?.participant, !participants.contains(participant) {
            try warehouse.lock(participant)
            known = try warehouse.message(message.id)
        }
        // Another consumer may have written it meanwhile.
        guard known == nil || again && known?.state != .loaded else { return nil }
        if again, known == nil || known?.body == nil { return nil }
        // Whom the message names outside of its encryption; a digest is all that is kept of that.
        let named = known?.participant ?? message.subject.map(Intake.digest)
        var stored = StoredMessage(
            id: message.id, kind: message.content.rawValue, body: message.body, received: message.received, state: .loaded,
            participant: named)
        switch read {
        case .failure(let problem) where problem.participants == nil:
            // It could not go with each of them.
            let many = "it names more than \(Intake.mostParticipants) participants, and its content is not kept"
            (stored.state, stored.body) = (.failed(reason: "\(many): \(problem.reason)"), nil)
        case .failure(let problem): stored.state = .failed(reason: problem.reason)
        case .success(let intakes) where named != nil && intakes.contains { $0.participant != named }:
            stored.state = .failed(reason: "it is of another participant than it says outside of its encryption")
        case .success(let intakes):
            stored.participant = intakes.first?.participant ?? named
            try write(intakes, &stored, to: warehouse)
        }
        if case .failed = stored.state {
            // It is filed under everybody whom it names.
            let owners = participants.union([named].compactMap { $0 }).sorted()
            stored.participant = named ?? owners.first
            if try owners.contains(where: warehouse.hasWithdrawn) { refuse(&stored) }
            for owner in owners where owner != stored.participant { try warehouse.file(message.id, under: owner) }
        }
        if stored.state.keepsForLater, let body = stored.body, body.count > room { throw KeptRoom.Full() }
        try warehouse.keep(stored)
        return stored.state
    }

    private func refuse(_ stored: inout StoredMessage) { (stored.state, stored.body) = (.refused, nil) }

    private func write(_ intakes: [Intake], _ stored: inout StoredMessage, to warehouse: WarehouseTransaction) throws {
        guard let participant = stored.participant else { return }
        guard try !warehouse.hasWithdrawn(participant) else { return refuse(&stored) }
        // Whatever the order in a message: leaving counts more than agreeing, and both come before what depends on them.
        for intake in intakes {
            guard case .withdrawal = intake.meaning else { continue }
            try warehouse.withdraw(participant, now: now)
            return refuse(&stored)
        }
        if let consent = Intake.consent(in: intakes) {
            try warehouse.keepConsent(
                of: participant, message: message.id, signed: consent.signed, version: consent.version, shares: consent.shares)
        }
        guard try warehouse.hasConsent(participant) else {
            stored.state = .waiting
            return
        }
        let person = try warehouse.participant(participant, now: now)
        let received = FHIRDateTime(text: message.received) ?? FHIRDateTime(Date())
        for intake in intakes {
            guard case .data(let mapped, let written, let type) = intake.meaning else { continue }
            let set = intake.pseudonymised(mapped, person.pseudonym)
            stored.upload = try warehouse.store(
                [set], of: person, label: message.id, written: written, received: WarehouseTime(received), now: now)
            try warehouse.keepResource(
                try intake.pseudonymised(person.pseudonym, received: received), type: type, visit: set.visit, of: person,
                written: written, upload: stored.upload ?? 0)
        }
    }
}
