import Foundation
import Indivo

/// A report's facts, for printing: SDMJ, SDMX, or a column for each field that has a value.
enum ReportListing {
    /// - Parameter fields: What is known of the model's fields, for their names in Swift.
    static func listing(of documents: [IndivoDocument], fields: [ReportQuery.Source.Field]) throws -> Listing {
        // The models as the server gave them, with the ids of their documents.
        let models = documents.compactMap { $0.source?.clone() }
        let root = XMLNode("Models", namespace: models.first?.namespace)
        for model in models { root.append(model) }
        let properties = Dictionary(fields.map { ($0.name, $0.property) }, uniquingKeysWith: { first, _ in first })
        var names: [String] = []
        var known: Set<String> = []
        var rows: [[String: String]] = []
        for model in models {
            var row: [String: String] = [:]
            for field in model.children(named: "Field") {
                guard let name = field.attr("name"), let value = value(of: field) else { continue }
                row[name] = value
                if known.insert(name).inserted { names.append(name) }
            }
            rows.append(row)
        }
        let shown = shownNames(names, in: rows)
        let columns =
            [Listing.Column("document_id", "document")]
            + names.map { Listing.Column($0, shown.contains($0) ? title(properties[$0] ?? $0) : nil) }
        return Listing(
            columns: columns,
            rows: zip(models, rows).map { model, row in
                [model.attr("documentId") ?? ""] + names.map { row[$0] ?? "" }
            },
            json: { models.isEmpty ? Data("[]\n".utf8) : try SDMXDocument(root).json() },
            xml: { try root.file() })
    }

    /// A field's text; of related models how many there are. `nil` for none.
    private static func value(of field: XMLNode) -> String? {
        let related =
            field.children(named: "Models").flatMap { $0.children(named: "Model") } + field.children(named: "Model")
        if !related.isEmpty { return "\(related.count)" }
        let text = field.text().trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// What people look for first: titles, dates and values, not the codes behind them.
    private static func shownNames(_ names: [String], in rows: [[String: String]]) -> Set<String> {
        let known = Set(names)
        let plain = names.filter { name in
            if name.hasSuffix("_system") { return false }
            if name.hasSuffix("_identifier") {
                return !known.contains(String(name.dropLast("identifier".count)) + "title")
            }
            return true
        }
        func rank(_ name: String) -> Int {
            if name.hasSuffix("_title") && !name.dropLast("_title".count).contains("_") { return 0 }
            if name.lowercased().hasSuffix("date") || name.hasSuffix("At") || name.hasSuffix("_at") { return 1 }
            return name.contains("_") ? 3 : 2
        }
        let best = plain.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
        return Set(best.prefix(6).map(\.element))
    }

    private static func title(_ name: String) -> String {
        for ending in [".title", "_title"] where name.hasSuffix(ending) {
            return String(name.dropLast(ending.count))
        }
        return name
    }
}
