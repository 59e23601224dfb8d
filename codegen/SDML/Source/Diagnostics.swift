/// The problems found so far. Every stage adds to it and goes on, so that one run shows them all.
package struct Diagnostics {
    private var found: [Diagnostic] = []

    package init() {}

    var hasErrors: Bool { found.hasErrors }

    /// Every problem once, ordered by place.
    package var sorted: [Diagnostic] {
        var seen: Set<Diagnostic> = []
        return found
            .filter { seen.insert($0).inserted }
            .enumerated()
            .sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }
            .map(\.element)
    }

    mutating func add(_ other: Diagnostics) { found += other.found }

    /// Adds something that makes generating impossible.
    package mutating func error(at location: SourceLocation, _ message: String) {
        found.append(Diagnostic(severity: .error, location: location, message: Self.oneLine(message)))
    }

    /// Adds something suspicious.
    package mutating func warn(at location: SourceLocation, _ message: String) {
        found.append(Diagnostic(severity: .warning, location: location, message: Self.oneLine(message)))
    }

    /// Names out of the input may hold line breaks; a message may not, as tools read problems by the line.
    private static func oneLine(_ message: String) -> String { message.replacingBreaks(with: "\u{FFFD}") }
}

extension String {
    /// The text with something else for what would end a line.
    package func replacingBreaks(with replacement: Unicode.Scalar) -> String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result.append(replacement)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

extension Sequence<Diagnostic> {
    /// Whether one of the problems is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }
}

/// A problem in the input, with its place.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// How bad a problem is.
    public enum Severity: String, Sendable, Hashable {
        /// Nothing can be generated.
        case error
        /// The input was understood, but is not what a server would take, or not what was probably meant.
        case warning
    }

    /// How bad it is.
    public let severity: Severity
    /// Where it is.
    public let location: SourceLocation
    /// What is wrong and what to do, in one line.
    public let message: String

    /// `path:line:column: error: message`, the form that editors and Xcode make clickable.
    public var description: String { "\(location): \(severity.rawValue): \(message)" }
}
