import DurableQueue
import Foundation
import HTTPCalls
import HTTPTypes
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
    /// What came of a fetch.
    public enum Outcome: Sendable {
        /// There is something new.
        case new(PublishedStudy)
        /// It is what was stored before.
        case unchanged(PublishedStudy)

        /// What is published now.
        public var study: PublishedStudy {
            switch self {
            case .new(let study), .unchanged(let study): study
            }
        }
    }

    private let folder: String
    private let study: String
    private let certificate: StudyCertificate
    private let address: StudyAddress
    private let transport: any HTTPTransport
    private let disk = Disk()
    private static let listName = "contents.jwt"

    /// - Parameters:
    ///   - folder: A folder of its own; made with mode 0700 when it is missing.
    ///   - study: The study's identifier.
    ///   - certificate: The certificate of the key that signs the study's lists; part of the app.
    ///   - url: The receiver's root, as in `https://study.example.org/c3pro`.
    ///   - plainHTTPHosts: The hosts to which HTTP without TLS is allowed, besides this machine.
    /// - Throws: `StudyError` for what is no address of a server.
    public init(
        in folder: URL,
        study: String,
        signedBy certificate: StudyCertificate,
        from url: URL,
        transport: any HTTPTransport = .system(limits: Self.limits),
        plainHTTPHosts: Set<String> = []
    ) throws(StudyError) {
        self.folder = folder.folderPath
        self.study = study
        self.certificate = certificate
        self.transport = transport
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
            guard let list = storedList() else { return nil }
            return try PublishedStudy(try read(list)) { file in
                guard let data = self.data(file.digest, limit: StudyContents.maximumFileSize) else {
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

    private func storedList() -> Data? { data(Self.listName, limit: StudyContents.maximumLength) }

    private func data(_ name: String, limit: Int) -> Data? {
        guard let file = try? StoredFile(folder + "/" + name) else { return nil }
        return try? file.read(at: 0, count: limit)
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
    /// good.
    ///
    /// - Returns: What is published now, and whether it is new.
    /// - Throws: `HTTPTransportError` without a response, ``StudyServerProblem`` for a server that fails or
    ///   publishes nothing, `StudyError` and other errors of what is read for what is refused.
    public func fetch(at time: StudyTime = .now) async throws -> Outcome {
        let list = try locked { storedList() }
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
            return try await complete(contents, answer, isNew: contents != known)
        }
        guard let known, let list else {
            throw StudyServerProblem(
                description: "the server says that nothing has changed, and nothing is stored",
                isFailure: true
            )
        }
        return try await complete(known, list, isNew: false)
    }

    /// Gets what is missing of a list, and stores all of it.
    private func complete(_ contents: StudyContents, _ list: Data, isNew: Bool) async throws -> Outcome {
        var files: [String: Data] = [:]
        var fetched: Set<String> = []
        for file in contents.files where files[file.digest] == nil {
            if let data = data(file.digest, limit: file.size), (try? file.check(data)) != nil {
                files[file.digest] = data
            } else {
                let data = try await get("/contents/\(file.digest)", limit: file.size) ?? Data()
                try file.check(data)
                files[file.digest] = data
                fetched.insert(file.digest)
            }
        }
        let study = try PublishedStudy(contents) { files[$0.digest] ?? Data() }
        guard isNew || !fetched.isEmpty else { return .unchanged(study) }
        try locked {
            // Another process may have stored a newer one meanwhile.
            if let stored = storedList().flatMap({ try? read($0) }),
                stored.version > contents.version
            {
                throw StudyError.storage(reason: "a newer list was stored meanwhile; fetch again")
            }
            for digest in fetched.sorted() {
                try disk.writeAtomically(to: digest, in: folder) { try $0.append(files[digest] ?? Data()) }
            }
            try disk.writeAtomically(to: Self.listName, in: folder) { try $0.append(list) }
            removeFiles(besides: Set(files.keys))
        }
        return isNew ? .new(study) : .unchanged(study)
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
        let answer = try await transport.send(address.request(.get, path, fields))
        let status = answer.response.status.code
        switch status {
        case 200:
            guard answer.body.count <= limit else {
                throw StudyError.tooLarge(what: "the bytes of the response for \(path)", limit: limit)
            }
            return answer.body
        case 304 where !fields.isEmpty: return nil
        case 404:
            throw StudyServerProblem(
                description: "the server responded with 404: the study publishes nothing there",
                isFailure: false
            )
        default:
            let isFailure = if case .failed = StudyResponse(status: status) { true } else { false }
            throw StudyServerProblem(
                description: "the server responded with \(status), and not with what the study publishes",
                isFailure: isFailure
            )
        }
    }
}
