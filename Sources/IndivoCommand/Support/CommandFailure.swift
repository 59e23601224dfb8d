#if Tool && Sandbox
/// Why a command cannot do what it was asked, and what to try; the exit status is 2.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
#endif
