import FHIR
import OrderedJSON

/// A quick proof that a rule holds, for rules that every entry of a Bundle, or every visit, would otherwise
/// evaluate.
///
/// What a shortcut does not prove the rule's expression decides.
enum RuleShortcut: String, Sendable {
    /// A request where the type of the Bundle has requests.
    case requests = "bdl-3"
    /// A response where the type of the Bundle has responses.
    case responses = "bdl-4"
    /// No full URL twice.
    case fullURLs = "bdl-7"
    /// No version in a full URL.
    case versions = "bdl-8"
    /// A start and an end that are written in the same way.
    case period = "per-1"

    /// Whether the rule certainly holds.
    func isProven(for json: ParsedNode) -> Bool {
        switch self {
        case .requests: Self.entries(of: json, haveAll: "request", if: ["batch", "transaction", "history"])
        case .responses:
            Self.entries(
                of: json,
                haveAll: "response",
                if: ["batch-response", "transaction-response", "history"]
            )
        case .fullURLs: Self.areDistinct(json.member("entry"))
        case .versions: Self.hasNoUnderscore(json.member("fullUrl"))
        case .period: Self.isOrdered(json.member("start"), json.member("end"))
        }
    }

    private static func entries(of bundle: ParsedNode, haveAll name: StaticString, if types: [String]) -> Bool
    {
        guard let type = bundle.member("type")?.string, let entries = bundle.member("entry")?.elements else {
            return false
        }
        let isNeeded = types.contains(type)
        return entries.allSatisfy { entry in
            entry.kind == .object && (entry.member(name)?.kind == .object) == isNeeded
                && (isNeeded || entry.member(name) == nil)
        }
    }

    private static func areDistinct(_ entries: ParsedNode?) -> Bool {
        guard let entries = entries?.elements else { return false }
        var urls: Set<NodeText> = []
        for entry in entries {
            guard let url = entry.member("fullUrl") else { continue }
            guard url.kind == .string, urls.insert(NodeText(url)).inserted else { return false }
            // Full URLs that differ may still be equal together with their versions.
            guard entry.member("resource")?.member("meta")?.member("versionId") == nil else { return false }
        }
        return true
    }

    private static func hasNoUnderscore(_ url: ParsedNode?) -> Bool {
        url?.withUTF8 { !$0.contains(UInt8(ascii: "_")) } == true && url?.kind == .string
    }

    /// Of two dates, or two times in one zone, that are written with the same precision the order is that of
    /// their text.
    private static func isOrdered(_ start: ParsedNode?, _ end: ParsedNode?) -> Bool {
        guard let start, let end, start.kind == .string, end.kind == .string else { return false }
        return start.withUTF8 { start in
            end.withUTF8 { end in
                guard start.count == end.count else { return false }
                if start.count <= 10 {
                    return TextScan.date(start) && TextScan.date(end) && !end.lexicographicallyPrecedes(start)
                }
                // `Z`, or the same offset in the last six characters.
                let zone = start.last == UInt8(ascii: "Z") ? 1 : 6
                return start.suffix(zone).elementsEqual(end.suffix(zone))
                    && !end.lexicographicallyPrecedes(start)
                    && TextScan.instant(start) && TextScan.instant(end)
            } ?? false
        } ?? false
    }
}
