import Foundation
import IndivoXML
import TestSupport

/// A document that the recording tells of.
struct RecordedDocument {
    var id: String
    var size: Int
    var digest: String
    var record: String
    var creator: String
    var creatorType: String
    var createdAt: Date
    var createdAtText: String
    /// The first exchange that tells of it.
    var sequence: Int
    /// Whether that exchange made it.
    var isMadeByExchange: Bool
    /// The storage it lies in, when it is an app's.
    var app: String?
    var externalId: String?
    var replaces: String?

    /// Every document that some answer describes.
    static func all(in recording: Recording) -> [RecordedDocument] {
        var found: [String: RecordedDocument] = [:]
        for exchange in recording.exchanges where exchange.responseText.contains("<Document ") {
            guard let root = try? XMLNode(parsing: exchange.responseText) else { continue }
            let elements = root.name == "Document" ? [root] : descendants(of: root)
            for element in elements {
                guard let id = element.attr("id"), !id.isEmpty, let digest = element.attr("digest") else {
                    continue
                }
                let makes = exchange.method != "GET" && root.name == "Document"
                // Reports leave the record out; another answer may tell.
                if var known = found[id] {
                    if known.record.isEmpty { known.record = element.attr("record_id") ?? "" }
                    found[id] = known
                    continue
                }
                let creator = element.child(named: "creator")
                let text = element.child(named: "createdAt")?.text() ?? ""
                found[id] = RecordedDocument(
                    id: id,
                    size: Int(element.attr("size") ?? "") ?? 0,
                    digest: digest,
                    record: element.attr("record_id") ?? "",
                    creator: creator?.attr("id") ?? "",
                    creatorType: creator?.attr("type") ?? "",
                    createdAt: date(text),
                    createdAtText: text,
                    sequence: exchange.seq,
                    isMadeByExchange: makes,
                    replaces: element.child(named: "replaces")?.attr("id")
                )
                if let match = exchange.path.firstMatch(of: /\/apps\/([^\/]+)\/documents\//) {
                    found[id]?.app = String(match.output.1)
                }
                if let match = exchange.path.firstMatch(of: /\/documents\/external\/([^\/]+\/[^\/]+)\/meta/) {
                    found[id]?.externalId = String(match.output.1).removingPercentEncoding
                }
            }
        }
        return found.values.sorted { $0.createdAtText < $1.createdAtText }
    }

    private static func descendants(of node: XMLNode) -> [XMLNode] {
        node.children().flatMap { child in child.name == "Document" ? [child] : descendants(of: child) }
    }

    /// The instant of a text such as `2026-11-21T03:53:12.893108Z`.
    static func date(_ text: String) -> Date {
        let formatter = ISO8601DateFormatter()
        let whole = formatter.date(from: text.prefix(19) + "Z") ?? Date(timeIntervalSince1970: 0)
        let fraction = text.dropFirst(19).dropLast()
        return whole.addingTimeInterval(Double("0" + fraction) ?? 0)
    }
}
