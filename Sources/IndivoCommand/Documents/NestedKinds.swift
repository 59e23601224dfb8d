import IndivoModel
import IndivoXML

/// The kinds of nested XML that there are classes for: typed documents, and servers' responses.
enum NestedKinds {
    /// Reads an element and notes what of it cannot be read.
    typealias Reader = @Sendable (XMLNode, inout [DocumentError]) throws -> Reading

    /// What reading gave.
    struct Reading {
        var className: String
        /// Which properties have a value, where that is known.
        var properties: [String]?
    }

    /// By the name of the root element, documents in Indivo's namespace.
    static let documents: [String: Reader] = [
        "Demographics": document(Demographics.self),
        "Equipment": document(EquipmentDocument.self),
        "Procedure": document(ProcedureDocument.self),
        "SimpleClinicalNote": document(SimpleClinicalNoteDocument.self),
        "Annotation": document(Annotation.self),
    ]

    /// By the name of the root element, responses in no namespace.
    static let answers: [String: Reader] = [
        "Record": answer(RecordInformation.self),
        "Records": answer(RecordList.self),
        "Document": answer(DocumentMetadata.self),
        "Documents": answer(DocumentList.self),
        "DocumentStatusHistory": answer(DocumentStatusHistory.self),
        "Reports": document(Reports.self),
        "AggregateReports": answer(AggregateReports.self),
        "Message": answer(Message.self),
        "Messages": answer(Messages.self),
        "Notifications": answer(Notifications.self),
        "Carenets": answer(Carenets.self),
        "CarenetAccounts": answer(CarenetAccounts.self),
        "Account": answer(Account.self),
    ]

    private static func document<Document: IndivoDocument>(_ type: Document.Type) -> Reader {
        { node, problems in
            let document = try Document.read(from: node, problems: &problems)
            return Reading(className: "\(Document.self)", properties: try document.presentProperties())
        }
    }

    private static func answer<Value: CompoundValue>(_ type: Value.Type) -> Reader {
        { node, problems in
            _ = try Value.read(from: node, problems: &problems)
            return Reading(className: "\(Value.self)")
        }
    }
}
