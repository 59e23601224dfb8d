import IndivoBase

/// A request that a recording has no response to.
public struct UnrecordedRequestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Method and path of the request.
    public let request: String
    /// The requests to which the recording has responses.
    public let expected: Expected
    /// The recorded requests that are most like it, the nearest first; at most five.
    public let nearest: [String]

    /// Whether the recording has this request, but with another body.
    public let isBodyOther: Bool

    /// The requests to which a recording has responses.
    public enum Expected: Sendable, Hashable {
        /// Any of its requests.
        case anyRecorded
        /// This request, as it comes next in the recording's order.
        case next(String)
        /// None any more, as all were played in the recording's order.
        case none
    }

    init(request: String, expected: Expected, isBodyOther: Bool = false, among recorded: [String]) {
        self.request = request
        self.expected = expected
        self.isBodyOther = isBodyOther
        var seen: Set<String> = []
        nearest = recorded.filter { seen.insert($0).inserted }
            .map { (line: $0, distance: Spelling.distance(Array(request.utf8), Array($0.utf8))) }
            .sorted { $0.distance < $1.distance }.prefix(5).map(\.line)
    }

    public var description: String {
        var text = "the recording has no answer to \(request)"
        switch expected {
        case .anyRecorded: text += isBodyOther ? " with this body" : ""
        case .next(let next): text += "; in its order the next request is \(next)"
        case .none: text += "; all of its exchanges were played"
        }
        guard !nearest.isEmpty else { return text + "; it is empty, record some traffic first" }
        return text + "; the nearest recorded requests are:\n  " + nearest.joined(separator: "\n  ")
    }
}
