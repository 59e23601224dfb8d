import DurableQueue
import Foundation
import IndivoBase
import WebServing

/// Who may see a study's pages: a file with a line for each person, the name, the hashed password, the role,
/// and the secret of a second factor. Its owner alone can read it.
///
/// ```swift
/// let users = StudyUserFile(URL(filePath: "users"))
/// try users.setPassword("a long password", of: "ada")
/// ```
public struct StudyUserFile: Sendable {
    /// The file.
    public let url: URL

    private static let limit = 1 << 20
    /// The lengths of passwords in bytes: shorter ones can be guessed, and the system's hash takes no longer
    /// ones.
    static let passwordLengths = 12...256

    /// A file, which need not be there yet.
    public init(_ url: URL) { self.url = url }

    /// Adds a person, who may ``StudyRole/view``, or gives them another password, which ends their sessions.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, `.`, `_`, `-` and `@`.
    ///   - study: Who is new may view this one of several studies alone; `nil` for all.
    /// - Throws: ``StudyPagesError``.
    public func setPassword(_ password: Secret, of name: String, in study: StudyName? = nil) throws {
        guard Self.isName(name) else {
            throw StudyPagesError.badInput("a name has 1 to 64 letters, digits, ‘.’, ‘_’, ‘-’ and ‘@’")
        }
        let text = password.reveal()
        guard Self.passwordLengths.contains(text.utf8.count), !text.utf8.contains(where: { $0 < 0x20 }) else {
            let lengths = Self.passwordLengths
            throw StudyPagesError.badInput(
                "a password has \(lengths.lowerBound) to \(lengths.upperBound) bytes, and is one line"
            )
        }
        let hash = try PasswordHash(of: text)
        try change { users in
            if users[name] == nil {
                var user = StudyUser(hash: hash, role: nil)
                user.set(.view, in: study)
                users[name] = user
            }
            users[name]?.hash = hash
        }
    }

    /// The names of those who may log in; none where there is no file.
    public func names() throws -> [String] { try known().keys.sorted() }

    /// Checks that the pages can use the file.
    ///
    /// - Throws: ``StudyPagesError`` when it is not there, when others can read it, or when it is malformed.
    public func check() throws { _ = try users() }

    /// Gives a person a role, from their next request on.
    ///
    /// - Parameters:
    ///   - role: `nil` for none.
    ///   - study: In this one of several studies alone; `nil` for all in which they have no role of their
    ///     own.
    /// - Throws: ``StudyPagesError``.
    public func setRole(_ role: StudyRole?, of name: String, in study: StudyName? = nil) throws {
        try changeKnown(name) { $0.set(role, in: study) }
    }

    /// Asks a person for the code of an authenticator, from the next login on.
    ///
    /// - Parameter study: What the authenticator calls the study.
    /// - Returns: The URI with the new secret (`otpauth:`), which nothing else shows.
    /// - Throws: ``StudyPagesError``.
    public func makeSecondFactor(of name: String, study: String) throws -> String {
        let totp = TOTP.make()
        try changeKnown(name) { user in
            guard user.hasRole else {
                throw StudyPagesError.badInput("\(name) has no role yet; give one first, with --role")
            }
            user.totp = totp
        }
        return totp.uri(name: name, issuer: study)
    }

    /// Asks a person for no code any more.
    ///
    /// - Throws: ``StudyPagesError``.
    public func removeSecondFactor(of name: String) throws { try changeKnown(name) { $0.totp = nil } }

    /// Takes a person out, which ends their sessions.
    ///
    /// - Throws: ``StudyPagesError``.
    public func remove(_ name: String) throws {
        try change { users in
            guard users.removeValue(forKey: name) != nil else { throw unknown(name) }
        }
    }

    private func unknown(_ name: String) -> StudyPagesError {
        .badInput("\(url.filePath) has nobody of the name \(name.prefix(64))")
    }

    private func changeKnown(_ name: String, _ body: (inout StudyUser) throws -> Void) throws {
        try change { users in
            guard var user = users[name] else { throw unknown(name) }
            try body(&user)
            users[name] = user
        }
    }

    private func known() throws -> [String: StudyUser] {
        url.filePath.fileExists ? try users() : [:]
    }

    /// One process at a time reads the file and writes it anew.
    private func change(_ body: (inout [String: StudyUser]) throws -> Void) throws {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        var users = try known()
        try body(&users)
        let lines = users.sorted { $0.key < $1.key }.map { name, user in
            let role = user.hasRole ? [user.roleField] : []
            let fields = [name, user.hash.text] + role + [user.totp?.base32].compactMap { $0 }
            return fields.joined(separator: ":") + "\n"
        }.joined()
        guard lines.utf8.count <= Self.limit else {
            throw StudyPagesError.badInput("the file would have more than \(Self.limit >> 20) MiB")
        }
        do {
            try Disk().writeAtomically(
                to: url.lastPathComponent,
                in: url.absoluteURL.deletingLastPathComponent().folderPath
            ) { try $0.append(Data(lines.utf8)) }
        } catch let failure as DiskFailure {
            throw StudyPagesError.badInput("\(failure)")
        }
    }

    private func lock() throws -> FileLock {
        let path = url.filePath
        do {
            let lock = try FileLock.waiting(for: path + ".lock", noLongerThan: .seconds(10))
            if let lock { return lock }
        } catch {
            throw StudyPagesError.badInput("\(path) cannot be locked: \(error)")
        }
        throw StudyPagesError.badInput("\(path): another process writes to it, and does not end")
    }

    /// The people by their names.
    ///
    /// - Throws: ``StudyPagesError`` when the file is not there, when others can read it, or when it is
    ///   malformed.
    func users() throws -> [String: StudyUser] {
        let path = url.filePath
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? Int, let size = attributes?[.size] as? Int else {
            throw StudyPagesError.badInput(
                "\(path): there is no such file; indivo study user NAME --users \(path) makes it"
            )
        }
        guard mode & 0o077 == 0 else {
            throw StudyPagesError.badInput(
                "\(path) is not used: others can read it; if nobody has, run chmod 600 on it"
            )
        }
        guard size <= Self.limit, let data = FileManager.default.contents(atPath: path),
            let text = String(validating: data, as: UTF8.self)
        else { throw StudyPagesError.badInput("\(path) cannot be read, or is no file of users") }
        var users: [String: StudyUser] = [:]
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: true).enumerated() {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let totp = parts.count > 3 ? TOTP(base32: parts[3]) : nil
            var user = StudyUser(hash: PasswordHash(text: parts.count > 1 ? parts[1] : ""), totp: totp)
            guard (2...4).contains(parts.count), Self.isName(parts[0]), !parts[1].isEmpty,
                parts.count < 3 || user.setRoles(parts[2]), totp != nil || parts.count < 4
            else {
                throw StudyPagesError.badInput(
                    "\(path): line \(number + 1) is not a name, a hash, a role and a secret, "
                        + "with colons between"
                )
            }
            user.hasRole = parts.count > 2
            users[parts[0]] = user
        }
        return users
    }

    /// Whether a person may have a name. It is of ASCII: equal names have equal bytes.
    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.@_".utf8.contains($0) }
    }
}

/// Why a study's pages do not start, or a person is not added.
public enum StudyPagesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A name, password, file or address that cannot be used.
    case badInput(String)

    public var description: String {
        switch self {
        case .badInput(let reason): reason
        }
    }
}
