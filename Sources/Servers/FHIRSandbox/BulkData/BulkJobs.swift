import Foundation
import IndivoBase
import OrderedJSON
import Synchronization

/// The exports that are under way or complete. Their files are in a folder of their own, readable by the
/// owner alone, and go with the export, with the sandbox, and when there are too many.
final class BulkJobs: Sendable {
    /// A file of resources.
    struct File: Sendable {
        var type: String
        var name: String
        var count: Int
    }

    /// How far an export is.
    enum State: Sendable {
        case running(progress: String)
        case complete([File])
        case failed(FHIRFailure)
    }

    struct Job: Sendable {
        /// Tokens that open the same have the export; nil for those that open everything.
        let owner: String?
        /// The address that was asked for.
        let request: String
        let startedAt: String
        let folder: URL
        var state = State.running(progress: "just begun")
        var task: Task<Void, Never>?
    }

    private static let jobLimit = 16
    private let jobs = Mutex<(byID: [String: Job], order: [String])>(([:], []))

    deinit { removeAll() }

    /// Begins an export.
    /// - Parameter work: Takes the data together, in the job's folder.
    func begin(
        _ job: Job,
        _ work: @escaping @Sendable (_ progress: @escaping @Sendable (String) -> Void) async throws -> [File]
    ) throws -> String {
        try FileManager.default.createDirectory(
            at: job.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let id = job.folder.lastPathComponent
        let oldest = jobs.withLock { jobs -> String? in
            jobs.byID[id] = job
            jobs.order.append(id)
            return jobs.order.count > Self.jobLimit ? jobs.order.first : nil
        }
        if let oldest { remove(oldest) }
        let task = Task { [weak self] in
            do {
                let files = try await work { [weak self] progress in
                    self?.set(id, .running(progress: progress))
                }
                self?.set(id, .complete(files))
            } catch let failure as FHIRFailure {
                self?.set(id, .failed(failure))
            } catch {
                self?.set(id, .failed(FHIRFailure(500, "exception", "the export failed")))
            }
        }
        jobs.withLock { $0.byID[id]?.task = task }
        return id
    }

    private func set(_ id: String, _ state: State) { jobs.withLock { $0.byID[id]?.state = state } }

    /// - Parameter owner: Whose token asks; nil for one that opens everything.
    func job(_ id: String, owner: String?) -> Job? {
        jobs.withLock { $0.byID[id] }.flatMap { owner == nil || $0.owner == owner ? $0 : nil }
    }

    func remove(_ id: String) {
        let job = jobs.withLock { jobs in
            jobs.order.removeAll { $0 == id }
            return jobs.byID.removeValue(forKey: id)
        }
        job?.task?.cancel()
        if let job { try? FileManager.default.removeItem(at: job.folder) }
    }

    func removeAll() {
        for id in jobs.withLock({ $0.order }) { remove(id) }
    }
}
