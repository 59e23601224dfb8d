import StudyFormats

/// The limits of one delivery. The app sets them, as only the app knows the state of battery and network.
public struct DeliveryBudget: Sendable {
    /// The bytes that may be sent; nil for no limit.
    public var bytes: Int?
    /// Whether something may be sent now; asked before each submission.
    public var isAllowed: @Sendable () -> Bool

    /// A budget; without arguments it has no limits.
    public init(bytes: Int? = nil, isAllowed: @escaping @Sendable () -> Bool = { true }) {
        self.bytes = bytes
        self.isAllowed = isAllowed
    }

    /// Why a delivery ended before everything was tried.
    public enum Exhausted: Error, Sendable, Hashable, CustomStringConvertible {
        /// The next submission is larger than what is left.
        case bytes(needed: Int, left: Int)
        /// The app allows nothing now.
        case notAllowed

        public var description: String {
            switch self {
            case .bytes(let needed, let left):
                "the next submission has \(needed) bytes, and the budget has \(left) left"
            case .notAllowed: "nothing may be sent now"
            }
        }
    }
}
