/// A pattern as a tree.
indirect enum RegexSyntax: Sendable {
    case empty
    case scalar(Unicode.Scalar)
    /// `.`
    case any
    case set(CharacterSet)
    case sequence([RegexSyntax])
    case alternatives([RegexSyntax])
    /// `*`, `+`, `?`, `{m,n}`; without an upper bound `most` is nil.
    case repetition(RegexSyntax, least: Int, most: Int?, isLazy: Bool)
    /// A group that captures, by its number from 1.
    case capture(Int, RegexSyntax)
    case assertion(Assertion)
    case lookaround(RegexSyntax, isBehind: Bool, isNegative: Bool)
    case backreference(Int)

    enum Assertion: Sendable {
        case start, end, textStart, textEnd, wordBoundary, noWordBoundary
    }

    /// Whether it can match without taking anything.
    var canBeEmpty: Bool {
        switch self {
        case .empty, .assertion, .lookaround, .backreference: true
        case .scalar, .any, .set: false
        case .sequence(let parts): parts.allSatisfy(\.canBeEmpty)
        case .alternatives(let branches): branches.contains(where: \.canBeEmpty)
        case .repetition(let part, let least, _, _): least == 0 || part.canBeEmpty
        case .capture(_, let part): part.canBeEmpty
        }
    }
}
