import ArgumentParser
import Indivo
import IndivoBase

struct ReportQueryOptions: ParsableArguments {
    @OptionGroup var part: ListPartOptions

    @Option(
        parsing: .unconditional,
        help: .value("field", "The field by which they are ordered; -FIELD for the other way round.")
    )
    var order: String?

    @Option(help: "Only facts of documents of this status.") var status = DocumentStatus.active

    @Option(
        help: .value(
            "field=value|value",
            "Only where a field has a value, or one of several; may be given for several fields."
        )
    )
    var filter: [String] = []

    @Option(help: .value("field", "The field of dates that --from and --to are about.")) var dateField:
        String?

    @Option(help: .value("date", "The first day or time, such as 2026-01-31 or 2026-01-31T08:00:00Z."))
    var from: String?

    @Option(help: .value("date", "The last; a day means its first moment.")) var to: String?

    @Option(
        name: .customLong("aggregate"),
        help: .value("operation:field", "Compute sum, avg, min, max or count of a field, for each group.")
    )
    var aggregation: String?

    @Option(help: .value("field", "Group by a field, with --aggregate.")) var groupBy: String?

    @Option(
        help: .value(
            "field:span",
            """
            Group by hour, day, week, month, year, hourofday, dayofweek, weekofyear \
            or monthofyear of a date.
            """
        )
    )
    var dateGroup: String?

    func validate() throws {
        if groupBy != nil && dateGroup != nil {
            throw ValidationError("--group-by and --date-group exclude each other.")
        }
        if aggregation == nil && (groupBy != nil || dateGroup != nil) {
            throw ValidationError(
                """
                Groups need a number to compute for each: give --aggregate, such as \
                count:\(groupBy ?? "FIELD").
                """
            )
        }
        if aggregation != nil && order != nil {
            throw ValidationError(
                "A server breaks groups when it orders them: leave --order out, and sort what comes."
            )
        }
    }

    /// The query, checked against the report's fields; its dates are of the field of the options, else of the
    /// standard one.
    func query(of source: ReportQuery.Source, dateField standard: String? = nil) throws -> ReportQuery {
        var query = ReportQuery(status: status).limited(to: part.limit, offset: part.offset)
        for text in filter {
            let (name, text) = try text.pair("=", after: "--filter", "FIELD=VALUE")
            let values = text.split(separator: "|", omittingEmptySubsequences: false)
            let type = try source.type(ofField: name)
            query.filters.append(
                .init(
                    field: name,
                    values: try values.map { try ReportQuery.Value(String($0), type: type, field: name) }
                )
            )
        }
        if from != nil || to != nil {
            let field = try (dateField ?? standard).orFail(
                "--from and --to need the field that they are about: give --date-field, such as created_at",
                .wrongUse
            )
            _ = try source.type(ofField: field)
            query = query.dates(field, from: from.map { .text($0) }, to: to.map { .text($0) })
        } else if dateField != nil {
            throw CommandFailure("--date-field goes with --from or --to")
        }
        if let order {
            let name = order.hasPrefix("-") ? String(order.dropFirst()) : order
            _ = try source.type(ofField: name)
            query = query.ordered(by: name, descending: order.hasPrefix("-"))
        }
        return query
    }

    /// What is to be computed; `nil` where the facts themselves are wanted.
    func aggregate() throws -> AggregateQuery? {
        guard let aggregation else { return nil }
        let (name, field) = try aggregation.pair(":", after: "--aggregate", "OPERATION:FIELD")
        let operation: AggregateQuery.Operation = try Self.choice(
            name,
            "nothing that --aggregate can compute"
        )
        guard let dateGroup else {
            return AggregateQuery(operation, of: field, by: groupBy.map { .field($0) })
        }
        let (dates, span) = try dateGroup.pair(":", after: "--date-group", "FIELD:SPAN")
        return AggregateQuery(
            operation,
            of: field,
            by: .dates(dates, try Self.choice(span, "no span of --date-group"))
        )
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String,
        _ fault: String
    ) throws -> Choice {
        try Choice(rawValue: name).orFail(
            "“\(name)” is \(fault); it is one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))",
            .wrongUse
        )
    }
}

extension String {
    /// The parts before and behind a separator, neither empty; behind “=” there may be nothing.
    /// - Throws: ``CommandFailure`` that says how the option is written, without what stands behind “=”.
    func pair(_ separator: Character, after option: String, _ form: String) throws -> (String, String) {
        let parts = split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init
        )
        guard parts.count == 2, !parts[0].isEmpty, separator == "=" || !parts[1].isEmpty else {
            throw CommandFailure("“\(separator == "=" ? parts[0] : self)” after \(option) is not \(form)")
        }
        return (parts[0], parts[1])
    }
}

extension ReportQuery.Source {
    /// - Throws: ``CommandFailure`` for a field that the report is known not to have.
    fileprivate func type(ofField name: String) throws -> DataModel.FieldType? {
        guard let fields else { return nil }
        if let field = fields.first(where: { $0.name == name || $0.property == name }) { return field.type }
        let names = fields.map(\.property)
        throw CommandFailure(
            "the report has no field “\(name)”"
                + Spelling.question(about: name, among: names + fields.map(\.name))
                + "; it has \(names.joined(separator: ", "))"
        )
    }
}

extension ReportQuery.Value {
    /// A value as a field of a type takes it.
    fileprivate init(_ text: String, type: DataModel.FieldType?, field: String) throws {
        switch type {
        case .number:
            self = .number(
                try Double(text).orFail("“\(field)” is a number, and “\(text)” is none", .wrongUse)
            )
        case .boolean:
            let fault = "“\(field)” is true or false, and “\(text)” is neither"
            self = .truth(try Bool(text.lowercased()).orFail(fault, .wrongUse))
        default: self = .text(text)
        }
    }
}
