/// A fault between a client and a server, as ``FaultProxy`` produces it.
public enum NetworkFault: Sendable, Hashable {
    /// The connection breaks before anything of the request gets through.
    case loseRequest
    /// The connection breaks after so many bytes of the request got through.
    case cutRequest(afterBytes: Int)
    /// The request gets through, and the connection is closed instead of an answer.
    case loseResponse
    /// The request gets through, and the connection breaks with a reset after so many bytes of the answer.
    case cutResponse(afterBytes: Int)
    /// The request gets through only after a while, even if the client has given up by then.
    case delayRequest(Duration)
    /// The request gets through, its answer only after a while.
    case delayResponse(Duration)
    /// The request gets through twice; the client gets the first or the second answer.
    case doubleRequest(secondResponse: Bool)
    /// The client gets an answer of this status, whether the request gets through or not.
    case status(Int, reachesServer: Bool)
}
