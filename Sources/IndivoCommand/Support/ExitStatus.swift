/// What the tool tells the shell, the same for every command.
enum ExitStatus: Int32 {
    case done = 0
    /// Nothing was found, or what was checked has problems.
    case nothingFound = 1
    /// The command was used wrongly, or its input is bad. Nothing was sent.
    case wrongUse = 2
    /// The server refused, or failed.
    case refused = 3
    /// The server was not reached, or did not respond.
    case notReached = 4

    /// An expression failed on the file that it was evaluated on.
    static let evaluationFailed = refused

    /// For the help of commands that ask a server.
    static let help = """
        The exit status is 0 when it is done, 1 when nothing was found, 2 for wrong use or bad input, 3 when the \
        server refuses or fails, 4 when it is not reached.
        """
}
