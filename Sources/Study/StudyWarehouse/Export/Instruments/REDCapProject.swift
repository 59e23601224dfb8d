import FHIR
import IndivoBase

/// Instruments as a project of REDCap: its data dictionary (a CSV of 18 columns) and rows for its import.
///
/// Each instrument is a form that repeats (`redcap_repeat_instrument`), each response an instance of it. The
/// texts are for REDCap, and not guarded for spreadsheets.
public struct REDCapProject: Sendable {
    /// The columns of a data dictionary.
    public static let dictionaryColumns = [
        "Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label",
        "Choices, Calculations, OR Slider Labels", "Field Note",
        "Text Validation Type OR Show Slider Number", "Text Validation Min", "Text Validation Max",
        "Identifier?", "Branching Logic (Show field only if...)", "Required Field?", "Custom Alignment",
        "Question Number (surveys only)", "Matrix Group Name", "Matrix Ranking?", "Field Annotation",
    ]

    /// The columns of ``codes``.
    public static let codeColumns = ["field", "value", "link id", "code", "label", "score"]

    /// A field, with the columns of the instrument that it is made of.
    private struct Field {
        let name: String
        /// Of a checkbox one for each option.
        var columns: [Int]
        var choices: [(value: String, option: InstrumentColumn.Option)] = []
        let isCheckbox: Bool
    }

    private struct Form {
        let instrument: Instrument
        let name: String
        /// Those of ``InstrumentRow/columns`` behind the participant.
        let head: [String]
        var fields: [Field]
    }

    private var forms: [Form] = []
    private static let headKinds = ["response": "text", "authored": "datetime_seconds_ymd"]

    /// A project of instruments.
    public init(_ instruments: [Instrument]) {
        var names = UniqueNames(
            maximumLength: 90,
            reserved: Set(instruments.map { "\($0.name)_complete" })
                .union(["record_id", "participant", "participant_complete"])
        )
        var formNames = UniqueNames(maximumLength: 50, reserved: ["participant"])
        for instrument in instruments {
            let name = formNames.unique(instrument.name)
            let head = InstrumentRow.columns.dropFirst().map { names.unique("\(name)_\($0.name)") }
            var form = Form(instrument: instrument, name: name, head: Array(head), fields: [])
            for (index, column) in instrument.columns.enumerated() {
                Self.add(column, at: index, to: &form, &names)
            }
            forms.append(form)
        }
    }

    private static func add(
        _ column: InstrumentColumn,
        at index: Int,
        to form: inout Form,
        _ names: inout UniqueNames
    ) {
        guard let code = column.option else {
            var values = UniqueNames(maximumLength: 50)
            let choices = column.options.map { option in
                (values.unique(value(of: option.code)), option)
            }
            let name = names.unique("\(form.name)_\(column.variable)")
            form.fields.append(Field(name: name, columns: [index], choices: choices, isCheckbox: false))
            return
        }
        let item = form.instrument.items[column.linkID]
        let option =
            item?.shownOptions.first { $0.code == code }
            ?? InstrumentColumn.Option(code: code, label: code, system: nil)
        if let last = form.fields.last, last.isCheckbox, let first = last.columns.first,
            form.instrument.columns[first].key.linkID == column.key.linkID,
            form.instrument.columns[first].key.prefix == column.key.prefix
        {
            var values = UniqueNames(maximumLength: 50, reserved: Set(last.choices.map(\.value)))
            let field = form.fields.count - 1
            form.fields[field].columns.append(index)
            form.fields[field].choices.append((values.unique(value(of: code)), option))
            return
        }
        let base = ExportNames.variable(column.key.prefix + column.key.linkID)
        form.fields.append(
            Field(
                name: names.unique("\(form.name)_\(base)"),
                columns: [index],
                choices: [(value(of: code), option)],
                isCheckbox: true
            )
        )
    }

    /// The value of a choice: lower-case letters, digits and `_`.
    private static func value(of code: String) -> String {
        if code.isASCIIDigits { return code }
        return ExportNames.variable(code, first: "c")
    }

    // MARK: The dictionary

    /// A row for each field, the record's id first.
    public var dictionary: [[String]] {
        [Self.row("record_id", "participant", type: "text", label: "Participant", note: "The pseudonym.")]
            + forms.flatMap { form in
                zip(form.head, InstrumentRow.columns.dropFirst()).map { name, column in
                    Self.row(
                        name,
                        form.name,
                        type: "text",
                        label: column.name,
                        note: column.name == "authored" ? column.meaning + " Here in UTC." : column.meaning,
                        validation: column.name == "authored" ? "datetime_seconds_ymd" : ""
                    )
                } + fields(of: form)
            }
    }

    private func fields(of form: Form) -> [[String]] {
        var group = ""
        return form.fields.compactMap { field in
            guard let first = field.columns.first else { return nil }
            let column = form.instrument.columns[first]
            let isNew = column.group != group
            group = column.group
            let item = form.instrument.items[column.linkID]
            let (type, validation) = Self.type(of: column, field.isCheckbox, item?.type)
            let isBounded = ["integer", "number", "date_ymd"].contains(validation)
            let choices = field.choices.map { "\($0.value), \(Self.text($0.option.label))" }
            return Self.row(
                field.name,
                form.name,
                section: isNew ? group : "",
                type: type,
                label: field.isCheckbox ? item?.label ?? column.label : column.label,
                choices: choices.joined(separator: " | "),
                note: [column.unit.map { "Unit: \($0)." }, column.kind == .dateTime ? "In UTC." : nil]
                    .compactMap { $0 }.joined(separator: " "),
                validation: validation,
                minimum: isBounded ? column.minimum ?? "" : "",
                maximum: isBounded ? column.maximum ?? "" : "",
                isRequired: column.isRequired,
                annotation: "linkId \(column.key.prefix + column.linkID)"
            )
        }
    }

    private static func type(
        of column: InstrumentColumn,
        _ isCheckbox: Bool,
        _ type: QuestionnaireItemType?
    ) -> (type: String, validation: String) {
        guard !isCheckbox else { return ("checkbox", "") }
        return switch column.kind {
        case .boolean: ("yesno", "")
        case .integer: ("text", "integer")
        case .decimal: ("text", "number")
        case .date: ("text", "date_ymd")
        case .dateTime: ("text", "datetime_seconds_ymd")
        case .time: ("text", "")
        case .text: (type == .text ? "notes" : "text", "")
        // A choice without any option is a text.
        case .choice: (column.options.isEmpty ? "text" : column.options.count > 8 ? "dropdown" : "radio", "")
        }
    }

    private static func row(
        _ name: String,
        _ form: String,
        section: String = "",
        type: String,
        label: String,
        choices: String = "",
        note: String = "",
        validation: String = "",
        minimum: String = "",
        maximum: String = "",
        isRequired: Bool = false,
        annotation: String = ""
    ) -> [String] {
        [
            name, form, text(section), type, text(label), choices, text(note), validation, minimum, maximum,
            "", "", isRequired ? "y" : "", "", "", "", "", annotation.replacing("@", with: "(at)"),
        ]
    }

    /// A text on one line that REDCap takes for no tag and no separator.
    private static func text(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.replacing("|", with: "/").replacing("<", with: "&lt;")
    }

    /// The values of choices with the codes that they stand for.
    public var codes: [[String]] {
        forms.flatMap { form in
            form.fields.flatMap { field in
                field.choices.map { choice in
                    let linkID = field.columns.first.map { form.instrument.columns[$0].linkID } ?? ""
                    let option = choice.option
                    return [field.name, choice.value, linkID, option.code, option.label, option.score ?? ""]
                }
            }
        }
    }

    // MARK: The data

    /// The name of an instrument's form.
    public func name(of instrument: Int) -> String { forms[instrument].name }

    /// The columns of an instrument's rows.
    public func header(of instrument: Int) -> [String] {
        let form = forms[instrument]
        let fields = form.fields.flatMap { field in
            field.isCheckbox ? field.choices.map { "\(field.name)___\($0.value)" } : [field.name]
        }
        return ["record_id", "redcap_repeat_instrument", "redcap_repeat_instance"] + form.head + fields
            + ["\(form.name)_complete"]
    }

    /// A response as a row.
    ///
    /// - Parameter instance: From 1, in each participant and form.
    public func cells(of row: InstrumentRow, _ instrument: Int, instance: Int) -> [String] {
        let form = forms[instrument]
        let fields = form.fields.flatMap { field in
            field.columns.map { Self.cell(row.cells[$0], form.instrument.columns[$0], field) }
        }
        let head = [row.response, Self.moment(row.authored) ?? "", row.status, row.version]
        return [row.participant, form.name, String(instance)] + head + fields + ["2"]
    }

    private static func cell(_ cell: String?, _ column: InstrumentColumn, _ field: Field) -> String {
        guard let cell else { return "" }
        switch column.kind {
        case .boolean: return cell == "true" ? "1" : "0"
        case .dateTime: return moment(cell) ?? ""
        case .choice: return field.choices.first { $0.option.code == cell }?.value ?? cell
        case .integer, .decimal, .date, .time, .text: return cell
        }
    }

    /// `2026-03-01 09:00:00` in UTC.
    private static func moment(_ text: String) -> String? {
        FHIRDateTime(text: text).map { String(WarehouseTime($0).description.prefix { $0 != "." }) }
    }
}
