extension IndivoRecord {
    /// Who the patient is (`read_demographics`).
    ///
    /// Change the result and pass it to ``setDemographics(_:)``.
    /// - Throws: ``IndivoError``, not found where the record has no demographics yet.
    public func demographics() async throws -> Demographics { try await demographics(.readDemographics) }

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
        let count = demographics.telephones.count
        try IndivoCall.setDemographics.require(count <= 2, "demographics have at most two telephones, these have \(count)")
        for index in demographics.telephones.indices where demographics.telephones[index].isPreferred == nil {
            demographics.telephones[index].isPreferred = false
        }
        let upload = try DocumentUpload(new: demographics, .setDemographics)
        let metadata = try await send(.setDemographics, body: upload.content.body(for: .setDemographics)).metadata()
        upload.confirm(metadata, in: self)
        try metadata.verify(upload.content, sentWith: .setDemographics)
    }
}

extension CallScope {
    /// Demographics in SDMX or SDMJ, whichever the server gives.
    func demographics(_ call: IndivoCall) async throws -> Demographics {
        let response = try await send(call, query: ["response_format": ReportQuery.Format.xml.rawValue])
        let models = try response.modelElements()
        guard models.count == 1, models[0].attr("name") == "Demographics" else {
            throw response.malformed("it should hold one model, Demographics")
        }
        let demographics = try response.reading { try Demographics(flat: models[0]) }
        demographics.documentStage = stage
        return demographics
    }
}
