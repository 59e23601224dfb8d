import GRDB
import OrderedJSON
import WebServing

/// Conditions as SQL. Every value is an argument, none is part of the text.
extension SearchCriterion {
    /// How much a condition matches, from little to much, as far as its kind says.
    var breadth: Int {
        switch self {
        case .never, .id(_, isNegated: false): 0
        case .value(let key, let matches, isNegated: false): matches.map { $0.breadth(key) }.max() ?? 0
        case .composite: 4
        case .chain, .isReferredTo, .lastUpdated: 5
        case .id, .value, .isMissing: 6
        }
    }

    /// Whether it is a list of ids of rows in SQL.
    var findsRows: Bool {
        switch self {
        case .value(_, _, isNegated: false), .composite, .chain: true
        default: false
        }
    }

    /// A condition on the rows of `resource` with this alias.
    ///
    /// - Parameter isFilter: Whether other conditions find the rows, and this one is asked of each.
    func sql(_ alias: SQL, isFilter: Bool = false, now: Timestamp) -> SQL {
        switch self {
        case .never: return "0"
        case .id(let ids, let isNegated):
            let list = ids.map { "\($0)" as SQL }.joined(separator: ",")
            return isNegated ? "\(alias).name NOT IN (\(list))" : "\(alias).name IN (\(list))"
        case .lastUpdated(let matches):
            let at: SQL = "\(alias).updatedAt"
            return Self.any(matches.map { $0.sql(now: now, low: at, high: "(\(at) + 1000)") })
        case .isMissing(let key, let isMissing):
            let found: SQL = "\(alias).id IN (SELECT resource FROM value WHERE key = \(key))"
            return isMissing ? "NOT \(found)" : found
        case .value(let key, let matches, let isNegated):
            let found = Self.any(
                matches.map { match -> SQL in
                    let condition: SQL = "key = \(key) AND \(match.sql(now: now))"
                    // By the resource, which SQLite would not choose by itself: all resources may have the
                    // code.
                    return isFilter
                        ? """
                        EXISTS (
                            SELECT 1
                            FROM value INDEXED BY valueByResource
                            WHERE resource = \(alias).id AND \(condition)
                        )
                        """
                        : "\(alias).id IN (SELECT resource FROM value WHERE \(condition))"
                }
            )
            return isNegated ? "NOT \(found)" : found
        case .composite(let key, let alternatives):
            return Self.any(alternatives.map { Self.composite(key, $0, alias, now: now) })
        case .chain(let key, let targets):
            return Self.any(
                targets.map { target in
                    """
                    \(alias).id IN (SELECT value.resource FROM value JOIN resource AS target
                        ON target.type = value.system AND target.name = value.code
                        WHERE value.key = \(key) AND value.system = \(target.type) AND NOT target.isDeleted
                        AND \(target.criterion.sql("target", now: now)))
                    """
                }
            )
        case .isReferredTo(let type, let key, let criterion):
            return """
                \(alias).name IN (
                    SELECT value.code
                    FROM value
                    JOIN resource AS source ON source.id = value.resource
                    WHERE value.key = \(key)
                        AND value.system = \(alias).type
                        AND source.type = \(type)
                        AND NOT source.isDeleted
                        AND \(criterion.sql("source", now: now))
                )
                """
        }
    }

    static func any(_ conditions: [SQL]) -> SQL { "(\(conditions.joined(separator: " OR ")))" }

    /// All parts are of the same value of the composite parameter.
    private static func composite(_ key: String, _ parts: [[ValueMatch]], _ alias: SQL, now: Timestamp) -> SQL
    {
        let selects = parts.enumerated().map { index, matches -> SQL in
            """
            SELECT resource, item
            FROM value
            WHERE key = \("\(key)$\(index)") AND \(any(matches.map { $0.sql(now: now) }))
            """
        }
        return "\(alias).id IN (SELECT resource FROM (\(selects.joined(separator: " INTERSECT "))))"
    }
}

extension ValueMatch {
    /// How much it matches, as ``SearchCriterion/breadth``.
    func breadth(_ key: String) -> Int {
        switch self {
        case .token(_, code: _?): key.hasSuffix("identifier") ? 1 : 3
        case .url, .uri, .exactText: 1
        case .reference, .startsWith: 3
        case .codes: 4
        case .token, .contains, .word, .uriBelow, .time, .number: 5
        }
    }

    /// A condition on a row of `value`.
    func sql(now: Timestamp, low: SQL = "low", high: SQL = "high") -> SQL {
        switch self {
        case .startsWith(let text): return Self.prefix("text", text)
        case .contains(let text): return "instr(text, \(text)) > 0"
        case .exactText(let text): return "code = \(text)"
        case .word(let text): return "instr(' ' || text, \(" " + text)) > 0"
        case .token(let system, let code):
            var conditions: [SQL] = code.map { ["code = \($0)"] } ?? []
            switch system {
            case .any: break
            case .none: conditions.append("(system IS NULL OR system = '')")
            case .exactly(let system):
                conditions.append(
                    code == nil ? "system = \(system)" : "(system = \(system) OR system IS NULL)"
                )
            }
            return conditions.isEmpty ? "0" : "(\(conditions.joined(separator: " AND ")))"
        case .codes(let system, let codes):
            let list = JSONValue(codes.map { JSONValue($0) }).text()
            return
                "((system = \(system) OR system IS NULL) AND code IN (SELECT value FROM json_each(\(list))))"
        case .reference(let type?, let id): return "(code = \(id) AND system = \(type))"
        case .reference(nil, let id): return "code = \(id)"
        case .url(let url): return "text = \(url)"
        case .uri(let uri): return "code = \(uri)"
        case .uriBelow(let uri):
            return "(code = \(uri) OR \(Self.prefix("code", uri.hasSuffix("/") ? uri : uri + "/")))"
        case .time(let prefix, let range): return Self.time(prefix, range, now: now, low: low, high: high)
        case .number(let prefix, let value, let implied, let unit):
            let compared = Self.number(prefix, value, implied)
            switch unit {
            case .any: return "(\(compared) AND system IS NOT \(IndexedValue.ucumDimension))"
            case .text(let text):
                return
                    """
                    (
                        \(compared)
                        AND (code = \(text) OR text = \(text))
                        AND system IS NOT \(IndexedValue.ucumDimension)
                    )
                    """
            case .code(let system, let code): return "(\(compared) AND code = \(code) AND system = \(system))"
            case .dimension(let key):
                return "(\(compared) AND code = \(key) AND system = \(IndexedValue.ucumDimension))"
            }
        }
    }

    /// A text starts with another. In UTF-8 no character has the byte 0xFF, and U+10FFFF is the last.
    private static func prefix(_ column: SQL, _ text: String) -> SQL {
        text.isEmpty ? "1" : "(\(column) >= \(text) AND \(column) < \(text + "\u{10FFFF}"))"
    }

    private static func time(_ prefix: Prefix, _ range: TimeRange, now: Timestamp, low: SQL, high: SQL) -> SQL
    {
        let contained: SQL = "(\(low) >= \(range.low) AND \(high) <= \(range.high))"
        switch prefix {
        case .eq: return contained
        case .ne: return "(\(low) IS NOT NULL AND NOT \(contained))"
        case .gt: return "\(high) > \(range.high)"
        case .lt: return "\(low) < \(range.low)"
        case .ge: return "(\(high) > \(range.high) OR \(contained))"
        case .le: return "(\(low) < \(range.low) OR \(contained))"
        case .sa: return "\(low) >= \(range.high)"
        case .eb: return "\(high) <= \(range.low)"
        case .ap:
            // A tenth of the time between now and then, and a day at least.
            let margin = max(abs(now.rawValue - range.low) / 10, 86_400_000_000)
            return "(\(high) > \(range.low - margin) AND \(low) < \(range.high + margin))"
        }
    }

    private static func number(_ prefix: Prefix, _ value: Double, _ implied: ClosedRange<Double>) -> SQL {
        // Without the upper bound, unless the digits are more than a double distinguishes.
        let equal: SQL = """
            (
                low >= \(implied.lowerBound) AND high < \(implied.upperBound)
                OR low = \(value) AND high = \(value)
            )
            """
        switch prefix {
        case .eq: return equal
        case .ne: return "(low IS NOT NULL AND NOT \(equal))"
        case .gt: return "high > \(value)"
        case .lt: return "low < \(value)"
        case .ge: return "high >= \(value)"
        case .le: return "low <= \(value)"
        case .sa: return "low > \(value)"
        case .eb: return "high < \(value)"
        case .ap:
            let margin = max(abs(value) / 10, implied.upperBound - value)
            return "(high >= \(value - margin) AND low <= \(value + margin))"
        }
    }
}
