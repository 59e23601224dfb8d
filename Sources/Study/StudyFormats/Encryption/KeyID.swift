/// The id of a study's key, as messages name it: 1 to 128 letters, digits, `.`, `_` and `-`, without `..`, as
/// it may become part of a path.
public struct KeyID: Sendable, Hashable, CustomStringConvertible {
    /// The id.
    public let description: String

    /// - Throws: ``StudyError/badName(name:reason:)``.
    public init(_ text: String) throws(StudyError) {
        func refuse(_ reason: String) -> StudyError {
            .badName(name: String(text.prefix(200)), reason: reason)
        }
        guard (1...128).contains(text.utf8.count) else { throw refuse("a key id has 1 to 128 characters") }
        guard text.utf8.allSatisfy(Self.isAllowed) else {
            throw refuse("a key id has letters, digits, ‘.’, ‘_’ and ‘-’")
        }
        guard !text.contains(".."), text.utf8.first != UInt8(ascii: ".") else {
            throw refuse("a key id has no ‘..’ and does not begin with ‘.’")
        }
        description = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-._".utf8.contains(byte)
    }
}
