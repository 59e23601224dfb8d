/// The path of a call: literal segments and captures in braces, e.g. `/records/{record}/documents/`.
///
/// A trailing slash counts: the real server responds to the wrong form with 404.
package struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    package enum Segment: Sendable, Hashable {
        case literal(String)
        case capture(String)
    }

    package let segments: [Segment]
    package let description: String

    package init(stringLiteral value: String) {
        description = value
        segments = PathTemplate.split(value).map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .capture(String(part.dropFirst().dropLast())) : .literal(part)
        }
    }

    /// The segments of a path: what stands between slashes, the empty one after a trailing slash included.
    package static func split(_ path: String) -> [String] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }
}
