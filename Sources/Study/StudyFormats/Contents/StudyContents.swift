import Crypto
import Foundation
import IndivoBase
import OrderedJSON

/// What a study publishes to its phones, as a signed list: questionnaires, the schedule, and the consent that
/// is in force, each by the digest of its file.
///
/// On the wire it is signed as ``StudyKeyList`` is, with the type `study-contents+jwt`: `{"iss": study,
/// "iat": …, "exp": …, "version": 3, "files": [{"kind": "questionnaire", "url": …, "version": …, "sha256": …,
/// "size": …}, …], "consent": {"document": …, "version": …, "requiredFrom": …}}`.
public struct StudyContents: Sendable, Hashable {
    /// A file of the list.
    public struct File: Sendable, Hashable {
        /// What a file is.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A Questionnaire of FHIR R4, JSON.
            case questionnaire
            /// A ``StudySchedule``, JSON.
            case schedule
            /// A consent document, JSON.
            case consent
        }

        public let kind: Kind
        /// The questionnaire's URL (`Questionnaire.url`), or the consent document's id.
        public let url: String?
        /// Its version (`Questionnaire.version`), or the consent document's.
        public let version: String?
        /// SHA-256 of its bytes, in 64 hexadecimal digits of lower case.
        public let digest: String
        /// Its length in bytes.
        public let size: Int

        /// A file with its content.
        public init(_ kind: Kind, url: String? = nil, version: String? = nil, content: Data) {
            self.kind = kind
            self.url = url
            self.version = version
            digest = StudyContents.digest(of: content)
            size = content.count
        }

        fileprivate init(_ kind: Kind, url: String?, version: String?, digest: String, size: Int) {
            self.kind = kind
            self.url = url
            self.version = version
            self.digest = digest
            self.size = size
        }

        /// URL and version of a questionnaire, as in `http://example.org/q|2`.
        public var canonical: String? {
            url.map { url in version.map { "\(url)|\($0)" } ?? url }
        }

        /// What messages call a file.
        package var name: String { kind.rawValue + (canonical.map { " \($0)" } ?? "") }

        /// Checks that a content is the one that was signed.
        ///
        /// - Throws: ``StudyError/malformed(format:offset:reason:)``.
        public func check(_ content: Data) throws(StudyError) {
            guard content.count == size, StudyContents.digest(of: content) == digest else {
                throw .malformed(
                    format: "file of the study",
                    reason: "the \(name) is not the one that the study signed"
                )
            }
        }
    }

    /// The consent that is in force.
    public struct Consent: Sendable, Hashable {
        /// The consent document's id.
        public let document: String
        public let version: String
        /// The time from which an app takes nothing more from those who signed an earlier version alone;
        /// `nil` for never. It is the app that asks; the consumer holds back by a setting of its own.
        public let requiredFrom: StudyTime?

        /// A consent in force.
        public init(document: String, version: String, requiredFrom: StudyTime? = nil) {
            self.document = document
            self.version = version
            self.requiredFrom = requiredFrom
        }
    }

    /// The study's identifier.
    public let study: String
    /// From 1. It rises with each list: a phone accepts no list with a lower version than its own.
    public let version: Int
    /// When the list was signed.
    public let issued: StudyTime
    /// Until when a phone accepts the list from a server. A list that it has stored stays usable.
    public let expires: StudyTime
    public let files: [File]
    /// The consent that is in force, where the study says so.
    public let consent: Consent?

    /// The most bytes of a file.
    public static let maximumFileSize = 4 << 20
    /// The most bytes of all files together.
    public static let maximumSize = 32 << 20
    /// The most files.
    public static let maximumFiles = 500
    /// The most bytes of a signed list.
    public static let maximumLength = 1 << 20
    /// The highest version.
    public static let maximumVersion = 1_000_000_000
    private static let maximumText = 2_000

    /// A list to be signed.
    ///
    /// - Parameter days: For how long phones take it.
    /// - Throws: ``StudyError`` for what exceeds a bound, for two files of one name, and for what a phone
    ///   would refuse otherwise.
    public init(
        study: String,
        version: Int,
        files: [File],
        consent: Consent? = nil,
        issued: StudyTime = .now,
        days: Int = 90
    ) throws(StudyError) {
        try self.init(study, version, files, consent, issued, SignedList.expiry(of: issued, days: days))
    }

    private init(
        _ study: String,
        _ version: Int,
        _ files: [File],
        _ consent: Consent?,
        _ issued: StudyTime,
        _ expires: StudyTime
    ) throws(StudyError) {
        let refuse = SignedList.Kind.contents.refusal
        guard (1...Self.maximumVersion).contains(version) else {
            throw refuse("its version is not a number from 1 to \(Self.maximumVersion)")
        }
        guard files.count <= Self.maximumFiles else {
            throw .tooLarge(what: "the files of a list of contents", limit: Self.maximumFiles)
        }
        if let file = files.first(where: { $0.size < 1 }) {
            throw refuse("the \(file.name.prefix(200)) is empty")
        }
        for file in files where file.size > Self.maximumFileSize {
            throw .tooLarge(what: "the bytes of the \(file.name.prefix(200))", limit: Self.maximumFileSize)
        }
        // At most 500 times 4 MiB.
        guard files.reduce(0, { $0 + $1.size }) <= Self.maximumSize else {
            throw .tooLarge(what: "the bytes of all files of a list of contents", limit: Self.maximumSize)
        }
        for file in files where file.kind == .questionnaire {
            guard let url = file.url, !url.isEmpty, !url.contains("|"), file.version?.isEmpty == false else {
                throw refuse("a questionnaire needs a URL without “|”, and a version")
            }
        }
        let texts = files.flatMap { [$0.url, $0.version] } + [consent?.document, consent?.version, study]
        guard texts.allSatisfy({ ($0?.utf8.count ?? 0) <= Self.maximumText }) else {
            throw .tooLarge(what: "a text of a list of contents", limit: Self.maximumText)
        }
        guard Set(files.map(\.name)).count == files.count else {
            throw refuse("two files are of one kind, URL and version")
        }
        for kind in [File.Kind.schedule, .consent] where files.count(where: { $0.kind == kind }) > 1 {
            throw refuse("it has more than one \(kind.rawValue)")
        }
        if let file = files.first(where: { $0.kind == .consent }),
            consent.map({ file.version == $0.version && file.url == $0.document }) != true
        {
            throw refuse("its consent is not the one that is in force")
        }
        guard consent?.version.isEmpty != true else { throw refuse("the consent in force has no version") }
        self.study = study
        self.version = version
        self.files = files
        self.consent = consent
        self.issued = issued
        self.expires = expires
    }

    /// SHA-256 in hexadecimal digits of lower case.
    package static func digest(of content: Data) -> String { Hexadecimal.encode(SHA256.hash(data: content)) }

    /// Whether a text is the digest of a file: the name under which a server has it.
    package static func isDigest(_ text: String) -> Bool {
        Hexadecimal.isEncoded(text, bytes: SHA256.byteCount)
    }

    // MARK: On the wire

    /// Signs the list.
    public func signed(by key: StudyPrivateKey) throws -> String {
        let list = files.map { file -> JSONValue in
            var json: JSONValue = ["kind": JSONValue(file.kind.rawValue)]
            json["url"] = file.url.map { JSONValue($0) }
            json["version"] = file.version.map { JSONValue($0) }
            json["sha256"] = JSONValue(file.digest)
            json["size"] = JSONValue(file.size)
            return json
        }
        var own = [
            JSONMember(name: "version", value: JSONValue(version)),
            JSONMember(name: "files", value: JSONValue(list)),
        ]
        if let consent {
            var json: JSONValue = [
                "document": JSONValue(consent.document), "version": JSONValue(consent.version),
            ]
            json["requiredFrom"] = consent.requiredFrom.map { JSONValue($0.description) }
            own.append(JSONMember(name: "consent", value: json))
        }
        let text = try SignedList.sign(
            .contents,
            study: study,
            issued: issued,
            expires: expires,
            own,
            by: key
        )
        guard text.utf8.count <= Self.maximumLength else {
            throw StudyError.tooLarge(what: "a list of contents", limit: Self.maximumLength)
        }
        return text
    }

    /// Reads a list that a trusted key signed.
    ///
    /// - Parameters:
    ///   - certificate: The certificate of the key that signs the study's lists; part of the app.
    ///   - known: The list that is already known: one of a lower version, or another of the same, is refused.
    ///   - allowsExpired: Whether the list may have expired, as a stored one may.
    /// - Throws: ``StudyError``, `JSONError`.
    public init(
        _ text: String,
        study: String,
        signedBy certificate: StudyCertificate,
        after known: StudyContents? = nil,
        allowsExpired: Bool = false,
        at time: StudyTime = .now
    ) throws {
        self = try Self.read(
            SignedList(
                text,
                .contents,
                study: study,
                signedBy: certificate,
                length: Self.maximumLength,
                allowsExpired: allowsExpired,
                at: time
            )
        )
        if let known { try check(after: known) }
    }

    /// Checks that this is a later list than one that is known, or the same.
    package func check(after known: StudyContents) throws(StudyError) {
        guard version >= known.version else {
            throw SignedList.Kind.contents.refusal(
                "its version \(version) is older than \(known.version), which is known"
            )
        }
        guard version > known.version || self == known else {
            throw SignedList.Kind.contents.refusal("there is another list of the version \(version)")
        }
    }

    /// Whether a key signed a list.
    package static func isSigned(_ text: String, by key: StudyPrivateKey) -> Bool {
        SignedList.isSigned(text, by: key)
    }

    /// Reads a list that the study itself published here, without checking its signature.
    package init(unverified text: String) throws {
        self = try Self.read(SignedList(unverified: text, .contents, length: Self.maximumLength))
    }

    private static func read(_ list: SignedList) throws -> StudyContents {
        let refuse = SignedList.Kind.contents.refusal
        guard let version = list.claims["version"]?.integer, let files = list.claims["files"]?.elements else {
            throw refuse("version or files is missing")
        }
        guard files.count <= maximumFiles else {
            throw StudyError.tooLarge(what: "the files of a list of contents", limit: maximumFiles)
        }
        // Kinds of files that a later version of the format adds are ignored.
        let known = try files.compactMap { json -> File? in
            guard let name = json["kind"]?.string, let digest = json["sha256"]?.string, isDigest(digest),
                let size = json["size"]?.integer
            else { throw refuse("a file without kind, sha256 or size") }
            guard let kind = File.Kind(rawValue: name) else { return nil }
            return File(
                kind,
                url: json["url"]?.string,
                version: json["version"]?.string,
                digest: digest,
                size: size
            )
        }
        let consent = try list.claims["consent"].map { json -> Consent in
            guard let document = json["document"]?.string, let version = json["version"]?.string else {
                throw refuse("the consent in force has no document or version")
            }
            let time = try json["requiredFrom"].map { json in
                guard let time = json.string.flatMap({ StudyTime(text: $0) }) else {
                    throw refuse("requiredFrom is no time")
                }
                return time
            }
            return Consent(document: document, version: version, requiredFrom: time)
        }
        return try StudyContents(list.study, version, known, consent, list.issued, list.expires)
    }
}
