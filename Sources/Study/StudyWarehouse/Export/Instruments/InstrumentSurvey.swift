import FHIR

/// What the responses of one questionnaire have, from which its table is laid out.
struct InstrumentSurvey {
    /// What was seen of a column.
    private struct Seen {
        var kinds: Set<InstrumentColumn.Kind> = []
        var maximumLength = 0
        var total = 0
        var count = 0
    }

    /// A question at one position: in a repetition of the groups around it.
    private struct Position: Hashable {
        let linkID: String
        let prefix: String
    }

    let url: String
    private(set) var title: String
    private(set) var name: String
    private var items: [String: InstrumentItem] = [:]
    /// The link ids in their order.
    private var order: [String] = []
    private var prefixes: [String: [String]] = [:]
    private var seen: [InstrumentColumn.Key: Seen] = [:]
    private var indexes: [Position: Int] = [:]
    private(set) var responses = 0

    /// More than any survey has: what a stranger repeats has an end.
    static let maximumColumns = 10_000
    private static let maximumDepth = 64

    init(url: String) {
        self.url = url
        name = url.split(separator: "/").last.map(String.init) ?? "survey"
        title = name
    }

    init(url: String, _ questionnaire: Questionnaire) {
        self.init(url: url)
        title = questionnaire.title ?? questionnaire.name ?? title
        name = questionnaire.name ?? questionnaire.id ?? name
        add(questionnaire.item, group: "", depth: 0)
    }

    private mutating func add(_ list: [Questionnaire.Item], group: String, depth: Int) {
        guard depth < Self.maximumDepth else { return }
        for item in list {
            let text = [item.prefix, item.text].compactMap { $0 }.joined(separator: " ")
            if let linkID = item.linkId, items[linkID] == nil, item.type != .group, item.type != .display {
                items[linkID] = InstrumentItem(item, linkID: linkID, group: group)
                order.append(linkID)
                prefixes[linkID] = [""]
            }
            let inner =
                item.type == .group && !text.isEmpty ? (group.isEmpty ? text : "\(group) / \(text)") : group
            add(item.item, group: inner, depth: depth + 1)
        }
    }

    /// Counts a response.
    ///
    /// - Throws: ``WarehouseError`` where it makes more columns than a table may have.
    mutating func add(_ response: ResponseAnswers) throws {
        responses += 1
        var chosen: [Position: Int] = [:]
        for answer in response.answers {
            if items[answer.linkID] == nil {
                items[answer.linkID] = InstrumentItem(linkID: answer.linkID)
                order.append(answer.linkID)
            }
            if prefixes[answer.linkID]?.contains(answer.prefix) != true {
                prefixes[answer.linkID, default: []].append(answer.prefix)
            }
            let position = Position(linkID: answer.linkID, prefix: answer.prefix)
            indexes[position] = max(indexes[position] ?? 1, answer.index)
            for (part, value) in items[answer.linkID]?.parts(of: answer.value) ?? [] {
                if case .coding(let system, let code) = value {
                    items[answer.linkID]?.add(code: code, system: system, label: nil)
                    chosen[position, default: 0] += 1
                    if chosen[position] ?? 0 > 1 { items[answer.linkID]?.isMultiple = true }
                }
                let key = InstrumentColumn.Key(
                    linkID: answer.linkID,
                    prefix: answer.prefix,
                    index: answer.index,
                    part: part
                )
                note(value, at: key)
            }
            guard seen.count <= Self.maximumColumns else {
                throw WarehouseError.badInput(
                    "the responses to \(url) make more than \(Self.maximumColumns) columns; "
                        + "export them as facts (--format csv) or as resources (--format ndjson)"
                )
            }
        }
    }

    private mutating func note(_ value: AnsweredValue, at key: InstrumentColumn.Key) {
        let length = value.text.utf8.count
        var column = seen[key] ?? Seen()
        column.kinds.insert(value.kind)
        column.maximumLength = max(column.maximumLength, length)
        column.total += length
        column.count += 1
        seen[key] = column
    }

    // MARK: The table

    /// - Parameter name: Unique in the export.
    func instrument(name: String) throws -> Instrument {
        var names = UniqueNames(maximumLength: .max)
        var variables = UniqueNames(maximumLength: 26, reserved: ExportNames.reserved)
        var columns: [InstrumentColumn] = []
        for linkID in order {
            guard let item = items[linkID] else { continue }
            for prefix in (prefixes[linkID] ?? [""]).sorted(by: Self.isBefore) {
                for key in keys(of: item, prefix) {
                    let shown = names.unique(Self.heading(key))
                    columns.append(column(key, item, shown, variables.unique(ExportNames.variable(shown))))
                }
            }
        }
        guard columns.count <= Self.maximumColumns else {
            throw WarehouseError.badInput("\(url) makes more than \(Self.maximumColumns) columns")
        }
        return Instrument(
            url: url,
            name: name,
            title: title,
            responseCount: responses,
            columns: columns,
            index: Dictionary(uniqueKeysWithValues: zip(columns.map(\.key), columns.indices)),
            items: items
        )
    }

    private static func isBefore(_ a: String, _ b: String) -> Bool {
        (a.utf8.count, a) < (b.utf8.count, b)
    }

    private func keys(of item: InstrumentItem, _ prefix: String) -> [InstrumentColumn.Key] {
        let last = max(1, indexes[Position(linkID: item.linkID, prefix: prefix)] ?? 1)
        func key(_ index: Int, _ part: InstrumentColumn.Key.Part) -> InstrumentColumn.Key {
            InstrumentColumn.Key(linkID: item.linkID, prefix: prefix, index: index, part: part)
        }
        func isSeen(_ index: Int, _ part: InstrumentColumn.Key.Part) -> Bool { seen[key(index, part)] != nil }
        var keys: [InstrumentColumn.Key] = []
        if item.isMultiple {
            keys += item.shownOptions.map { key(1, .option($0.code)) }
            let texts = (1...last).filter { isSeen($0, .text) }
            return keys + (texts.isEmpty && item.type == .openChoice ? [1] : texts).map { key($0, .text) }
        }
        for index in 1...last {
            keys.append(key(index, .value))
            if isSeen(index, .text) || item.type == .openChoice && index == 1 {
                keys.append(key(index, .text))
            }
            if isSeen(index, .unit) || item.type == .quantity && index == 1 { keys.append(key(index, .unit)) }
            if isSeen(index, .comparator) { keys.append(key(index, .comparator)) }
        }
        return keys
    }

    private static func heading(_ key: InstrumentColumn.Key) -> String {
        let answer = key.prefix + key.linkID + (key.index > 1 ? "[\(key.index)]" : "")
        return switch key.part {
        case .value: answer
        case .text: answer + ":text"
        case .unit: answer + ":unit"
        case .comparator: answer + ":comparator"
        case .option(let code): "\(answer)=\(code)"
        }
    }

    private func column(
        _ key: InstrumentColumn.Key,
        _ item: InstrumentItem,
        _ name: String,
        _ variable: String
    ) -> InstrumentColumn {
        let seen = seen[key] ?? Seen()
        let kind = Self.kind(key, item, seen.kinds)
        var label = item.label
        switch key.part {
        case .option(let code): label += ": " + (item.shownOptions.first { $0.code == code }?.label ?? code)
        case .text: label += " (own words)"
        case .unit: label += " (unit)"
        case .comparator: label += " (comparator)"
        case .value: break
        }
        return InstrumentColumn(
            name: name,
            variable: variable,
            linkID: item.linkID,
            label: label,
            group: item.group,
            kind: kind,
            unit: kind == .integer || kind == .decimal ? item.unit : nil,
            options: kind == .choice ? item.shownOptions : [],
            isRequired: item.isRequired && key.part == .value && key.index == 1 && key.prefix.isEmpty,
            minimum: key.part == .value ? item.minimum : nil,
            maximum: key.part == .value ? item.maximum : nil,
            maximumLength: kind == .choice
                ? item.shownOptions.map(\.code.utf8.count).max() ?? 0 : seen.maximumLength,
            totalLength: seen.total,
            valueCount: seen.count,
            key: key
        )
    }

    /// One kind for all values of a column: the questionnaire's where they are of it.
    private static func kind(
        _ key: InstrumentColumn.Key,
        _ item: InstrumentItem,
        _ seen: Set<InstrumentColumn.Kind>
    ) -> InstrumentColumn.Kind {
        switch key.part {
        case .option: return .boolean
        case .text, .unit, .comparator: return .text
        case .value: break
        }
        var kinds = seen
        if let asked = item.kind { kinds.insert(asked) }
        switch kinds {
        case [.integer, .decimal]: return .decimal
        default: return kinds.count == 1 ? kinds.first ?? .text : .text
        }
    }
}

extension AnsweredValue {
    /// As tables have it.
    var text: String {
        switch self {
        case .boolean(let value): value ? "true" : "false"
        case .integer(let text), .decimal(let text), .date(let text), .dateTime(let text),
            .partialDate(let text), .time(let text), .text(let text):
            text
        case .coding(_, let code): code
        case .quantity(let value, _, _): value
        }
    }

    var kind: InstrumentColumn.Kind {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .decimal, .quantity: .decimal
        case .coding: .choice
        case .date: .date
        case .dateTime: .dateTime
        case .time: .time
        case .partialDate, .text: .text
        }
    }
}
