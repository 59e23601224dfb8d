/// The limits of one delivery. The app sets them, as only the app knows the state of battery and network. A
/// delivery that ends because of them has ``/StudyFormats/StudyError/outOfBudget(needed:left:)`` in its
/// report.
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
}
