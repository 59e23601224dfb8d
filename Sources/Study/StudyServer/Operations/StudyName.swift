import IndivoBase

/// The name of a study among those that one process serves: its paths begin with it, as in
/// `/sleep/c3pro`.
public struct StudyName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// What the paths of a process's own begin with.
    private static let reserved: Set = ["api", "c3pro", "health", "login", "logout", "metrics"]

    /// A name.
    ///
    /// - Parameter name: 1 to 40 lower-case letters of ASCII, digits and `-`, of which the first is a letter.
    /// - Throws: ``StudyOperationsError/failed(_:)`` for another one, and for one that the servers' own paths
    ///   begin with.
    public init(_ name: String) throws(StudyOperationsError) {
        let isName =
            (1...40).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == 0x2D }
            && name.utf8.first.map { (0x61...0x7A).contains($0) } == true
        guard isName else {
            throw .failed(
                "“\(name.prefix(40))” is no name of a study: it has 1 to 40 of a-z, 0-9 and -, "
                    + "and begins with a letter"
            )
        }
        guard !Self.reserved.contains(name) else {
            throw .failed("“\(name)” is no name of a study: the servers' own paths begin with it")
        }
        description = name
    }

    /// By the names' bytes.
    public static func < (a: Self, b: Self) -> Bool { a.description < b.description }
}
