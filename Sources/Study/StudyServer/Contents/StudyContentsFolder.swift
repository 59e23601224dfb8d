import DurableQueue
import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// The folder of what a study publishes to its phones: the signed list, `contents.jwt`, and each file under
/// its digest. A receiver serves it.
///
/// ```swift
/// let folder = StudyContentsFolder(URL(filePath: "published"))
/// let contents = try folder.publish(items, consent: consent, study: "org.example.sleep", signedBy: key)
/// ```
public struct StudyContentsFolder: Sendable {
    /// A file that is to be published.
    public struct Item: Sendable {
        let file: StudyContents.File
        let content: Data

        /// A questionnaire, which has a URL and a version.
        ///
        /// - Throws: `StudyError` for one without.
        public init(_ questionnaire: Questionnaire) throws(StudyError) {
            let name = questionnaire.url?.rawValue ?? questionnaire.title ?? questionnaire.name ?? "?"
            guard let url = questionnaire.url?.rawValue, !url.isEmpty,
                let version = questionnaire.version, !version.isEmpty
            else {
                throw .badInput(
                    reason: "the questionnaire “\(name.prefix(200))” needs a url and a version, "
                        + "by which responses say what was asked"
                )
            }
            content = questionnaire.json()
            file = StudyContents.File(.questionnaire, url: url, version: version, content: content)
        }

        /// The schedule: C3-PRO's JSON, or a PlanDefinition.
        ///
        /// - Throws: `JSONError`, `StudyFormatError` for one that cannot be read.
        public init(schedule content: Data) throws {
            _ = try StudySchedule(parsing: content)
            self.content = content
            file = StudyContents.File(.schedule, content: content)
        }

        /// The consent document that is in force, which the caller has read.
        public init(consent content: Data, _ consent: StudyContents.Consent) {
            self.content = content
            file = StudyContents.File(
                .consent,
                url: consent.document,
                version: consent.version,
                content: content
            )
        }
    }

    /// The folder.
    public let url: URL
    static let listName = "contents.jwt"
    /// How the files are written.
    var disk = Disk()

    /// A folder, which need not be there yet.
    public init(_ url: URL) { self.url = url }

    /// Whether there is a list in the folder.
    public var isPublished: Bool { path(Self.listName).fileExists }

    private func path(_ name: String) -> String { url.appending(path: name).filePath }

    // MARK: Publishing

    /// Signs and writes the next list: the files first, then the list, which is replaced as a whole. Files of
    /// the list before that this one does not name are removed then. One process publishes at a time.
    ///
    /// - Parameters:
    ///   - consent: The consent that is in force.
    ///   - version: The list's; `nil` for one more than that of the list that is there.
    ///   - days: For how long phones take the list.
    ///   - changesKey: Whether the list may be signed by another key than the one before it.
    /// - Throws: `StudyError`, also for a version that does not rise, and for another key: a phone that has
    ///   the certificate of the first one would take nothing more.
    public func publish(
        _ items: [Item],
        consent: StudyContents.Consent? = nil,
        study: String,
        signedBy key: StudyPrivateKey,
        version: Int? = nil,
        days: Int = 90,
        changesKey: Bool = false,
        at time: StudyTime = .now
    ) throws -> StudyContents {
        do {
            try make()
            let lock = try FileLock(waitingForFolder: url.folderPath)
            defer { withExtendedLifetime(lock) {} }
            let before = try listBefore(study, key, changesKey: changesKey)
            let version = version ?? (before?.version ?? 0) + 1
            if let before, version <= before.version {
                throw StudyError.badInput(
                    reason: "the version \(version) is not higher than \(before.version), which phones may "
                        + "have"
                )
            }
            let contents = try StudyContents(
                study: study,
                version: version,
                files: items.map(\.file),
                consent: consent,
                issued: time,
                days: days
            )
            let list = Data(try contents.signed(by: key).utf8)
            disk.removeDrafts(in: url.folderPath)
            for item in items { try write(item.content, to: item.file.digest) }
            try write(list, to: Self.listName)
            let digests = Set(contents.files.map(\.digest))
            for file in before?.files ?? [] where !digests.contains(file.digest) {
                // What cannot be removed is named by no list.
                try? FileManager.default.removeItem(atPath: path(file.digest))
            }
            return contents
        } catch let failure as DiskFailure {
            throw StudyError.storage(reason: "\(failure)")
        }
    }

    /// All may read the folder and its files, the receiver's user among them: a phone gets them without a
    /// login.
    private func make() throws {
        let path = url.folderPath
        guard !path.fileExists else { return }
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        } catch {
            throw StudyError.storage(reason: "\(path) cannot be made: \(error.localizedDescription)")
        }
    }

    private func write(_ data: Data, to name: String) throws {
        try disk.writeAtomically(to: name, in: url.folderPath, mode: 0o644) { try $0.append(data) }
    }

    private func listBefore(_ study: String, _ key: StudyPrivateKey, changesKey: Bool) throws
        -> StudyContents?
    {
        guard isPublished else { return nil }
        guard let list = list(), let before = try? Self.contents(of: list) else {
            throw StudyError.storage(
                reason: "\(path(Self.listName)) is no list that can be read, so that nobody knows which "
                    + "version phones have; remove it, and publish with one that is higher than any before"
            )
        }
        guard before.study == study else {
            throw StudyError.badInput(reason: "\(url.folderPath) is of the study \(before.study)")
        }
        guard changesKey || StudyContents.isSigned(String(decoding: list, as: UTF8.self), by: key) else {
            throw StudyError.unusableKey(
                reason: "another key signed the list in \(url.folderPath), and phones would refuse this one's"
            )
        }
        return before
    }

    // MARK: Reading

    /// The list as it is signed; `nil` where there is none.
    func list() -> Data? { data(Self.listName, limit: StudyContents.maximumLength) }

    /// A file by its digest; `nil` for anything else.
    func file(_ digest: String) -> Data? {
        guard StudyContents.isDigest(digest) else { return nil }
        return data(digest, limit: StudyContents.maximumFileSize)
    }

    private func data(_ name: String, limit: Int) -> Data? {
        let path = path(name)
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
        guard let size, size <= limit, let data = FileManager.default.contents(atPath: path),
            data.count <= limit
        else { return nil }
        return data
    }

    /// What the list says; the study's own side does not look at its signature.
    ///
    /// - Throws: `StudyError` where there is no list that can be read.
    public func contents() throws -> StudyContents {
        guard let list = list() else {
            throw StudyError.storage(
                reason: "\(path(Self.listName)) is not there, or cannot be read; publish it "
                    + "(indivo study publish)"
            )
        }
        return try Self.contents(of: list)
    }

    private static func contents(of list: Data) throws -> StudyContents {
        try StudyContents(unverified: String(decoding: list, as: UTF8.self))
    }

    /// Checks that each file of the list is there, and is the one that was published.
    ///
    /// - Throws: `StudyError` with the file.
    public func check() throws { for file in try contents().files { _ = try data(of: file) } }

    private func files(_ kind: StudyContents.File.Kind) throws -> [Data] {
        try contents().files.filter { $0.kind == kind }.map { try data(of: $0) }
    }

    private func data(of file: StudyContents.File) throws -> Data {
        guard let data = self.file(file.digest) else {
            throw StudyError.storage(reason: "\(path(file.digest)) is not there, or cannot be read")
        }
        try file.check(data)
        return data
    }

    /// The questionnaires of the list.
    ///
    /// - Throws: `StudyError` for files that are not there, or not those that were published.
    public func questionnaires() throws -> [Questionnaire] {
        try files(.questionnaire).map { try Questionnaire(parsing: $0) }
    }

    /// The schedule of the list; `nil` where it has none.
    ///
    /// - Throws: `StudyError` for a file that is not there, or not the one that was published.
    public func schedule() throws -> StudySchedule? {
        try files(.schedule).first.map { try StudySchedule(parsing: $0) }
    }
}
