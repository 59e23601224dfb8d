extension IndivoRecord {
    // MARK: Models

    /// The documents of a model (`generic_list`), the newest first: page by page as they are read, or
    /// ``PagedList/all()`` at once.
    ///
    /// ```swift
    /// for try await medication in record.reports(of: Medication.self) { … }
    ///
    /// let query = ReportQuery(status: .archived)
    /// let archived = try await record.reports(of: Medication.self, matching: query).all()
    /// ```
    /// What a report leaves out (fields the model does not have, a vital signs' encounter) is kept when a
    /// document is replaced. A value that cannot be read, such as a date before 1900, which servers write as
    /// `BAD DATE`, is missing in its document, and the document's `readingProblems` has it; all others are
    /// there. Reading the list throws ``IndivoError``.
    ///
    /// The library asks for XML, in which servers write numbers with 12 digits: 0.30000000000000004 comes as
    /// 0.3. Where all digits matter, ask for JSON, `matching: ReportQuery().format(.json)`, or fetch the
    /// document itself.
    /// - Parameter type: The class; its model must be known to the server.
    public func reports<Document: IndivoDocument>(
        of type: Document.Type,
        matching query: ReportQuery = ReportQuery()
    ) -> PagedList<Document> {
        modelReports(.model(type), query) { try await CallResponse.models($0, as: type) }
    }

    /// The documents of a model by its name (`generic_list`), of the class registered for it, or each a
    /// `GenericDocument`.
    public func reports(ofModel name: String, matching query: ReportQuery = ReportQuery()) -> PagedList<
        IndivoDocument
    > {
        modelReports(.model(named: name), query) { try await CallResponse.models($0) }
    }

    // MARK: Minimal reports

    /// The patient's devices (`equipment_list`), with a total. What a report leaves out is kept when a device
    /// is replaced.
    public func equipment(matching query: ReportQuery = ReportQuery()) -> PagedList<EquipmentDocument> {
        minimalReports(.equipment, query) { $0.equipment }
    }

    /// Measurements of a type, which is given as it was stored, such as `WEIGHT` (`measurement_list`), with a
    /// total.
    public func measurements(_ code: String, matching query: ReportQuery = ReportQuery()) -> PagedList<
        MeasuredValue.Reported
    > {
        reportList(.measurements(code), query) { $0.item?.checkedMeasurement }
    }

    /// What was done to the patient (`procedure_list`), with a total.
    public func procedures(matching query: ReportQuery = ReportQuery()) -> PagedList<ProcedureDocument> {
        minimalReports(.procedures, query) { $0.procedure }
    }

    /// Notes on visits (`simple_clinical_notes_list`), with a total.
    public func simpleClinicalNotes(matching query: ReportQuery = ReportQuery()) -> PagedList<
        SimpleClinicalNoteDocument
    > {
        minimalReports(.simpleClinicalNotes, query) { $0.simpleClinicalNote }
    }

    // MARK: Aggregates

    /// A number over many facts, for each group of them (`generic_list`, the minimal reports, `audit_query`).
    /// - Parameter query: Which facts to take. Its format does not count; its limit counts groups.
    /// - Throws: ``IndivoError``.
    public func aggregate(
        _ aggregate: AggregateQuery,
        over source: ReportQuery.Source,
        matching query: ReportQuery = ReportQuery()
    ) async throws -> [AggregateQuery.Result] { try await aggregates(aggregate, over: source, query) }

    // MARK: Audits

    /// The server's log of requests on the record (`audit_query`), the newest first, with a total. This
    /// request is logged too.
    /// - Parameter query: By the fields of ``ReportQuery/Source/audit``. Its status does not count.
    public func audit(matching query: ReportQuery = ReportQuery()) -> PagedList<AuditEntry> {
        reportList(.audit, query) { $0.item?.auditEntry }
    }

    // MARK: Whole-record reports

    /// The record as a Continuity of Care Record (`report_ccr`). Servers of version 2.0 fill in little but
    /// ids.
    /// - Throws: ``IndivoError``.
    public func ccr() async throws -> FileContent {
        let answer = try await send(.reportCCR)
        _ = try answer.xml(root: "ContinuityOfCareRecord")
        return answer.content
    }

    /// All facts of a kind as a SMART graph (`smart_generic`, `smart_allergies`).
    /// - Throws: ``IndivoError``.
    public func smart(_ kind: SMARTGraph.Kind) async throws -> SMARTGraph {
        try SMARTGraph(
            await send(kind == .allergies ? .smartAllergies : .smartGeneric, path: ["model": kind.rawValue])
        )
    }

    /// One fact as a SMART graph (`smart_generic_instance`, `smart_allergies_instance`).
    /// - Parameter fact: Its id, as ``SMARTGraph/factIDs(of:)`` gives it.
    /// - Throws: ``IndivoError``.
    public func smart(_ kind: SMARTGraph.Kind, fact: String) async throws -> SMARTGraph {
        let call: IndivoCall = kind == .allergies ? .smartAllergiesInstance : .smartGenericInstance
        return try SMARTGraph(await send(call, path: ["model": kind.rawValue, "fact": fact]))
    }
}
