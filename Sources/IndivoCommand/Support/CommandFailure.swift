#if Tool && Sandbox
/// Why a command cannot do what it was asked, and what to try; the exit status is 2.
struct CommandFailure: Error, CustomStringConvertible {
    /// As it is printed: `error: …`, or `FILE:LINE:COLUMN: error: …` as compilers write it.
    let description: String

    /// - Parameter place: Where in a file, with a colon behind it; `nil` when it is nowhere in a file.
    init(_ message: String, at place: String? = nil) {
        description = (place.map { "\($0) " } ?? "") + "error: \(message)"
    }
}
#endif
