import ArgumentParser
import Foundation
import Indivo
import IndivoBase
import OrderedJSON

struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "reports",
        "List the facts of a data model, such as Medication.",
        discussion: """
            indivo reports Medication
            indivo reports LabResult --json --filter testName_identifier=2951-2 \\
                --order -collectedAt --limit 10
            indivo reports LabResult --aggregate count:testName_title \\
                --group-by testName_title

            Fields are named as in the model (drugName_title) or as in Swift (drugName.title); \
            created_at is when the document was stored. \
            The core models are \(DataModel.core.map(\.name).joined(separator: ", ")); \
            a server may have others, whose fields the tool knows by --models.

            --json prints an array of SDMJ objects. The table shows people a few of the fields; \
            of related models it tells how many there are.

            Of a model that the tool does not know, --json has numbers as texts and empty lists as null; \
            give its SDML files with --models, and they are numbers and lists.
            """
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var query: ReportQueryOptions

    @Option(help: .value("dir", "A folder of SDML files with models of your own."), completion: .directory)
    var models: String?

    @Argument(help: "The name of the model.", completion: .list(DataModel.core.map(\.name))) var model: String

    func run() async throws {
        if let models { try SDMLModels.load(models) }
        let isName = model.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        guard isName, !model.isEmpty else { throw unknownModel() }
        let source = ReportQuery.Source.model(named: model)
        let wanted = try query.query(of: source)
        let aggregate = try query.aggregate()
        let record = try await options.open()
        do {
            if let aggregate {
                let results = try await record.aggregate(aggregate, over: source, matching: wanted)
                return try options.output.print(.aggregates(results), none: "No fact fits.")
            }
            let documents = try await options.console.fetch(
                record.reports(ofModel: model, matching: wanted),
                "facts"
            )
            try options.output.print(
                .report(documents, fields: source.fields ?? []),
                none: "The record has no such facts."
            )
        } catch let error as IndivoError
            where error.reason == .notFound && !DataModel.core.contains(where: { $0.name == model })
        {
            throw unknownModel()
        }
    }

    /// The server alone knows all its models: only when it does not know one is the name wrong.
    private func unknownModel() -> CommandFailure {
        let names = DataModel.core.map(\.name)
        let question = Spelling.question(about: model, among: names)
        return CommandFailure(
            "the server knows no model “\(model.onOneLine)”\(question.isEmpty ? "; the" : question + " The") "
                + "core models are \(names.joined(separator: ", "))"
        )
    }
}

extension Listing {
    /// A report's facts, with a column for each field that has a value; `fields` tell their names in Swift.
    fileprivate static func report(_ documents: [IndivoDocument], fields: [ReportQuery.Source.Field]) throws
        -> Listing
    {
        // The models as the server gave them, with the ids of their documents.
        let models = documents.compactMap { $0.source?.clone() }
        let root = XMLNode("Models", namespace: models.first?.namespace)
        for model in models { root.append(model) }
        let properties = Dictionary(firstOf: fields.map { ($0.name, $0.property) })
        var names: [String] = []
        let rows = models.map { model in
            model.children(named: "Field").reduce(into: [String: String]()) { row, field in
                guard let name = field.attr("name"), let value = value(of: field) else { return }
                row[name] = value
                if !names.contains(name) { names.append(name) }
            }
        }
        let shown = shownNames(names)
        return Listing(
            [("document", "document")]
                + shown.map { ($0, (properties[$0] ?? $0).replacing(/[._]title$/, with: "")) },
            rows: zip(models, rows).map { model, row in [model.attr("documentId")] + shown.map { row[$0] } },
            json: { models.isEmpty ? Data("[]\n".utf8) : try SDMXDocument(root).json() }
        )
    }

    /// A field's text; of related models how many there are. `nil` for none.
    private static func value(of field: XMLNode) -> String? {
        let related =
            field.children(named: "Models").flatMap { $0.children(named: "Model") }
            + field.children(named: "Model")
        if !related.isEmpty { return "\(related.count)" }
        let text = field.text().trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// What people look for first: titles, dates and values, not the codes behind them.
    private static func shownNames(_ names: [String]) -> [String] {
        let known = Set(names)
        let plain = names.filter { name in
            !name.hasSuffix("_system")
                && !(name.hasSuffix("_identifier")
                    && known.contains(name.dropLast("identifier".count) + "title"))
        }
        func rank(_ name: String) -> Int {
            if name.hasSuffix("_title") && !name.dropLast("_title".count).contains("_") { return 0 }
            if name.lowercased().hasSuffix("date") || name.hasSuffix("At") || name.hasSuffix("_at") {
                return 1
            }
            return name.contains("_") ? 3 : 2
        }
        let best = plain.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
        return best.prefix(6).sorted { $0.offset < $1.offset }.map(\.element)
    }

    /// What a server computed, sorted by group, since servers give them in no order.
    static func aggregates(_ results: [AggregateQuery.Result]) -> Listing {
        let results = results.sorted { ($0.group ?? "") < ($1.group ?? "") }
        return Listing(
            columns: ["group": "group", "value": "value"],
            rows: results.map { [$0.group, $0.value] },
            json: {
                let objects: [JSONValue] = results.map {
                    [
                        "group": JSONValue($0.group),
                        "value": JSONValue(number: $0.value ?? "") ?? JSONValue($0.value),
                    ]
                }
                return JSONValue(objects).fileData
            }
        )
    }
}
