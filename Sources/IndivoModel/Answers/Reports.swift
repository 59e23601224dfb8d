/// The response of the minimal reports and of audits (element `Reports`).
public final class Reports: IndivoDocument {
    override public class var format: DocumentFormat { .nested(root: "Reports", namespace: nil) }

    /// What the server did for a query.
    public struct Summary: CompoundValue {
        /// How many results there are, after grouping and before paging.
        @Field("total_document_count", in: .attribute) public var total: Int?
        /// How many results a page has at most.
        @Field(in: .attribute) public var limit: Int?
        /// How many results stand before the page.
        @Field(in: .attribute) public var offset: Int?
        /// The server writes `None` where nothing orders the results.
        @Field("order_by", in: .attribute) public var orderBy: String?

        public init() {}
    }

    /// What the server did for the query.
    @Field("Summary") public var summary: Summary?
    /// The results, in the server's order.
    @Field("Report") public var reports: [Report]
}

/// One result of a report, with the metadata of the document it came from.
public final class Report: IndivoDocument {
    /// The document the result came from; a shell without an id for audits and aggregates.
    public struct Meta: CompoundValue {
        /// The document's metadata.
        @Field("Document") public var document: DocumentMetadata?

        public init() {}
    }

    /// The document the result came from.
    @Field("Meta") public var meta: Meta?
    /// What was found.
    @Field("Item") public var item: ReportItem?
}

/// What a report found: one of these.
public final class ReportItem: IndivoDocument {
    /// A device.
    @Field("Equipment") public var equipment: EquipmentDocument?
    /// Something that was done to the patient.
    @Field("Procedure") public var procedure: ProcedureDocument?
    /// A note on a visit.
    @Field("SimpleClinicalNote") public var simpleClinicalNote: SimpleClinicalNoteDocument?
    /// A measurement.
    @Field("Measurement") public var measurement: Report.Measurement?
    /// A number over many documents.
    @Field("AggregateReport") public var aggregate: AggregateReport?
    /// A request that the server remembers.
    @Field("AuditEntry") public var auditEntry: AuditEntry?
}

extension Report {
    /// A measurement as a minimal report gives it.
    public struct Measurement: CompoundValue {
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

        public init() {}
    }
}

/// A number over many documents (element `AggregateReport`).
public struct AggregateReport: CompoundValue {
    /// The number or date as the server wrote it; dates come in human form from minimal reports.
    @Field(in: .attribute) public var value: String?
    /// The group it is of; `nil` for all.
    @Field(in: .attribute) public var group: String?

    public init() {}
}

/// The aggregates of a generic report (element `AggregateReports`).
public struct AggregateReports: CompoundValue {
    /// A number for each group, in the server's order.
    @Field("AggregateReport") public var reports: [AggregateReport]

    public init() {}
}
