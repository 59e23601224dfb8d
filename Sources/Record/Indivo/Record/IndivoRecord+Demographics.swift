extension IndivoRecord {
    /// Who the patient is (`read_demographics`).
    ///
    /// Change the result and pass it to ``setDemographics(_:validation:)``.
    ///
    /// A server cannot report a birth date before 1900. Where a value cannot be read, the library fetches the
    /// document that was set, which has it (`record_specific_document`). Where that is not allowed, the value
    /// is missing, and the result's `readingProblems` has it.
    /// - Throws: ``IndivoError``, not found where the record has no demographics yet.
    public func demographics() async throws -> Demographics {
        let demographics = try await demographics(.readDemographics)
        guard let id = demographics.id, !demographics.readingProblems.isEmpty else { return demographics }
        do {
            return try await document(id, as: Demographics.self)
        } catch let error as IndivoError {
            switch error.reason {
            case .refused, .notFound: return demographics
            default: throw error
            }
        }
    }

    /// Who the patient is, as a SMART graph (`read_demographics`).
    /// - Throws: ``IndivoError``.
    public func demographicsGraph() async throws -> SMARTGraph {
        try SMARTGraph(await send(.readDemographics, query: ["response_format": "application/rdf+xml"]))
    }

    /// Sets who the patient is (`set_demographics`). The record's label stays.
    ///
    /// A telephone without `isPreferred` is sent as not preferred: a server would store it as preferred.
    ///
    /// They are checked first. A new birth date before 1900 is a problem, since a server stores it and cannot
    /// report it: its reports say `BAD DATE`, and other clients may fail on that. To send it all the same,
    /// give `validation: .none`; ``demographics()`` reads it back.
    /// - Throws: ``IndivoError``, with ``IndivoError/Reason/invalidDocument(problems:)`` for what a server
    ///   would refuse or lose.
    public func setDemographics(_ demographics: Demographics, validation: DocumentValidation = .model)
        async throws
    {
        let count = demographics.telephones.count
        try IndivoCall.setDemographics.require(
            count <= 2,
            "demographics have at most two telephones, these have \(count)"
        )
        for index in demographics.telephones.indices where demographics.telephones[index].isPreferred == nil {
            demographics.telephones[index].isPreferred = false
        }
        // Demographics from the server are sent whole. It accepted their values before, so only new problems
        // count.
        let isStored = demographics.storedRoot != nil
        try demographics.check(validation, isNewVersion: isStored, for: .setDemographics)
        let upload = try DocumentUpload(new: demographics, .setDemographics)
        let body = try upload.content.body(for: .setDemographics, isWritten: upload.isWritten)
        let metadata = try await send(.setDemographics, body: body).metadata()
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
        let demographics = try response.reading { try Demographics.read(flat: models[0]) }
        demographics.documentStage = stage
        return demographics
    }
}
