import FHIR
import Foundation
import IndivoBase
import StudyWarehouse
import WebServing

extension PageService {
    /// The largest table that a browser gets; the tool writes larger ones.
    private static let maximumTable = 64 << 20

    /// The tables that may be downloaded.
    func exports(_ visit: PageVisit) async throws -> Response {
        let questionnaires = questionnaires
        let instruments = try await warehouse.read { try $0.instruments(of: questionnaires) }
        let rows = instruments.map { instrument -> [Markup] in
            [
                PageTable.cell(instrument.title), PageTable.cell(String(instrument.columns.count)),
                "<a href=\"\(base)/export/\(instrument.name).csv\">\(instrument.name).csv</a>",
            ]
        }
        let written: Markup = access.audit == nil ? .empty : " What you download is written down."
        return frame(visit).page(
            "Export",
            """
            <section aria-labelledby="tables"><h2 id="tables">Tables</h2><p class="quiet">A row for each \
            response, under pseudonyms: whoever has these files has each person's answers.\(written) \
            <a href="\(base)/export/codebook.csv">codebook.csv</a> and \
            <a href="\(base)/export/labels.csv">labels.csv</a> say what the columns mean.</p>
            \(PageTable(heads: ["Questionnaire", "Columns", "File"], rows: rows).markup)</section>
            """
        )
    }

    /// A table, or the codebook.
    func export(_ visit: PageVisit, _ file: String) async throws -> Response {
        guard downloads.enter() else {
            return frame(visit).problem(
                "Too many downloads",
                "Others download tables. Try again.",
                status: 503
            )
            .adding("Retry-After", "5")
        }
        defer { downloads.leave() }
        let table: Data?
        do {
            table = try await warehouse.read { [questionnaires] in
                try Self.table(file, of: $0.instruments(of: questionnaires), in: $0)
            }
        } catch is TableTooLarge {
            return frame(visit).problem(
                "Too large for a browser",
                "The table has more than \(Self.maximumTable >> 20) MiB; indivo study export writes it.",
                status: 413
            )
        }
        guard let table else { return frame(visit).notFound }
        try record(visit, "export", ["file": file, "bytes": String(table.count)])
        access.logger.info("a download", metadata: ["name": "\(visit.session.name)", "file": "\(file)"])
        return Response(type: "text/csv; charset=utf-8", body: table)
            .adding("Content-Disposition", "attachment; filename=\"\(file)\"")
            .adding("Cache-Control", "no-store")
    }

    private static func table(
        _ file: String,
        of instruments: [Instrument],
        in warehouse: WarehouseTransaction
    ) throws -> Data? {
        switch file {
        case "codebook.csv":
            return CSV.data(
                header: InstrumentCodebook.columns.map(\.name),
                rows: InstrumentCodebook.rows(of: instruments)
            )
        case "labels.csv":
            return CSV.data(
                header: InstrumentCodebook.labelColumns,
                rows: InstrumentCodebook.labels(of: instruments)
            )
        default: break
        }
        guard let instrument = instruments.first(where: { "\($0.name).csv" == file }) else { return nil }
        var data = CSV.data(header: InstrumentCodebook.header(of: instrument), rows: [])
        try warehouse.eachRow(of: [instrument]) { _, row in
            data += CSV.data(header: InstrumentCodebook.cells(of: row, instrument), rows: [])
            guard data.count <= maximumTable else { throw TableTooLarge() }
        }
        return data
    }

    private struct TableTooLarge: Error {}

    // MARK: For administrators

    /// Who may log in.
    func people(_ visit: PageVisit) throws -> Response {
        let users = try access.users.users().filter { seesAll(visit) || $0.value.role(in: self.name) != nil }
        let rows = users.sorted { $0.key < $1.key }.map { name, user -> [Markup] in
            [
                PageTable.cell(name),
                PageTable.cell(user.roleText(in: self.name)),
                PageTable.cell(user.totp == nil ? "password" : "password and code"),
            ]
        }
        return frame(visit).page(
            "People",
            """
            <section aria-labelledby="people"><h2 id="people">Who may log in</h2><p class="quiet">\
            <code>indivo study user</code> changes it.</p>
            \(PageTable(heads: ["Name", "Role", "Login"], rows: rows).markup)</section>
            """
        )
    }

    /// Whether somebody administers all studies: who administers one sees what was done in that one, and
    /// who has a role there.
    private func seesAll(_ visit: PageVisit) -> Bool { name == nil || visit.user.role == .administer }

    /// What was done, the last first.
    func auditPage(_ visit: PageVisit) throws -> Response {
        guard let audit = access.audit else { return frame(visit).notFound }
        var last: [AuditLog.Entry] = []
        let words: Markup
        do {
            let state = try audit.verify {
                guard seesAll(visit) || $0.details["study"] == name?.description else { return }
                last.append($0)
                if last.count > 400 { last.removeFirst(200) }
            }
            words =
                seesAll(visit)
                ? "The chain of \(state.count) entries holds; its head is <code>\(state.head)</code>."
                : "The chain of entries holds; those of this study:"
        } catch let problem as AuditLog.Problem {
            words = "<strong>The log does not hold:</strong> \(problem.description)."
        }
        let rows = last.suffix(200).reversed().map { entry -> [Markup] in
            let details = entry.details.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return [
                PageTable.cell(entry.time), PageTable.cell(entry.who), PageTable.cell(entry.action),
                PageTable.cell(details.joined(separator: ", ")),
            ]
        }
        return frame(visit).page(
            "Audit",
            """
            <section aria-labelledby="audit"><h2 id="audit">What was done</h2><p class="quiet">\(words)</p>
            \(PageTable(heads: ["Time", "Who", "What", "Details"], rows: Array(rows)).markup)</section>
            """
        )
    }
}
