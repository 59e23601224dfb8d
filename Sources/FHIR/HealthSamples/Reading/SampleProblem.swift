/// Something in a file that is not read as a sample.
public struct SampleProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file, or the entry of the archive.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// What is wrong.
    public let reason: String

    public var description: String { "\(file):\(line): \(reason)" }

    /// A problem at a line.
    public init(file: String, line: Int, reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }
}

/// What a file has next.
public enum SampleItem: Sendable, Hashable {
    /// A sample, and the line that it begins on.
    case sample(Sample, line: Int)
    /// A line that was skipped.
    case problem(SampleProblem)
}
