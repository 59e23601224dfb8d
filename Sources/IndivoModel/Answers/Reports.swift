/// The answer of the minimal reports and of audits (element `Reports`).
public final class Reports: IndivoDocument {
    override public class var format: DocumentFormat { .nested(root: "Reports", namespace: nil) }

    /// What the server did for a query.
    public struct Summary: CompoundValue {
        /// How many results there are, after grouping and before paging.
        @Field("total_document_count", in: .attribute) public var total: Int?
        @Field(in: .attribute) public var limit: Int?
        @Field(in: .attribute) public var offset: Int?
        /// The server writes `None` where nothing orders the results.
        @Field("order_by", in: .attribute) public var orderBy: String?

        public init() {}
    }

    @Field("Summary") public var summary: Summary?
    @Field("Report") public var reports: [Report]
}

/// One result of a report, with the metadata of the document it came from.
public final class Report: IndivoDocument {
    /// The document the result came from; a shell without an id for audits and aggregates.
    public struct Meta: CompoundValue {
        @Field("Document") public var document: DocumentMetadata?

        public init() {}
    }

    @Field("Meta") public var meta: Meta?
    @Field("Item") public var item: ReportItem?
}

/// What a report found: one of these.
public final class ReportItem: IndivoDocument {
    @Field("Equipment") public var equipment: EquipmentDocument?
    @Field("Procedure") public var procedure: ProcedureDocument?
    @Field("SimpleClinicalNote") public var simpleClinicalNote: SimpleClinicalNoteDocument?
    @Field("Measurement") public var measurement: MeasurementItem?
    @Field("AggregateReport") public var aggregate: AggregateReport?
    @Field("AuditEntry") public var auditEntry: AuditEntry?
}

/// A measurement as a minimal report gives it.
public struct MeasurementItem: CompoundValue {
    /// The id of the fact, not of a document.
    @Field("id", in: .attribute) public var factID: String?
    @Field(in: .attribute) public var value: Double?
    @Field(in: .attribute) public var type: String?
    @Field("datetime", in: .attribute) public var date: XMLDateTime?
    @Field(in: .attribute) public var unit: String?
    /// The id of the document it came from.
    @Field("source_doc", in: .attribute) public var sourceDocumentID: String?

    public init() {}
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
    @Field("AggregateReport") public var reports: [AggregateReport]

    public init() {}
}
