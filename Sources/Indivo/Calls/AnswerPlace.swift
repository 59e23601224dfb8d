import IndivoModel

/// Whether a response is about what was asked for. One about another record or document is refused, not shown as this one's.
extension Answer {
    /// - Throws: ``IndivoError`` for a value of another record, or document, than the call's path names.
    func check(placeOf value: some CompoundValue) throws(IndivoError) {
        switch value {
        case let metadata as DocumentMetadata:
            try check(metadata)
            if call == .recordDocumentMeta { try check(metadata.id, is: "document") }
        case let list as DocumentList:
            try check(list.recordID, is: "record")
            for metadata in list.documents { try check(metadata) }
        case let record as RecordInformation: try check(record.id, is: "record")
        default: break
        }
    }

    /// - Throws: ``IndivoError`` for a report of another record's document.
    func check(placeOf reports: Reports) throws(IndivoError) {
        for report in reports.reports {
            if let metadata = report.meta?.document { try check(metadata) }
        }
    }

    private func check(_ metadata: DocumentMetadata) throws(IndivoError) { try check(metadata.recordID, is: "record") }

    /// Servers leave out what goes without saying; what they do say must be so.
    private func check(_ told: String?, is name: String) throws(IndivoError) {
        guard let asked = place[name], let told, !told.isEmpty else { return }
        guard told.lowercased() == asked.lowercased() else { throw malformed("it is about another \(name)") }
    }
}
