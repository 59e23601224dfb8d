import StudyWarehouse

/// A message that is to be loaded, as it comes from the queue, or again from the warehouse.
struct MessageToLoad: Sendable {
    let message: StudyMessage
    /// Whether it may be processed although it is known.
    var again = false
    /// Whether the study's team approved it.
    var isApproved = false
    /// The digest of its participant, where that is known from before.
    var owner: String?

    /// An estimate of the memory that opening it takes, in bytes: a package unpacks to more than an envelope.
    var estimatedSize: Int {
        switch message.content {
        case .envelope: 4 * message.body.count
        case .package: MessageOpening.Limits().unpackedBytes(of: message.body.count)
        }
    }
}

/// A message, and what was read from it.
struct OpenedMessage: Sendable {
    let origin: MessageToLoad
    /// The intakes of the resources that count, or why it is not loaded.
    var read: Result<[Intake], MessageProblem>

    var message: StudyMessage { origin.message }

    /// The digests of the participants whom the message is about, and of those whom it names.
    var participants: Set<String> {
        let named = [message.subject.map(Intake.digest)].compactMap { $0 }
        switch read {
        case .success(let intakes): return Intake.participants(in: intakes).union(named)
        case .failure(let problem): return (problem.participants ?? []).union(named)
        }
    }

    /// How many resources it has.
    var resourceCount: Int {
        switch read {
        case .success(let intakes): intakes.count
        case .failure: 0
        }
    }

    /// The visits of its answers and measurements, by the digests of their participants' ids and with their
    /// pseudonyms.
    func visits(_ pseudonym: (String) throws -> String?) rethrows -> [(
        participant: String, visit: StudyVisit
    )] {
        guard case .success(let intakes) = read else { return [] }
        return try intakes.compactMap { intake in
            guard intake.sample == nil, let name = try pseudonym(intake.participant) else { return nil }
            return intake.visit(named: name).map { (intake.participant, $0) }
        }
    }

    /// The identities of its samples, including those that are stored as facts; with pseudonyms, as visits
    /// have them.
    func samples(_ pseudonym: (String) throws -> String?) rethrows -> [SampleLookup] {
        guard case .success(let intakes) = read else { return [] }
        return try intakes.compactMap { intake in
            if let sample = intake.sample { return SampleLookup(intake.participant, sample) }
            guard let name = try pseudonym(intake.participant), let visit = intake.visit(named: name) else {
                return nil
            }
            return SampleLookup(intake.participant, visit, isCorrection: intake.isCorrection)
        }
    }

    /// The same message as one that cannot be loaded, for a reason.
    func failing(with reason: String) -> OpenedMessage {
        var failed = self
        failed.read = .failure(MessageProblem(reason: reason, participants: participants))
        return failed
    }
}
