import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer
import StudyWarehouse

/// What an export asks for.
struct StudyExportRequest: Sendable {
    let format: StudyExportCommand.Format
    let disclosure: Disclosure
    let audience: ExportAudience
    let questionnaires: [Questionnaire]

    func provenance(_ warehouse: WarehouseTransaction) throws -> ExportProvenance {
        let counts = try warehouse.exportCounts(of: audience)
        return ExportProvenance(
            version: PackageVersion.text,
            commit: PackageVersion.commit,
            study: warehouse.study,
            exported: Date(),
            options: [
                ("format", format.rawValue), ("audience", audience.rawValue),
                ("freeText", disclosure.freeText.rawValue), ("identities", disclosure.identities.rawValue),
            ],
            questionnaires: questionnaires,
            participants: counts.participants,
            responses: counts.responses
        )
    }
}

/// Writes the files of one export into a folder, and counts what it writes.
final class StudyExportFiles {
    typealias Writer = (_ data: Data, _ rows: Int) throws -> Void

    private let warehouse: WarehouseTransaction
    private let request: StudyExportRequest
    private let folder: URL
    private var provenance: ExportProvenance

    init(_ warehouse: WarehouseTransaction, _ request: StudyExportRequest, folder: URL) throws {
        self.warehouse = warehouse
        self.request = request
        self.folder = folder
        provenance = try request.provenance(warehouse)
    }

    /// - Returns: The names of the files.
    func write() throws -> [String] {
        switch request.format {
        case .csv: try writeFacts()
        case .ndjson: try writeResources()
        case .pdo:
            try file("pdo.xml") { write in
                try warehouse.writePDO(of: audience) { try write(Data($0.utf8), 0) }
            }
        case .tables, .redcap, .odm, .stata: try writeInstruments()
        }
        let json = provenance.json.fileData
        // By format: a folder may take one export of each.
        let name = "provenance-\(request.format.rawValue).json"
        try NewFile(folder.appending(path: name)).write { try $0(json) }
        return provenance.files.map(\.name) + [name]
    }

    private var audience: ExportAudience { request.audience }

    // MARK: Files

    /// Writes a file.
    private func file(_ name: String, _ body: (Writer) throws -> Void) throws {
        try files([name]) { try body($0[0]) }
    }

    /// Writes several files at once.
    private func files(_ names: [String], _ body: ([Writer]) throws -> Void) throws {
        let first = provenance.files.count
        provenance.files += names.map { ExportedFile($0) }
        try open(names[...], []) { plain in
            try body(
                plain.indices.map { index in
                    { data, rows in
                        self.provenance.files[first + index].add(data, rows: rows)
                        try plain[index](data)
                    }
                }
            )
        }
    }

    private func open(
        _ names: ArraySlice<String>,
        _ opened: [(Data) throws -> Void],
        _ body: ([(Data) throws -> Void]) throws -> Void
    ) throws {
        guard let name = names.first else { return try body(opened) }
        try NewFile(folder.appending(path: name)).write { write in
            try open(names.dropFirst(), opened + [write], body)
        }
    }

    /// Writes a table.
    private func table(_ name: String, _ header: [String], _ rows: [[String]]) throws {
        try file(name) { try $0(CSV.data(header: header, rows: rows), rows.count) }
    }

    private func writeConsents() throws {
        let rows = try warehouse.consents(of: audience).map(\.cells)
        try table("consents.csv", WarehouseTransaction.consentColumns, rows)
    }

    // MARK: Facts and resources

    private func writeFacts() throws {
        try file("facts.csv") { write in
            try write(CSV.data(header: WarehouseTransaction.factColumns.map(\.name), rows: []), 0)
            try warehouse.eachFact(of: audience) { try write(CSV.data(header: $0, rows: []), 1) }
        }
        let dictionary = try warehouse.dictionary(of: audience)
        try table("dictionary.csv", ["concept", "name", "path", "source"], dictionary)
        let columns = WarehouseTransaction.factColumns.map { [$0.name, $0.meaning] }
        try table("columns.csv", ["column", "meaning"], columns)
        try writeSamples()
        try writeConsents()
    }

    private func writeSamples() throws {
        guard try warehouse.hasSamples() else { return }
        let columns = WarehouseTransaction.sampleColumns
        for month in try warehouse.sampleMonths(of: audience) {
            try file("samples-\(month).csv") { write in
                try write(CSV.data(header: columns.map(\.name), rows: []), 0)
                try warehouse.eachSample(inMonth: month, of: audience) {
                    try write(CSV.data(header: $0, rows: []), 1)
                }
            }
        }
        try table("samples-columns.csv", ["column", "meaning"], columns.map { [$0.name, $0.meaning] })
        try file("samples-sources.csv") { write in
            try write(CSV.data(header: WarehouseTransaction.sampleSourceColumns, rows: []), 0)
            try warehouse.eachSampleSource(request.disclosure, of: audience) {
                try write(CSV.data(header: $0, rows: []), 1)
            }
        }
    }

    private func writeResources() throws {
        let samples = try warehouse.hasSamples() ? ["Observation"] : []
        for type in try Set(warehouse.resourceTypes() + samples).sorted() {
            try file("\(type).ndjson") { write in
                if samples.contains(type) {
                    try warehouse.eachObservation(ofSamples: request.disclosure, of: audience) {
                        try write(Data(($0 + "\n").utf8), 1)
                    }
                }
                try warehouse.eachResource(type, request.disclosure, of: audience) {
                    try write(Data(($0 + "\n").utf8), 1)
                }
            }
        }
        let consents = try warehouse.consents(of: audience).map { $0.resource.text() + "\n" }
        try file("Consent.ndjson") { try $0(Data(consents.joined().utf8), consents.count) }
    }

    // MARK: Instruments

    private func writeInstruments() throws {
        let instruments = try warehouse.instruments(
            of: request.questionnaires,
            request.disclosure,
            for: audience
        )
        switch request.format {
        case .tables: try writeTables(instruments)
        case .redcap: try writeREDCap(instruments)
        case .odm: try writeODM(instruments)
        case .stata: try writeStata(instruments)
        case .csv, .ndjson, .pdo: break
        }
    }

    private func eachRow(
        of instruments: [Instrument],
        _ body: (_ instrument: Int, _ row: InstrumentRow) throws -> Void
    ) throws {
        try warehouse.eachRow(of: instruments, request.disclosure, for: audience, body)
    }

    private func writeTables(_ instruments: [Instrument]) throws {
        try files(instruments.map { "\($0.name).csv" }) { write in
            for (index, instrument) in instruments.enumerated() {
                try write[index](CSV.data(header: InstrumentCodebook.header(of: instrument), rows: []), 0)
            }
            try eachRow(of: instruments) { index, row in
                let cells = InstrumentCodebook.cells(of: row, instruments[index])
                try write[index](CSV.data(header: cells, rows: []), 1)
            }
        }
        try writeCodebook(instruments)
        try file("read.py") { try $0(Data(InstrumentScripts.pandas.utf8), 0) }
        try file("read.R") { try $0(Data(InstrumentScripts.r.utf8), 0) }
    }

    private func writeCodebook(_ instruments: [Instrument]) throws {
        let columns = InstrumentCodebook.columns.map(\.name)
        try table("codebook.csv", columns, InstrumentCodebook.rows(of: instruments))
        let labels = InstrumentCodebook.labels(of: instruments)
        try table("labels.csv", InstrumentCodebook.labelColumns, labels)
        try writeConsents()
    }

    private func writeREDCap(_ instruments: [Instrument]) throws {
        let project = REDCapProject(instruments)
        try table("dictionary.csv", REDCapProject.dictionaryColumns, project.dictionary)
        try table("codes.csv", REDCapProject.codeColumns, project.codes)
        try files(instruments.indices.map { "import-\(project.name(of: $0)).csv" }) { write in
            for index in instruments.indices {
                try write[index](CSV.data(header: project.header(of: index), rows: []), 0)
            }
            var counts = InstanceCounts()
            try eachRow(of: instruments) { index, row in
                let instance = counts.next(of: row.participant, index)
                let cells = project.cells(of: row, index, instance: instance)
                try write[index](CSV.data(header: cells, rows: []), 1)
            }
        }
        try writeConsents()
    }

    private func writeODM(_ instruments: [Instrument]) throws {
        let document = ODMDocument(instruments, provenance)
        try file("odm.xml") { write in
            func say(_ text: String, _ rows: Int = 0) throws { try write(Data(text.utf8), rows) }
            try document.start { try say($0) }
            var participant: String?
            try eachRow(of: instruments) { index, row in
                if row.participant != participant {
                    if participant != nil { try say(document.endOfParticipant) }
                    try say(document.start(of: row.participant))
                    participant = row.participant
                }
                try say(document.data(of: row, index), 1)
            }
            if participant != nil { try say(document.endOfParticipant) }
            try say(document.end)
        }
        try writeConsents()
    }

    private func writeStata(_ instruments: [Instrument]) throws {
        if let wide = instruments.first(where: { $0.columns.count + 10 > StataFile.maximumVariables }) {
            throw CommandFailure("\(wide.url) has more columns than a data set of Stata; use --format tables")
        }
        let sets = instruments.map { StataFile($0, provenance) }
        try files(instruments.map { "\($0.name).dta" }) { write in
            for index in sets.indices { try write[index](sets[index].head, 0) }
            var counts = [Int](repeating: 0, count: sets.count)
            try eachRow(of: instruments) { index, row in
                counts[index] += 1
                try write[index](sets[index].row(row, observation: counts[index]), 1)
            }
            for index in sets.indices { try write[index](sets[index].middle, 0) }
            if sets.contains(where: \.hasLongTexts) {
                counts = [Int](repeating: 0, count: sets.count)
                try eachRow(of: instruments) { index, row in
                    counts[index] += 1
                    try write[index](sets[index].longTexts(row, observation: counts[index]), 0)
                }
            }
            for index in sets.indices { try write[index](sets[index].end, 0) }
        }
        try writeCodebook(instruments)
    }
}

/// The number of each response among those of its participant and form; rows come by participant.
private struct InstanceCounts {
    private var participant = ""
    private var counts: [Int: Int] = [:]

    mutating func next(of participant: String, _ instrument: Int) -> Int {
        if participant != self.participant {
            self.participant = participant
            counts = [:]
        }
        counts[instrument, default: 0] += 1
        return counts[instrument] ?? 1
    }
}
