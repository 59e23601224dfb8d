/// The problems found so far. Every stage adds to it and goes on, so that one run shows them all.
public struct Diagnostics: Sendable {
    private var found: [Diagnostic] = []

    /// No problems yet.
    public init() {}

    /// Whether one of the problems is an error.
    public var hasErrors: Bool { found.contains { $0.severity == .error } }

    /// Every problem once, ordered by place.
    public var sorted: [Diagnostic] {
        var seen: Set<Diagnostic> = []
        return found
            .filter { seen.insert($0).inserted }
            .enumerated()
            .sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }
            .map(\.element)
    }

    /// Takes over the problems of another collection.
    public mutating func add(_ other: Diagnostics) {
        found += other.found
    }

    /// Notes something that makes generating impossible.
    public mutating func error(at location: SourceLocation, _ message: String) {
        found.append(Diagnostic(.error, at: location, Self.oneLine(message)))
    }

    /// Notes something suspicious.
    public mutating func warn(at location: SourceLocation, _ message: String) {
        found.append(Diagnostic(.warning, at: location, Self.oneLine(message)))
    }

    /// Names out of the input may hold line breaks; a message may not, as tools read problems by the line.
    private static func oneLine(_ message: String) -> String {
        if message.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return message }
        var result = String.UnicodeScalarView()
        for scalar in message.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
