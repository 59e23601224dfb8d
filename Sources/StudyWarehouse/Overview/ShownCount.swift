/// A number of people as a study team sees it: fewer than five are not counted, so that nobody is known by a number.
public enum ShownCount: Sendable, Hashable, CustomStringConvertible {
    /// Nobody, or up to four.
    case fewerThanFive
    /// Five or more.
    case exactly(Int)

    /// The smallest number that is shown.
    public static let smallest = 5

    /// What is shown of a number.
    public init(_ count: Int) { self = count < Self.smallest ? .fewerThanFive : .exactly(count) }

    public var description: String {
        switch self {
        case .fewerThanFive: "< \(Self.smallest)"
        case .exactly(let count): String(count)
        }
    }
}
