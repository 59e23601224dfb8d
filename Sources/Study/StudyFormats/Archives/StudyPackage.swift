import Foundation
import HTTPCalls

/// A package as it arrived: an archive in one of its forms, a CMS message, or an envelope.
///
/// ```swift
/// let package = try StudyPackage(contentsOf: file)
/// try package.open(with: [StudyPackage.Key(privateKey)]).write(to: folder)
/// ```
public struct StudyPackage: Sendable {
    /// What a package is, by its first bytes.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An archive in zip form.
        case zip
        /// An archive in one of ResearchKit's older forms.
        case bzip2
        /// An encrypted CMS message.
        case cms
        /// An envelope of C3-PRO.
        case envelope
    }

    /// A key that may open a package.
    public struct Key: Sendable {
        let key: StudyPrivateKey
        let certificate: StudyCertificate?
        let allowsPKCS1: Bool

        /// - Parameters:
        ///   - certificate: The key's certificate, to find the key's recipient among several.
        ///   - allowsPKCS1: As of ``C3ProEnvelope/open(with:allowsPKCS1:)``.
        public init(
            _ key: StudyPrivateKey,
            certificate: StudyCertificate? = nil,
            allowsPKCS1: Bool = false
        ) {
            self.key = key
            self.certificate = certificate
            self.allowsPKCS1 = allowsPKCS1
        }
    }

    public let kind: Kind
    let source: BodySource
    /// By which this process can open the file.
    private let path: String
    private let limits: ArchiveLimits
    /// Keeps a file without a name while something is read from it.
    private let scratch: ScratchFile?

    /// Opens a file, and recognises its kind by its first bytes.
    ///
    /// - Throws: ``StudyError``.
    public init(contentsOf file: URL, limits: ArchiveLimits = ArchiveLimits()) throws {
        try self.init(
            BodySource.file(file),
            path: file.filePath,
            limits: limits,
            scratch: nil
        )
    }

    /// Opens bytes, and recognises their kind. They are in a file without a name until it is read.
    ///
    /// - Throws: ``StudyError``.
    package init(_ bytes: Data, limits: ArchiveLimits = ArchiveLimits()) throws {
        let scratch = try ScratchFile()
        try scratch.append(bytes)
        try self.init(scratch.source, path: scratch.path, limits: limits, scratch: scratch)
    }

    private init(_ source: BodySource, path: String, limits: ArchiveLimits, scratch: ScratchFile?) throws {
        let start = try source.read(at: 0, count: 64)
        guard let kind = Self.kind(start) else {
            throw StudyError.malformed(
                format: "package",
                offset: 0,
                reason: start.isEmpty
                    ? "it is empty" : "it is neither zip, bzip2, a CMS message in DER or BER, nor JSON"
            )
        }
        self.kind = kind
        self.source = source
        self.path = path
        self.limits = limits
        self.scratch = scratch
    }

    private static func kind(_ start: Data) -> Kind? {
        if start.starts(with: "PK\u{3}\u{4}".utf8) || start.starts(with: "PK\u{5}\u{6}".utf8) { return .zip }
        if start.starts(with: "BZh".utf8) { return .bzip2 }
        if start.first == 0x30 { return .cms }
        let text = start.drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        return text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") ? .envelope : nil
    }

    /// The envelope, of a package of that kind.
    /// - Throws: ``StudyError``.
    public func envelope() throws -> C3ProEnvelope {
        guard source.size <= C3ProEnvelope.maximumBytes else {
            throw StudyError.tooLarge(
                what: "an envelope of \(source.size) bytes",
                limit: C3ProEnvelope.maximumBytes
            )
        }
        return try C3ProEnvelope(parsing: source.data())
    }

    /// The message, of a package that is one.
    /// - Throws: ``StudyError``.
    public func message() throws -> CMSMessage { try CMSMessage(source) }

    /// Decrypts the package where it is encrypted, and opens the archive in it. The decrypted bytes are kept
    /// in a file without a name.
    ///
    /// - Parameter keys: Each is tried.
    /// - Throws: ``StudyError``.
    public func open(with keys: [Key] = []) throws -> ArchiveContents {
        switch kind {
        case .zip: return try ArchiveContents(zip: path, limits: limits)
        case .bzip2:
            let unpacked = try BZip2.unpack(source, limit: limits.bzip2Size)
            let content = unpacked.source
            return try PackedArchive.isPacked(content)
                ? PackedArchive.read(content, limits: limits) : MIMEArchive.read(content, limits: limits)
        case .envelope:
            let envelope = try envelope()
            return try first(keys) { key in
                let opened = try envelope.opened(with: key.key, allowsPKCS1: key.allowsPKCS1)
                return try ArchiveContents(resource: opened.data, opened.json)
            }
        case .cms:
            let message = try message()
            return try first(keys) { key in
                let scratch = try ScratchFile()
                try message.decrypt(with: key.key, certificate: key.certificate) { try scratch.append($0) }
                let contents = try open(decrypted: scratch, isAuthenticated: message.cipher.isAuthenticated)
                return try message.cipher.isAuthenticated ? contents : contents.unauthenticated
            }
        }
    }

    private func open(decrypted scratch: ScratchFile, isAuthenticated: Bool) throws -> ArchiveContents {
        do {
            let inner = try StudyPackage(scratch.source, path: scratch.path, limits: limits, scratch: scratch)
            guard inner.kind == .zip || inner.kind == .bzip2 else {
                throw StudyError.unsupported(
                    format: "package",
                    reason: "what is encrypted in it is not an archive"
                )
            }
            return try inner.open()
        } catch let error as StudyError {
            throw isAuthenticated ? error : error.unauthenticated
        }
    }

    private func first(_ keys: [Key], _ body: (Key) throws -> ArchiveContents) throws -> ArchiveContents {
        var failure: any Error = StudyError.unusableKey(reason: "it is encrypted, and no key was given")
        for key in keys {
            do { return try body(key) } catch {
                // A full disk says nothing of the key, and no other key's failure may stand for it.
                if case .storage? = error as? StudyError { throw error }
                failure = error
            }
        }
        throw failure
    }
}
