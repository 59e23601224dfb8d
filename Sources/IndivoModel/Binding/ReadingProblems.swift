/// The values of a document that could not be read, in the order in which they were met.
final class ReadingProblems {
    var all: [DocumentError] = []

    /// Calls `body` and adds what it collects to `problems`, also when it throws.
    static func collect<Result>(
        into problems: inout [DocumentError], _ body: (ReadingProblems) throws -> Result
    ) rethrows -> Result {
        let collected = ReadingProblems()
        defer { problems += collected.all }
        return try body(collected)
    }
}
