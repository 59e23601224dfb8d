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

    /// A problem at a place.
    public init(_ severity: Severity, at location: SourceLocation, _ message: String) {
        self.severity = severity
        self.location = location
        self.message = message
    }

    /// `path:line:column: error: message`, the form that editors and Xcode make clickable.
    public var description: String { "\(location): \(severity.rawValue): \(message)" }
}
