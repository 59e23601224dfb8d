import FHIR
import Foundation
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

    /// A folder, which need not be there yet.
    public init(_ url: URL) { self.url = url }

    /// Whether there is a list in the folder.
    public var isPublished: Bool { FileManager.default.fileExists(atPath: path(Self.listName)) }

    private func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    // MARK: Publishing

    /// Signs and writes the next list: the files first, then the list, which is replaced as a whole.
    ///
    /// - Parameters:
    ///   - consent: The consent that is in force.
    ///   - version: The list's; `nil` for one more than that of the list that is there.
    ///   - days: For how long phones take the list.
    /// - Throws: `StudyError`, also for a version that does not rise.
    public func publish(
        _ items: [Item],
        consent: StudyContents.Consent? = nil,
        study: String,
        signedBy key: StudyPrivateKey,
        version: Int? = nil,
        days: Int = 90,
        at time: StudyTime = .now
    ) throws -> StudyContents {
        let before = isPublished ? try contents() : nil
        if let before, before.study != study {
            throw StudyError.badInput(
                reason: "\(url.path(percentEncoded: false)) is of the study \(before.study)"
            )
        }
        let version = version ?? (before?.version ?? 0) + 1
        if let before, version <= before.version {
            throw StudyError.badInput(
                reason: "the version \(version) is not higher than \(before.version), which phones may have"
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
        let text = try contents.signed(by: key)
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            // All may read them, the receiver's user among them: a phone gets them without a login.
            for item in items {
                try item.content.write(to: url.appending(path: item.file.digest), options: .atomic)
            }
            try Data(text.utf8).write(to: url.appending(path: Self.listName), options: .atomic)
        } catch {
            throw StudyError.storage(
                reason: "\(url.path(percentEncoded: false)) cannot be written: \(error.localizedDescription)"
            )
        }
        return contents
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
        return try StudyContents(unverified: String(decoding: list, as: UTF8.self))
    }

    private func files(_ kind: StudyContents.File.Kind) throws -> [Data] {
        try contents().files.filter { $0.kind == kind }.map { file in
            guard let data = self.file(file.digest) else {
                throw StudyError.storage(reason: "\(path(file.digest)) is not there, or cannot be read")
            }
            try file.check(data)
            return data
        }
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
