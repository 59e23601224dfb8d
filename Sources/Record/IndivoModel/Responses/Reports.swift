/// The response of the minimal reports and of audits (element `Reports`).
package final class Reports: IndivoDocument {
    override package class var format: Format { .nested(root: "Reports", namespace: nil) }

    /// What the server did for a query.
    package struct Summary: CompoundValue {
        /// How many results there are, after grouping and before paging.
        @Field("total_document_count", in: .attribute) package var total: Int?
        @Field(in: .attribute) package var limit: Int?
        @Field(in: .attribute) package var offset: Int?
        /// The server writes `None` where nothing orders the results.
        @Field("order_by", in: .attribute) package var orderBy: String?

        package init() {}
    }

    @Field("Summary") package var summary: Summary?
    @Field("Report") package var reports: [Report]

    /// Reads a response. Values of facts that cannot be read are left out, and the facts' readingProblems
    /// have them.
    /// - Throws: ``DocumentError`` for anything else that is wrong.
    package static func read(response root: XMLNode) throws -> Reports {
        let problems = ReadingProblems { error in
            let isStructure = error.document == "Reports" || error.document == "Report"
            let isOther = error.document == "ReportItem" && !error.property.hasPrefix("measurement.")
            return ReadingProblems.isOfValue(error) && !isStructure && !isOther
        }
        return try read(from: root, collecting: problems)
    }
}

/// One result of a report, with the metadata of the document it came from.
package final class Report: IndivoDocument {
    /// The document the result came from; a shell without an id for audits and aggregates.
    package struct Meta: CompoundValue {
        @Field("Document") package var document: DocumentMetadata?

        package init() {}
    }

    @Field("Meta") package var meta: Meta?
    @Field("Item") package var item: ReportItem?
}

/// What a report found: one of these.
package final class ReportItem: IndivoDocument {
    @Field("Equipment") package var equipment: EquipmentDocument?
    @Field("Procedure") package var procedure: ProcedureDocument?
    @Field("SimpleClinicalNote") package var simpleClinicalNote: SimpleClinicalNoteDocument?
    @Field("Measurement") package var measurement: MeasuredValue.Reported?
    @Field("AggregateReport") package var aggregate: AggregateReport?
    @Field("AuditEntry") package var auditEntry: AuditEntry?

    /// The measurement, which knows what of it cannot be read.
    package var checkedMeasurement: MeasuredValue.Reported? {
        guard var measurement else { return nil }
        // All else is text.
        if measurement.value == nil || measurement.date == nil {
            measurement.readingProblems = readingProblems
        }
        return measurement
    }
}

extension MeasuredValue {
    /// A measurement as a minimal report gives it.
    public struct Reported: CompoundValue {
        /// The id of the fact, not of a document.
        @Field("id", in: .attribute) public var factID: String?
        /// The number, in ``unit``.
        @Field(in: .attribute) public var value: Double?
        /// What was measured, such as `HBA1C`.
        @Field(in: .attribute) public var type: String?
        /// When it was measured.
        @Field("datetime", in: .attribute) public var date: XMLDateTime?
        /// The unit of ``value``.
        @Field(in: .attribute) public var unit: String?
        /// The id of the document it came from.
        @Field("source_doc", in: .attribute) public var sourceDocumentID: String?

        /// The values that cannot be read, and are missing; see ``IndivoDocument/readingProblems``.
        public package(set) var readingProblems: [DocumentError] = []

        public init() {}
    }
}

/// A number over many documents (element `AggregateReport`).
package struct AggregateReport: CompoundValue {
    /// The number or date as the server wrote it; dates come in human form from minimal reports.
    @Field(in: .attribute) package var value: String?
    /// The group it is of; `nil` for all.
    @Field(in: .attribute) package var group: String?

    package init() {}
}

/// The aggregates of a generic report (element `AggregateReports`).
package struct AggregateReports: ServerResponse {
    /// A number for each group, in the server's order.
    @Field("AggregateReport") package var reports: [AggregateReport]

    package init() {}
}
