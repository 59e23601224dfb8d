import FHIR

/// Instruments and their responses as a document of CDISC's Operational Data Model, version 1.3.2.
///
/// Each instrument is a form of one event, `SE.RESPONSE`, that repeats: each response is an event of its own.
/// Questions are items; link ids are their aliases.
public struct ODMDocument: Sendable {
    private let instruments: [Instrument]
    private let provenance: ExportProvenance
    private static let event = "SE.RESPONSE"
    private static let version = "MDV.1"

    /// A document of instruments.
    public init(_ instruments: [Instrument], _ provenance: ExportProvenance) {
        self.instruments = instruments
        self.provenance = provenance
    }

    private var study: String { "S." + provenance.study }

    // MARK: What the data means

    /// All that stands before the data.
    public func start(_ write: (String) throws -> Void) throws {
        let software = provenance.version + (provenance.commit.map { " (\($0))" } ?? "")
        try write(
            #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
                + #"<ODM xmlns="http://www.cdisc.org/ns/odm/v1.3" ODMVersion="1.3.2" FileType="Snapshot" "#
                + attributes([
                    ("FileOID", "\(provenance.study).\(provenance.exported)"),
                    ("CreationDateTime", provenance.exported), ("SourceSystem", provenance.program),
                    ("SourceSystemVersion", software), ("Description", provenance.summary),
                ]) + ">\n<Study \(attributes([("OID", study)]))>\n<GlobalVariables>"
                + element("StudyName", provenance.study)
                + element("StudyDescription", "Responses to questionnaires.")
                + element("ProtocolName", provenance.study) + "</GlobalVariables>\n"
        )
        if !units.isEmpty {
            try write("<BasicDefinitions>\n")
            for (index, unit) in units.enumerated() {
                let head = attributes([("OID", "MU.\(index + 1)"), ("Name", unit)])
                try write("<MeasurementUnit \(head)><Symbol>\(translated(unit))</Symbol></MeasurementUnit>\n")
            }
            try write("</BasicDefinitions>\n")
        }
        let metadata = attributes([("OID", Self.version), ("Name", "The questionnaires as tables")])
        try write("<MetaDataVersion \(metadata)>\n<Protocol>")
        try write(
            #"<StudyEventRef StudyEventOID="\#(Self.event)" OrderNumber="1" Mandatory="No"/></Protocol>"#
                + "\n"
                + #"<StudyEventDef OID="\#(Self.event)" Name="Response" Repeating="Yes" Type="Unscheduled">"#
        )
        for instrument in instruments {
            try write(#"<FormRef FormOID="F.\#(instrument.name)" Mandatory="No"/>"#)
        }
        try write("</StudyEventDef>\n")
        for instrument in instruments { try write(form(instrument)) }
        for instrument in instruments { try write(group(instrument)) }
        for instrument in instruments { try items(of: instrument, write) }
        for instrument in instruments { try lists(of: instrument, write) }
        try write("</MetaDataVersion>\n</Study>\n")
        try write(
            "<ClinicalData "
                + attributes([("StudyOID", study), ("MetaDataVersionOID", Self.version)]) + ">\n"
        )
    }

    private var units: [String] { Set(instruments.flatMap { $0.columns.compactMap(\.unit) }).sorted() }

    private func form(_ instrument: Instrument) -> String {
        let head = attributes([("OID", "F.\(instrument.name)"), ("Name", shownName(instrument.title))])
        return "<FormDef \(head) Repeating=\"No\">"
            + #"<ItemGroupRef ItemGroupOID="IG.\#(instrument.name)" Mandatory="Yes"/>"#
            + #"<Alias Context="questionnaire" \#(attributes([("Name", instrument.url)]))/></FormDef>"# + "\n"
    }

    private func group(_ instrument: Instrument) -> String {
        let head = attributes([("OID", "IG.\(instrument.name)"), ("Name", shownName(instrument.title))])
        let names =
            InstrumentRow.columns.dropFirst().map { ($0.name, $0.name == "response") }
            + instrument.columns.map { ($0.variable, $0.isRequired) }
        let references = names.enumerated().map { index, item in
            let oid = attributes([("ItemOID", "I.\(instrument.name).\(item.0)")])
            return #"<ItemRef \#(oid) OrderNumber="\#(index + 1)" Mandatory="\#(item.1 ? "Yes" : "No")"/>"#
        }
        return "<ItemGroupDef \(head) Repeating=\"No\">\(references.joined())</ItemGroupDef>\n"
    }

    private func items(of instrument: Instrument, _ write: (String) throws -> Void) throws {
        for column in InstrumentRow.columns.dropFirst() {
            let type = column.name == "authored" ? "datetime" : "text"
            let oid = attributes([("OID", "I.\(instrument.name).\(column.name)"), ("Name", column.name)])
            let length = type == "text" ? #" Length="200""# : ""
            try write(
                #"<ItemDef \#(oid) DataType="\#(type)"\#(length)>"#
                    + "<Description>\(translated(column.meaning))</Description></ItemDef>\n"
            )
        }
        for column in instrument.columns {
            let oid = "I.\(instrument.name).\(column.variable)"
            var xml = "<ItemDef \(attributes([("OID", oid), ("Name", shownName(column.name))])) "
            xml += #"DataType="\#(Self.type(of: column.kind))""#
            if column.kind != .boolean, Self.isText(column.kind) || column.kind == .integer {
                xml += #" Length="\#(max(1, column.maximumLength))""#
            }
            xml += "><Question>\(translated(column.label))</Question>"
            if let unit = column.unit.flatMap({ units.firstIndex(of: $0) }) {
                xml += #"<MeasurementUnitRef MeasurementUnitOID="MU.\#(unit + 1)"/>"#
            }
            for (comparator, bound) in [("GE", column.minimum), ("LE", column.maximum)] {
                guard let bound, !Self.isText(column.kind) else { continue }
                xml += #"<RangeCheck Comparator="\#(comparator)" SoftHard="Soft">"#
                xml += element("CheckValue", bound) + "</RangeCheck>"
            }
            if !column.options.isEmpty {
                xml += #"<CodeListRef CodeListOID="CL.\#(instrument.name).\#(column.variable)"/>"#
            }
            xml += #"<Alias Context="linkId" \#(attributes([("Name", column.linkID)]))/></ItemDef>"# + "\n"
            try write(xml)
        }
    }

    private func lists(of instrument: Instrument, _ write: (String) throws -> Void) throws {
        for column in instrument.columns where !column.options.isEmpty {
            let oid = "CL.\(instrument.name).\(column.variable)"
            let options = column.options.map { option in
                "<CodeListItem \(attributes([("CodedValue", option.code)]))>"
                    + "<Decode>\(translated(option.label))</Decode></CodeListItem>"
            }
            try write(
                "<CodeList \(attributes([("OID", oid), ("Name", shownName(column.name))])) DataType=\"text\">"
                    + options.joined() + "</CodeList>\n"
            )
        }
    }

    private static func isText(_ kind: InstrumentColumn.Kind) -> Bool { kind == .text || kind == .choice }

    private static func type(of kind: InstrumentColumn.Kind) -> String {
        switch kind {
        case .boolean: "boolean"
        case .integer: "integer"
        // Digits are as they were given; `float` would need their number.
        case .decimal: "double"
        case .date: "date"
        case .dateTime: "datetime"
        case .time: "time"
        case .choice, .text: "text"
        }
    }

    // MARK: The data

    /// What begins a participant's data.
    public func start(of participant: String) -> String {
        "<SubjectData \(attributes([("SubjectKey", participant)]))>\n"
    }

    /// What ends a participant's data.
    public let endOfParticipant = "</SubjectData>\n"

    /// A response.
    public func data(of row: InstrumentRow, _ instrument: Int) -> String {
        let instrument = instruments[instrument]
        let event = attributes([("StudyEventOID", Self.event), ("StudyEventRepeatKey", row.response)])
        var xml = "<StudyEventData \(event)><FormData FormOID=\"F.\(instrument.name)\">"
        xml += #"<ItemGroupData ItemGroupOID="IG.\#(instrument.name)">"#
        func item(_ name: String, _ value: String) {
            let pair = attributes([("ItemOID", "I.\(instrument.name).\(name)"), ("Value", value)])
            xml += "<ItemData \(pair)/>"
        }
        for (column, value) in zip(InstrumentRow.columns, row.head).dropFirst() where !value.isEmpty {
            // A date alone is not a datetime.
            if column.name == "authored", FHIRDateTime(text: value)?.time == nil { continue }
            item(column.name, value)
        }
        for (column, value) in zip(instrument.columns, row.cells) {
            if let value, !value.isEmpty { item(column.variable, value) }
        }
        return xml + "</ItemGroupData></FormData></StudyEventData>\n"
    }

    /// What ends the document.
    public let end = "</ClinicalData>\n</ODM>\n"

    // MARK: XML

    private func attributes(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\($0.name)=\"\(attributeXML($0.value))\"" }.joined(separator: " ")
    }

    /// With line ends and tabs as references: as characters they would be read as spaces.
    private func attributeXML(_ text: String) -> String {
        escapedXML(text).replacing("\r\n", with: "&#13;&#10;").replacing("\n", with: "&#10;")
            .replacing("\r", with: "&#13;").replacing("\t", with: "&#9;")
    }

    private func element(_ name: String, _ text: String) -> String {
        "<\(name)>\(escapedXML(text))</\(name)>"
    }

    private func translated(_ text: String) -> String { element("TranslatedText", text) }

    /// A name that is not empty.
    private func shownName(_ text: String) -> String { text.isEmpty ? "-" : text }
}
