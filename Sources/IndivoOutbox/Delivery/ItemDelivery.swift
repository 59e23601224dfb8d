import Foundation
import Indivo
import IndivoModel

/// Delivers one change: sends it, and after anything but a clear answer looks what became of it before sending again.
struct ItemDelivery {
    let record: IndivoRecord
    let folder: OutboxFolder
    let policy: DeliveryPolicy
    let sequence: Int
    let entry: Entry
    var progress: Progress

    enum Outcome {
        /// The server has the change; the id is that of the document it made or was about.
        case delivered(String)
        case setAside(String)
        /// This process cannot deliver it; another may.
        case skipped(String)
        case stopped(DeliveryStop)
    }

    /// What stands in the way of a change before it is sent.
    private enum Obstacle: Error {
        /// It can never be made.
        case refused(String)
        /// It cannot be made by this process.
        case notHere(String)
    }

    /// How many answers 403 are taken for copies of the request that crossed each other.
    private static let forbiddenLimit = 3

    /// - Parameter target: The id of the document that the change is about; "" for a new one.
    mutating func run(target: String) async throws -> Outcome {
        var failures = 0
        var forbidden = 0
        // A stamp on the disk: the change was sent before, and what became of it is not known.
        var mayBeDone = progress.stamp != nil
        while true {
            try Task.checkCancellation()
            let error: IndivoError
            do {
                if mayBeDone, let document = try await look(target) { return .delivered(document) }
                mayBeDone = true
                return .delivered(try await send(target))
            } catch let failure as IndivoError {
                error = failure
            } catch Obstacle.refused(let reason) {
                return try await refuse(target, reason)
            } catch Obstacle.notHere(let reason) {
                return .skipped(reason)
            }
            try Task.checkCancellation()
            // Why it cannot be seen what became of it, or how the server is.
            var problem: IndivoError?
            do {
                if let document = try await look(target) { return .delivered(document) }
            } catch let failure as IndivoError {
                problem = failure
            }
            progress.isUnsure = problem == nil ? nil : true
            try Task.checkCancellation()
            var verdict = Verdict(error)
            // No other judgement counts as long as the change may have been made.
            if problem != nil, verdict != .serverFailed { verdict = .tryAgain }
            do {
                switch verdict {
                case .tryAgain:
                    failures += 1
                    if failures >= policy.attempts, let outcome = try await count(failures, problem ?? error) {
                        return outcome
                    }
                case .refused:
                    if let stop = try await accessProblem() { return .stopped(stop) }
                    return .setAside("\(error)")
                case .serverFailed:
                    failures += 1
                    if let outcome = try await count(1, error) { return outcome }
                case .forbidden:
                    forbidden += 1
                    if forbidden > ItemDelivery.forbiddenLimit {
                        if let stop = try await accessProblem() { return .stopped(stop) }
                        // The signature is used up or too old, and its request was not carried out: no copy of it ever
                        // will be, so a new one does no harm. If that is refused as well, the change is.
                        guard progress.stamp != nil, forbidden <= 2 * ItemDelivery.forbiddenLimit else {
                            return .setAside("\(error)")
                        }
                        if forbidden == ItemDelivery.forbiddenLimit + 1 { try stamp() }
                    }
                    try await policy.sleep(policy.delay(after: forbidden))
                    continue
                }
            } catch let failure as IndivoError {
                // How the server is cannot be seen either.
                if verdict == .refused || verdict == .forbidden { failures += 1 }
                problem = failure
            }
            try Task.checkCancellation()
            if failures >= policy.attempts { return .stopped(DeliveryStop(problem ?? error)) }
            try await policy.sleep(policy.delay(after: failures))
        }
    }

    /// What it comes to that the server does not tell which document the change is about.
    mutating func fail(on error: IndivoError) async throws -> Outcome {
        try Task.checkCancellation()
        do {
            return try await count(1, error) ?? .stopped(DeliveryStop(error))
        } catch let problem as IndivoError {
            return .stopped(DeliveryStop(problem))
        }
    }

    /// Sets the change aside, unless it was made before, or what it was judged by may not have come from the server.
    private func refuse(_ target: String, _ reason: String) async throws -> Outcome {
        do {
            if let document = try await look(target) { return .delivered(document) }
            if let stop = try await accessProblem() { return .stopped(stop) }
            return .setAside(reason)
        } catch let problem as IndivoError {
            try Task.checkCancellation()
            return .stopped(DeliveryStop(problem))
        }
    }

    /// Counts failures against the change, if the record can be used otherwise: it must not hold up all others for ever.
    ///
    /// - Returns: What the change came to; `nil` when it is to be tried again.
    /// - Throws: `IndivoError` when the record cannot be used either, which is nothing against the change.
    private mutating func count(_ failures: Int, _ error: IndivoError) async throws -> Outcome? {
        // Without a way to the server nothing is known of either.
        if error.reason == .notReachable { return nil }
        if let stop = try await accessProblem() { return .stopped(stop) }
        let isServers = Verdict(error) == .serverFailed
        if isServers {
            progress.serverFailures += failures
        } else {
            progress.networkFailures = (progress.networkFailures ?? 0) + failures
        }
        try folder.save(progress, of: sequence)
        if progress.serverFailures >= policy.serverFailures {
            return .setAside("the server failed on it \(progress.serverFailures) times. \(error)")
        }
        if let count = progress.networkFailures, count >= policy.networkFailures {
            return .setAside("it did not get through \(count) times, while the record could be used otherwise. \(error)")
        }
        return nil
    }

    /// Makes the call.
    private mutating func send(_ target: String) async throws -> String {
        switch entry.change {
        case .add:
            return try await record.deliverDocument(folder.content(of: sequence).content, externalID: entry.id)
        case .replace:
            return try await record.deliverVersion(
                folder.content(of: sequence).content, of: target, externalID: entry.id)
        case .patch:
            return try await record.deliverVersion(merged(with: target), of: target, externalID: entry.id)
        case .status:
            if progress.equalChangesBefore == nil { progress.equalChangesBefore = try await equalChanges(of: target) }
            if progress.stamp == nil { try stamp() }
            try await record.deliverStatus(
                status, reason: entry.reason ?? "", of: target, stamp: progress.stamp ?? record.newStamp())
            return target
        case .label:
            if progress.stamp == nil { try stamp() }
            try await record.deliverLabel(entry.label ?? "", of: target, stamp: progress.stamp ?? record.newStamp())
            return target
        }
    }

    /// The stored document with the changes of a patch.
    private func merged(with target: String) async throws -> FileContent {
        let patch: XMLNode
        do {
            patch = try folder.content(of: sequence).content.xml()
        } catch is XMLError {
            throw OutboxError.damaged(file: "the item \(entry.id)")
        }
        let document: IndivoDocument
        do {
            document = try DocumentPatch.document(in: patch)
        } catch {
            // What is kept is whole: another process, which knows the class, can read it.
            throw Obstacle.notHere("its changes cannot be made here: \(Self.words(error))")
        }
        let root =
            switch type(of: document).format {
            case .dataModel: "Models"
            case .nested(let root, _): root
            }
        let stored: XMLNode
        do {
            stored = try await record.storedDocument(target, root: root)
        } catch let error as IndivoError where error.reason == .answerTooLarge {
            throw Obstacle.refused("the stored document is too large to be read: \(error)")
        }
        do {
            return try FileContent(PreparedDocument(replacing: document, in: stored))
        } catch {
            throw Obstacle.refused("its changes cannot be made to the stored document: \(Self.words(error))")
        }
    }

    /// What an error says of a document, without the values that stand there.
    private static func words(_ error: any Error) -> String {
        guard let error = error as? DocumentError else { return "it cannot be written" }
        guard case .unreadableValue(_, let problem) = error.reason else { return "\(error)" }
        return "\(error.document).\(error.property): expected \(problem.expected)"
    }

    /// Makes a new signature the one to send with, durably before anything is sent with it.
    private mutating func stamp() throws {
        progress.stamp = record.newStamp()
        try folder.save(progress, of: sequence)
    }

    /// Looks whether the server has the change already. That the server refuses to tell says that it has not.
    private func look(_ target: String) async throws -> String? {
        do {
            return try await find(target)
        } catch let error as IndivoError where Verdict(error) == .refused {
            return nil
        }
    }

    private func find(_ target: String) async throws -> String? {
        switch entry.change {
        case .add, .replace, .patch:
            return try await record.deliveredDocument(externalID: entry.id)
        case .status:
            guard let before = progress.equalChangesBefore else { return nil }
            return try await equalChanges(of: target) > before ? target : nil
        case .label:
            guard progress.stamp != nil else { return nil }
            return try await record.label(ofDocument: target) == entry.label ? target : nil
        }
    }

    private var status: DocumentStatus { DocumentStatus(rawValue: entry.status ?? "") ?? .active }

    private func equalChanges(of document: String) async throws -> Int {
        try await record.statusChanges(of: document).count { $0.status == status && $0.reason == entry.reason }
    }

    /// Whether the record cannot be used at all just now: no judgement of a change counts while that is so.
    private func accessProblem() async throws -> DeliveryStop? {
        var refusal: IndivoError?
        for _ in 0..<ItemDelivery.forbiddenLimit {
            do {
                try await record.checkAccess()
                return nil
            } catch let error as IndivoError {
                switch Verdict(error) {
                case .tryAgain, .serverFailed: throw error
                case .forbidden, .refused: refusal = error
                }
            }
        }
        return refusal.map { .loginNeeded($0) }
    }
}
