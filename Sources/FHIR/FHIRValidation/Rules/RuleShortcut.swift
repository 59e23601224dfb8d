import FHIR
import OrderedJSON

/// A quick proof that a rule holds, for rules that every entry of a Bundle, or every visit, would otherwise
/// evaluate.
///
/// What a shortcut does not prove the rule's expression decides.
enum RuleShortcut: String, Sendable {
    /// No entry says how it was found.
    case searches = "bdl-2"
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
    ///
    /// - Parameter bundle: The Bundle that is being validated.
    func isProven(for json: ParsedNode, in bundle: BundleScope?) -> Bool {
        switch self {
        case .versions: return Self.hasNoUnderscore(json.member("fullUrl"))
        case .period: return Self.isOrdered(json.member("start"), json.member("end"))
        case .searches, .requests, .responses, .fullURLs: break
        }
        guard let bundle, let counts = bundle.counts(of: json), let type = bundle.type else { return false }
        switch self {
        case .requests:
            return counts.requests
                == (["batch", "transaction", "history"].contains(type) ? counts.entries : 0)
        case .responses:
            return counts.responses
                == (["batch-response", "transaction-response", "history"].contains(type) ? counts.entries : 0)
        case .searches: return counts.searches == 0
        // Full URLs that differ may still be equal together with their versions.
        default: return counts.versions == 0 && bundle.hasDistinctURLs
        }
    }

    private static func hasNoUnderscore(_ url: ParsedNode?) -> Bool {
        url?.withUTF8 { !$0.contains(UInt8(ascii: "_")) } == true && url?.kind == .string
    }

    /// Two dates, or two times in one zone, that are written with the same precision are ordered like their
    /// texts.
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
