import IndivoModel

extension IndivoDocument: RecordDocument {
    /// Where the document is: its record, its id, its metadata.
    public var documentPlace: DocumentPlace {
        get { DocumentPlace(documentStage, id: id, metadata: metadata) }
        set { (documentStage, id, metadata) = (newValue.stage, newValue.id, newValue.metadata) }
    }

    /// Whether the document is new, or differs from what was last read from or written to a server.
    public var state: DocumentState {
        guard id != nil else { return .new }
        return isChanged ? .changed : .pushed
    }
}
