import IndivoBase

/// The problems found so far. Every stage adds to it and goes on, so that one run shows them all.
package final class Diagnostics {
    private var found: [Diagnostic] = []

    package init() {}

    /// How many problems were found, and how many of them are errors.
    var count: Int { found.count }
    private(set) var errorCount = 0

    /// Every problem once, in the order of the input.
    package var sorted: [Diagnostic] {
        var seen: Set<Diagnostic> = []
        return found.filter { seen.insert($0).inserted }.enumerated()
            .sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }.map(\.element)
    }

    /// Adds something that makes generating impossible.
    package func error(at location: SourceLocation, _ message: String) { add(.error, location, message) }

    /// Adds something suspicious.
    package func warn(at location: SourceLocation, _ message: String) { add(.warning, location, message) }

    /// ` Did you mean 'x'?`, or nothing where no candidate is near. Only beside the first problems: each hint
    /// takes the time of comparing all candidates.
    func hint(for word: String, among candidates: some Sequence<String>) -> String {
        count < 20 ? Spelling.hint(for: word, among: candidates) : ""
    }

    /// Adds that a value is of another kind than it should be, unless what is wrong with it was said already.
    func wrongKind(_ node: JSONNode, _ message: String, advice: String = "") {
        if !node.isDamaged { error(at: node.location, "\(message); this is \(node.kind).\(advice)") }
    }

    /// Names out of the input may hold line breaks; a message may not, as tools read problems by the line.
    private func add(_ severity: Diagnostic.Severity, _ location: SourceLocation, _ message: String) {
        if severity == .error { errorCount += 1 }
        found.append(
            Diagnostic(
                severity: severity,
                location: location,
                message: message.replacingBreaks(with: "\u{FFFD}")
            )
        )
    }
}

extension String {
    /// The text with something else for what would end a line.
    package func replacingBreaks(with replacement: Unicode.Scalar) -> String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: replacement
                    default: scalar
                    }
                }
            )
        )
    }
}

extension Sequence<Diagnostic> {
    /// Whether one of the problems is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }
}

/// A problem in the input, with its position.
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
