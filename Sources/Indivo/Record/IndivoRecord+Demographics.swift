import IndivoModel

extension IndivoRecord {
    /// Who the patient is (`read_demographics`).
    ///
    /// Change the result and pass it to ``setDemographics(_:)``.
    /// - Throws: ``IndivoError``, not found where the record has no demographics yet.
    public func demographics() async throws -> Demographics {
        let demographics = try await send(
            .readDemographics, query: ["response_format": ReportQuery.Format.xml.rawValue]
        ).demographics()
        demographics.documentStage = .inRecord(self)
        return demographics
    }

    /// Who the patient is, as a SMART graph (`read_demographics`).
    /// - Throws: ``IndivoError``.
    public func demographicsGraph() async throws -> SMARTGraph {
        try SMARTGraph(await send(.readDemographics, query: ["response_format": "application/rdf+xml"]))
    }

    /// Sets who the patient is (`set_demographics`). The record's label stays.
    ///
    /// A telephone that does not say whether it is preferred is not: a server would take it for preferred.
    /// - Throws: ``IndivoError``; `DocumentError` when the document cannot be written.
    public func setDemographics(_ demographics: Demographics) async throws {
        if demographics.telephones.count > 2 {
            throw IndivoError.argument(
                "demographics have at most two telephones, these have \(demographics.telephones.count)",
                .setDemographics)
        }
        for index in demographics.telephones.indices where demographics.telephones[index].isPreferred == nil {
            demographics.telephones[index].isPreferred = false
        }
        let upload = try DocumentUpload(new: demographics, .setDemographics)
        let metadata = try await send(.setDemographics, body: upload.content.body(for: .setDemographics)).metadata()
        upload.confirm(metadata, in: self)
        try metadata.verify(upload.content, sentWith: .setDemographics)
    }
}

extension CallResponse {
    /// Demographics in SDMX or SDMJ, whichever the server gave.
    func demographics() throws -> Demographics {
        let models = try modelElements()
        guard models.count == 1, let model = models.first, model.attr("name") == "Demographics" else {
            throw malformed("it should hold one model, Demographics")
        }
        return try reading { try Demographics(flat: model) }
    }
}
