/// A shared secret: it signs, and never shows itself in a log, an error text or a debugger's dump.
///
/// Printing, interpolating or mirroring a secret gives `•••`. Comparing two secrets takes a time that depends on
/// their lengths only. To read it back, say so: ``reveal()``.
///
/// ```swift
/// let secret: Secret = "kd94hf93k423kf44"
/// print("signing with \(secret)")     // signing with •••
/// ```
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral {
    private let value: String

    /// Hides `value`.
    public init(_ value: String) {
        self.value = value
    }

    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The secret itself, for storing it in a place made for secrets.
    public func reveal() -> String {
        value
    }

    /// The secret's UTF-8, percent-encoded: one half of a signing key (RFC 5849, 3.4.2).
    var percentEncoded: [UInt8] {
        PercentEncoding.encodedBytes(value.utf8)
    }

    public static func == (left: Secret, right: Secret) -> Bool {
        constantTimeEqual(Array(left.value.utf8), Array(right.value.utf8))
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(Array(value.utf8))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `•••`.
    public var description: String { "•••" }

    /// Always `•••`.
    public var debugDescription: String { "•••" }

    /// Shows nothing: `dump` and a debugger find no child.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether two byte strings are equal, in a time that does not tell where they first differ.
func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices {
        difference |= left[index] ^ right[index]
    }
    return difference == 0
}
