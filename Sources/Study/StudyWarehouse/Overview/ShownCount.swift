import Foundation

/// A number of people as a study team sees it, coarse enough that two views, or two numbers of one view,
/// seldom differ by one person: rounded down to a multiple of five, and fewer than five are not counted.
public enum ShownCount: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Nobody, or up to four.
    case fewerThanFive
    /// This multiple of five, or up to four more.
    case atLeast(Int)

    /// The smallest number that is shown, and the distance of those above it.
    public static let smallest = 5

    /// What is shown of a number.
    public init(_ count: Int) {
        self = count < Self.smallest ? .fewerThanFive : .atLeast(count - count % Self.smallest)
    }

    /// The length of a bar in a chart: 0 for fewer than five.
    public var number: Int {
        switch self {
        case .fewerThanFive: 0
        case .atLeast(let count): count
        }
    }

    /// As in `< 5` and `10+`.
    public var description: String {
        switch self {
        case .fewerThanFive: "< \(Self.smallest)"
        case .atLeast(let count): "\(count)+"
        }
    }

    public static func < (a: ShownCount, b: ShownCount) -> Bool { a.number < b.number }

    /// A median, or another number of several people, to two significant digits.
    static func rounded(_ number: Double) -> Double {
        guard number != 0, number.isFinite else { return number }
        return Double(String(format: "%.1e", number)) ?? number
    }
}

extension ShownCount: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Int.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
