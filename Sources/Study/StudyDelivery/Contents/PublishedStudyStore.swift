import DurableQueue
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import StudyFormats

/// Fetches what a study publishes, and keeps the last of it that was good, for when there is no network.
///
/// ```swift
/// let store = try PublishedStudyStore(
///     in: folder, study: "org.example.sleep", signedBy: certificate, from: receiver)
/// let study = try await store.fetch().study            // or, without a network, store.stored()
/// let diary = study.questionnaire("http://example.org/Questionnaire/diary")
/// ```
/// What is fetched is checked before it replaces anything: who signed it, the study, the version, which never
/// falls, the digests of the files, and that all of them can be read. The same is checked when it is read
/// from the disk, but for the time until which servers may give it. It says nothing of a participant, so that
/// it is not encrypted; keep its folder beside the participants', not in one of them.
public struct PublishedStudyStore: Sendable {
    private let folder: String
    private let study: String
    private let certificate: StudyCertificate
    private let address: StudyAddress
    private let engine: CallEngine
    private let disk = Disk()
    private static let listName = "contents.jwt"

    /// - Parameters:
    ///   - folder: A folder of its own; made with mode 0700 when it is missing.
    ///   - study: The study's identifier.
    ///   - certificate: The certificate of the key that signs the study's lists; part of the app.
    ///   - url: The receiver's root, as in `https://study.example.org/c3pro`.
    ///   - plainHTTPHosts: The hosts to which HTTP without TLS is allowed, besides this machine.
    ///   - timing: The clocks and waits of retries; tests bring their own.
    /// - Throws: `StudyError` for what is not an address of a server.
    public init(
        in folder: URL,
        study: String,
        signedBy certificate: StudyCertificate,
        from url: URL,
        transport: any HTTPTransport = .system(limits: Self.limits),
        plainHTTPHosts: Set<String> = [],
        timing: CallTiming = .system
    ) throws(StudyError) {
        self.folder = folder.folderPath
        self.study = study
        self.certificate = certificate
        engine = CallEngine(transport: transport, timing: timing)
        address = try StudyAddress(url, plainHTTPHosts: plainHTTPHosts)
    }

    /// Limits of a transport: no response is longer than a file may be.
    public static let limits = HTTPLimits(maximumResponseBytes: StudyContents.maximumFileSize)

    // MARK: What is stored

    /// What was stored last; `nil` before the first fetch.
    ///
    /// - Throws: `StudyError`, also for what was changed on the disk: fetch it again.
    public func stored() throws -> PublishedStudy? {
        try locked {
            guard let list = try storedList() else { return nil }
            return try PublishedStudy(try read(list)) { file in
                guard let data = try storedContent(of: file) else {
                    throw StudyError.storage(reason: "the stored \(file.name) cannot be read; fetch it again")
                }
                return data
            }
        }
    }

    private func read(_ list: Data) throws -> StudyContents {
        try StudyContents(
            String(decoding: list, as: UTF8.self),
            study: study,
            signedBy: certificate,
            allowsExpired: true,
            // A clock that was set back makes nothing unreadable that was taken before.
            at: StudyTime(seconds: StudyTime.range.upperBound)
        )
    }

    private func storedList() throws -> Data? {
        try data(Self.listName, limit: StudyContents.maximumLength)
    }

    /// `nil` where it is not there, or is another than the one that was signed.
    private func storedContent(of file: StudyContents.File) throws -> Data? {
        guard let data = try data(file.digest, limit: file.size), (try? file.check(data)) != nil else {
            return nil
        }
        return data
    }

    /// `nil` where there is none; what is there and cannot be read is not taken for none.
    private func data(_ name: String, limit: Int) throws -> Data? {
        let path = folder + "/" + name
        do { return try StoredFile(path)?.read(at: 0, count: limit) } catch {
            throw StudyError.storage(reason: "\(path) cannot be read: \(error)")
        }
    }

    private func locked<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            try disk.makeFolder(folder)
            return try withExtendedLifetime(FileLock(waitingFor: folder + "/.lock"), body)
        } catch let failure as DiskFailure {
            throw StudyError.storage(reason: "\(failure)")
        }
    }

    // MARK: Fetching

    /// Fetches the list and those of its files that are not here. What was stored stays until all of it is
    /// good. Transient failures are retried, as `RetryPolicy` says.
    ///
    /// - Returns: What is published now, and whether it is other than what was stored before.
    /// - Throws: `HTTPTransportError` without a response, ``StudyServerProblem`` for a server that fails or
    ///   publishes nothing, `StudyError` and other errors of what is read for what is refused.
    public func fetch(at time: StudyTime = .now) async throws -> (study: PublishedStudy, isNew: Bool) {
        let list = try locked { try storedList() }
        // What was damaged on the disk is fetched anew.
        let known = list.flatMap { try? read($0) }
        let tag = known == nil ? nil : list.map { "\"\(StudyContents.digest(of: $0))\"" }
        let answer = try await get(
            "/contents.jwt",
            limit: StudyContents.maximumLength,
            [(.accept, "application/jwt")] + (tag.map { [(HTTPField.Name.ifNoneMatch, $0)] } ?? [])
        )
        if let answer {
            let contents = try StudyContents(
                String(decoding: answer, as: UTF8.self),
                study: study,
                signedBy: certificate,
                after: known,
                at: time
            )
            return (try await complete(contents, answer), contents != known)
        }
        guard let known, let list else {
            throw StudyServerProblem(
                description: "the server says that nothing has changed, and nothing is stored",
                isFailure: true
            )
        }
        return (try await complete(known, list), false)
    }

    /// Gets what is missing of a list, and stores all of it.
    private func complete(_ contents: StudyContents, _ list: Data) async throws -> PublishedStudy {
        var files: [String: Data] = [:]
        for file in contents.files where files[file.digest] == nil {
            if let data = try storedContent(of: file) {
                files[file.digest] = data
                continue
            }
            let data = try await get("/contents/\(file.digest)", limit: file.size) ?? Data()
            try file.check(data)
            // Kept at once: a fetch that is broken off is gone on with from here.
            try locked { try write(data, to: file.digest) }
            files[file.digest] = data
        }
        let study = try PublishedStudy(contents) { files[$0.digest] ?? Data() }
        try locked {
            // Another fetch may have stored another list meanwhile, and removed what is of this one alone.
            let stored = try storedList()
            if let stored, let known = try? read(stored) { try contents.check(after: known) }
            for file in contents.files where try storedContent(of: file) == nil {
                try write(files[file.digest] ?? Data(), to: file.digest)
            }
            guard stored != list else { return }
            try write(list, to: Self.listName)
            disk.removeDrafts(in: folder)
            removeFiles(besides: Set(files.keys))
        }
        return study
    }

    private func write(_ data: Data, to name: String) throws {
        try disk.writeAtomically(to: name, in: folder) { try $0.append(data) }
    }

    /// Files of earlier lists; what cannot be removed now does no harm.
    private func removeFiles(besides digests: Set<String>) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where StudyContents.isDigest(name) && !digests.contains(name) {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    /// - Returns: The body; `nil` for status 304.
    private func get(_ path: String, limit: Int, _ fields: [(HTTPField.Name, String)] = []) async throws
        -> Data?
    {
        let answer = try await engine.call { _ in
            let answer = try await engine.transfer(.data(nil)) { address.request(.get, path, fields) }
            guard answer.isBusy else { return answer }
            throw AttemptFailure(
                cause: Self.problem(answer.status),
                isTransient: true,
                retryAfter: answer.retryAfter(now: engine.timing.now())
            )
        }
        let status = answer.status
        switch status {
        case 200:
            guard answer.body.count <= limit else {
                throw StudyError.tooLarge(what: "the bytes of the response for \(path)", limit: limit)
            }
            return answer.body
        case 304 where !fields.isEmpty: return nil
        default: throw Self.problem(status)
        }
    }

    private static func problem(_ status: Int) -> StudyServerProblem {
        let reason =
            switch status {
            case 404: ": the study publishes nothing there (a receiver's root ends in /c3pro)"
            case 429: ", too many requests; what was fetched is kept: try again later"
            default: ", and not with what the study publishes"
            }
        let isFailure = if case .failed = StudyResponse(status: status) { true } else { false }
        return StudyServerProblem(
            description: "the server responded with \(status)\(reason)",
            isFailure: isFailure
        )
    }
}
