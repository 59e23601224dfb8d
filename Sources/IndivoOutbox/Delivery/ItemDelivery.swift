#if Outbox
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
        case stopped(DeliveryStop)
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
            } catch let failure as DocumentError {
                return .setAside("its changes cannot be made to the stored document: \(failure)")
            }
            try Task.checkCancellation()
            do {
                if let document = try await look(target) { return .delivered(document) }
                switch Verdict(error) {
                case .tryAgain:
                    failures += 1
                case .refused:
                    if let stop = try await accessProblem() { return .stopped(stop) }
                    return .setAside("\(error)")
                case .serverFailed:
                    failures += 1
                    if try await accessProblem() == nil {
                        progress.serverFailures += 1
                        try folder.save(progress, of: sequence)
                        if progress.serverFailures >= policy.serverFailures {
                            return .setAside("the server failed on it \(progress.serverFailures) times. \(error)")
                        }
                    }
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
            } catch let problem as IndivoError {
                // Looking, or seeing whether the server is well, failed too.
                failures += 1
                try Task.checkCancellation()
                if failures >= policy.attempts { return .stopped(DeliveryStop(problem)) }
            }
            if failures >= policy.attempts { return .stopped(DeliveryStop(error)) }
            try await policy.sleep(policy.delay(after: failures))
        }
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
        let document = try DocumentPatch.document(in: patch)
        return try FileContent(PreparedDocument(replacing: document, in: await record.storedDocument(target)))
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
#endif
