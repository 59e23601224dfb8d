import StudyWarehouse

/// Loads opened messages into a warehouse, many in one transaction.
///
/// Where a transaction fails, its messages are loaded in halves, down to the one that is at fault: that one
/// is kept with the reason, and the others are loaded. Messages of a participant stay in their order.
struct MessageWriter: Sendable {
    let warehouse: Warehouse
    let quota: KeptQuota
    /// What the warehouse keeps of resources.
    let disclosure: Disclosure
    let rules: StudyRules

    /// What became of a message.
    enum Outcome: Sendable {
        /// It is in the warehouse; `nil` for one that was processed before.
        case processed(StoredMessage.State?)
        /// The warehouse has no room for more messages that cannot be loaded.
        case overQuota
    }

    /// The most messages of a transaction, and participants whose locks it holds: a server has room for some
    /// thousands of locks.
    static let maximumMessages = 256
    private static let maximumParticipants = 512
    /// The most resources of a transaction, unless a single message has more.
    private static let maximumResources = 10_000

    /// Loads messages.
    ///
    /// - Returns: The outcomes, in the order of the messages; an error for those that were not loaded. After
    ///   an error of the machine, all later messages have the same error.
    func load(_ messages: [OpenedMessage]) async -> [Result<Outcome, any Error>] {
        var outcomes: [Result<Outcome, any Error>] = []
        for batch in Self.batches(of: messages) {
            if let failure = Self.machineFailure(in: outcomes) {
                outcomes += batch.map { _ in .failure(failure) }
            } else {
                outcomes += await load(batch[...])
            }
        }
        return outcomes
    }

    private static func machineFailure(in outcomes: [Result<Outcome, any Error>]) -> (any Error)? {
        guard case .failure(let error)? = outcomes.last, MachineFailure.isCause(of: error) else { return nil }
        return error
    }

    /// Messages in their order, in parts that one transaction can hold.
    private static func batches(of messages: [OpenedMessage]) -> [[OpenedMessage]] {
        var batches: [[OpenedMessage]] = []
        var participants = 0
        var resources = 0
        for message in messages {
            let people = message.participants.count
            let count = message.resourceCount
            let fits =
                participants + people <= maximumParticipants && resources + count <= maximumResources
                && (batches.last?.count ?? maximumMessages) < maximumMessages
            if !fits {
                batches.append([])
                participants = 0
                resources = 0
            }
            batches[batches.count - 1].append(message)
            participants += people
            resources += count
        }
        return batches
    }

    private func load(_ messages: ArraySlice<OpenedMessage>) async -> [Result<Outcome, any Error>] {
        do {
            return try await write(messages).map { .success($0) }
        } catch {
            guard !MachineFailure.isCause(of: error) else { return messages.map { _ in .failure(error) } }
            guard messages.count > 1 else { return [await keep(messages[messages.startIndex], error)] }
            let middle = messages.startIndex + messages.count / 2
            let first = await load(messages[..<middle])
            let second = messages[middle...]
            if let failure = Self.machineFailure(in: first) {
                return first + second.map { _ in .failure(failure) }
            }
            return first + (await load(second))
        }
    }

    /// Keeps a message that cannot be written, with the reason.
    private func keep(_ message: OpenedMessage, _ error: any Error) async -> Result<Outcome, any Error> {
        if error is KeptQuota.Exceeded { return .success(.overQuota) }
        guard error is WarehouseError || error is ProcessingError else { return .failure(error) }
        do {
            let failing = message.failing(with: "\(error)")
            return try await write([failing]).first.map { .success($0) } ?? .failure(error)
        } catch is KeptQuota.Exceeded {
            return .success(.overQuota)
        } catch {
            return .failure(error)
        }
    }

    /// Writes messages in one transaction: what they need is read in bulk, the rules are applied to one
    /// message after the other, and the changes are written in bulk.
    private func write(_ messages: ArraySlice<OpenedMessage>) async throws -> [Outcome] {
        let left = quota.left
        let (outcomes, kept) = try await warehouse.transaction { warehouse in
            var batch = try WarehouseBatch(
                warehouse,
                messages: messages.map(\.message.id),
                participants: messages.reduce(into: []) { $0.formUnion($1.participants) }
            )
            let visits = try messages.flatMap { try $0.visits { try batch.knownPseudonym(of: $0) } }
            try batch.read(visits: visits)
            if try batch.sampleStorage() == .table {
                try batch.read(
                    samples: try messages.flatMap { try $0.samples { try batch.knownPseudonym(of: $0) } }
                )
            }
            var outcomes: [Outcome] = []
            var kept = 0
            for message in messages {
                // What is processed again is kept already.
                let room = message.origin.again ? .max : left - kept
                let rules = MessageRules(
                    opened: message,
                    quota: room,
                    disclosure: disclosure,
                    rules: self.rules
                )
                let writes = batch.writes
                do {
                    let state = try rules.apply(to: &batch)
                    outcomes.append(.processed(state))
                    if !message.origin.again, state?.awaitsProcessing == true {
                        kept += message.message.body.count
                    }
                } catch is KeptQuota.Exceeded where batch.writes == writes {
                    outcomes.append(.overQuota)
                }
            }
            try batch.write()
            return (outcomes, kept)
        }
        quota.take(kept)
        return outcomes
    }
}
