import FHIR
import OrderedJSON

extension WarehouseTransaction {
    /// The questionnaires to which there are responses, and those that are given, as tables.
    ///
    /// Only responses that are completed or amended count, as for facts.
    ///
    /// - Parameters:
    ///   - questionnaires: They give order, labels, types and options. A questionnaire that is not among
    ///     them has the columns that its responses have, in the order in which they appear.
    ///   - disclosure: What is left out of the responses.
    /// - Throws: ``WarehouseError`` where a questionnaire's responses make more than 10,000 columns.
    public func instruments(
        of questionnaires: [Questionnaire],
        _ disclosure: Disclosure = Disclosure(),
        for audience: ExportAudience = .study
    ) throws -> [Instrument] {
        var surveys: [String: InstrumentSurvey] = [:]
        for questionnaire in questionnaires {
            guard let url = questionnaire.url?.rawValue, surveys[url] == nil else { continue }
            surveys[url] = InstrumentSurvey(url: url, questionnaire)
        }
        try eachResponse(disclosure, of: audience) { stored in
            var survey = surveys.removeValue(forKey: stored.url) ?? InstrumentSurvey(url: stored.url)
            try survey.add(ResponseAnswers(stored.response))
            surveys[stored.url] = survey
        }
        var names = UniqueNames(maximumLength: 40, reserved: ["codebook", "labels", "consents", "files"])
        return try surveys.sorted { $0.key < $1.key }.map { _, survey in
            try survey.instrument(name: names.unique(ExportNames.variable(survey.name, first: "form")))
        }
    }

    /// Gives the responses as rows, ordered by their participants.
    ///
    /// - Parameters:
    ///   - instruments: As ``instruments(of:_:for:)`` made them in this transaction.
    ///   - disclosure: The same as theirs.
    public func eachRow(
        of instruments: [Instrument],
        _ disclosure: Disclosure = Disclosure(),
        for audience: ExportAudience = .study,
        _ body: (_ instrument: Int, _ row: InstrumentRow) throws -> Void
    ) throws {
        let indexes = Dictionary(uniqueKeysWithValues: zip(instruments.map(\.url), instruments.indices))
        try eachResponse(disclosure, of: audience) { stored in
            guard let index = indexes[stored.url] else { return }
            try body(index, instruments[index].row(stored))
        }
    }

    /// A response as the warehouse has it.
    struct StoredResponse {
        let participant: String
        let visit: String
        let url: String
        let response: QuestionnaireResponse
    }

    private func eachResponse(
        _ disclosure: Disclosure,
        of audience: ExportAudience,
        _ body: (StoredResponse) throws -> Void
    ) throws {
        try db.eachRow(
            """
            SELECT p.pseudonym, r.visit, r.json
            FROM study_resource r
            JOIN study_participant p USING (patient_num)
            WHERE r.type = 'QuestionnaireResponse' AND \(audience.condition("r"))
            ORDER BY p.pseudonym, r.visit
            """,
            []
        ) { row in
            let participant = row.text(0) ?? ""
            let json = try JSONValue(parsing: StoredResource.json(row.values[2]) ?? "")
            let response = QuestionnaireResponse(
                view: disclosure.released(json, of: ParticipantID(participant))
            )
            guard response.status == .completed || response.status == .amended,
                let canonical = response.questionnaire?.rawValue
            else { return }
            try body(
                StoredResponse(
                    participant: participant,
                    visit: row.text(1) ?? "",
                    url: String(canonical.prefix { $0 != "|" }),
                    response: response
                )
            )
        }
    }
}

extension Instrument {
    func row(_ stored: WarehouseTransaction.StoredResponse) -> InstrumentRow {
        var cells = [String?](repeating: nil, count: columns.count)
        for answer in ResponseAnswers(stored.response).answers {
            guard let item = items[answer.linkID] else { continue }
            for (part, value) in item.parts(of: answer.value) {
                var key = InstrumentColumn.Key(
                    linkID: answer.linkID,
                    prefix: answer.prefix,
                    index: answer.index,
                    part: part
                )
                guard case .coding(let system, let code) = value else {
                    if let column = index[key] { cells[column] = value.text }
                    continue
                }
                let shown = item.shown(code: code, system: system)
                guard item.isMultiple else {
                    if let column = index[key] { cells[column] = shown }
                    continue
                }
                // Of several options, those that were not chosen are known, too.
                key.index = 1
                for option in item.shownOptions {
                    key.part = .option(option.code)
                    guard let column = index[key] else { continue }
                    if option.code == shown {
                        cells[column] = "true"
                    } else {
                        cells[column] = cells[column] ?? "false"
                    }
                }
            }
        }
        let canonical = stored.response.questionnaire?.rawValue ?? ""
        let identity = [stored.participant, stored.visit].joined(separator: "\n")
        return InstrumentRow(
            participant: stored.participant,
            response: String(ConceptNames.digest("study response\n" + identity).prefix(16)),
            authored: stored.response.authored?.description ?? "",
            status: stored.response.status?.code ?? "",
            version: String(canonical.drop { $0 != "|" }.dropFirst()),
            cells: cells
        )
    }
}
