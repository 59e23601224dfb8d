import DurableQueue
import Foundation
import IndivoBase
import WebServing

/// Who may see a study's pages: a file with a line for each person, the name and the hashed password. Its
/// owner alone can read it.
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

    /// Adds a person, or gives them another password, which ends their sessions.
    ///
    /// - Parameter name: 1 to 64 letters, digits, `.`, `_`, `-` and `@`.
    /// - Throws: ``StudyPagesError``.
    public func setPassword(_ password: Secret, of name: String) throws {
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
        var users =
            FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) ? try self.users() : [:]
        users[name] = try PasswordHash(of: text)
        let lines = users.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.text)\n" }.joined()
        let folder = url.absoluteURL.deletingLastPathComponent().path(percentEncoded: false)
        do {
            try Disk().writeAtomically(
                to: url.lastPathComponent,
                in: folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
            ) { try $0.append(Data(lines.utf8)) }
        } catch let failure as DiskFailure {
            throw StudyPagesError.badInput("\(failure)")
        }
    }

    /// Names and hashes.
    ///
    /// - Throws: ``StudyPagesError`` when the file is not there, when others can read it, or when it is
    ///   malformed.
    func users() throws -> [String: PasswordHash] {
        let path = url.path(percentEncoded: false)
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
        var users: [String: PasswordHash] = [:]
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: true).enumerated() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, Self.isName(String(parts[0])) else {
                throw StudyPagesError.badInput(
                    "\(path): line \(number + 1) is not a name, a colon and a hash"
                )
            }
            users[String(parts[0])] = PasswordHash(text: String(parts[1]))
        }
        return users
    }

    /// Whether a person may have a name. It is of ASCII: equal names have equal bytes.
    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x40, 0x5F: true
                default: false
                }
            }
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
