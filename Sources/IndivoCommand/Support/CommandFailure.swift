/// Why a command cannot do what it was asked, and what to try.
struct CommandFailure: Error, CustomStringConvertible {
    /// As it is printed: `error: …`, or `FILE:LINE:COLUMN: error: …` as compilers write it.
    let description: String
    let status: ExitStatus

    /// - Parameters:
    ///   - place: Where in a file, with a colon behind it; `nil` when it is nowhere in a file.
    ///   - status: What the tool ends with.
    init(_ message: String, at place: String? = nil, status: ExitStatus = .wrongUse) {
        description = (place.map { "\($0) " } ?? "") + "error: \(message)"
        self.status = status
    }

    /// - Parameter description: The whole text, as it is printed.
    init(description: String, status: ExitStatus) {
        self.description = description
        self.status = status
    }
}
