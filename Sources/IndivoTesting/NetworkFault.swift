/// A fault between a client and a server, as ``FaultProxy`` produces it.
public enum NetworkFault: Sendable, Hashable {
    /// The connection breaks before anything of the request gets through.
    case loseRequest
    /// The connection breaks after so many bytes of the request got through.
    case cutRequest(afterBytes: Int)
    /// The request gets through, and the connection is closed instead of a response.
    case loseAnswer
    /// The request gets through, and the connection breaks with a reset after so many bytes of the response.
    case cutAnswer(afterBytes: Int)
    /// The request gets through only after a while, even if the client has given up by then.
    case delayRequest(Duration)
    /// The request gets through, its response only after a while.
    case delayAnswer(Duration)
    /// The request gets through twice; the client gets the first or the second response.
    case doubleRequest(secondAnswer: Bool)
    /// The client gets a response of this status, whether the request gets through or not.
    case status(Int, reachesServer: Bool)
}
