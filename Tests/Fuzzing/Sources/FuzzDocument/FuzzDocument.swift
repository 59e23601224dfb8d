import Foundation
import Indivo

@testable import IndivoModel

/// Whatever the XML: an error, or a value of the answer or document that its root says it is, which is the
/// same once it was written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let root = try? XMLNode(parsing: bytes) else { return 0 }
    for type in answers where type.elementName == root.name { value(type, root) }
    switch root.name {
    case "Models": models(root)
    case "Reports": document(Reports.self, root)
    case "Equipment": document(EquipmentDocument.self, root)
    case "Demographics": document(Demographics.self, root)
    default: break
    }
    return 0
}

private let answers: [any ServerResponse.Type] = [
    Account.self, AggregateReports.self, AuditEntry.self, Carenets.self, CarenetAccounts.self,
    DocumentMetadata.self,
    DocumentList.self, DocumentStatusHistory.self, Message.self, Messages.self, Notifications.self,
    RecordInformation.self,
    RecordList.self,
]

private func value<Value: ServerResponse>(_ type: Value.Type, _ root: XMLNode) {
    var problems: [DocumentError] = []
    let leniently = try? type.read(from: root, root: type.elementName, problems: &problems)
    guard let value = try? type.read(from: root, root: type.elementName) else { return }
    guard leniently == value, problems.isEmpty else { fatalError("leniently it reads otherwise") }
    guard let new = try? value.xml() else { fatalError("what was read cannot be written") }
    guard (try? type.read(from: new, root: type.elementName)) == value else {
        fatalError("the value changed")
    }
    guard let kept = try? value.xml(updating: root) else {
        fatalError("what was read cannot be written back")
    }
    keeps(root, kept)
}

private func document<Document: IndivoDocument>(_ type: Document.Type, _ root: XMLNode) {
    guard let document = try? type.read(from: root) else { return }
    guard let copy = try? document.xml() else { return }
    guard let again = try? type.read(from: copy) else { fatalError("what was written cannot be read") }
    guard again == document else { fatalError("the document changed") }
}

private func models(_ root: XMLNode) {
    guard let file = try? SDMXDocument(root) else { return }
    guard let kept = try? file.xml() else { fatalError("what was read cannot be written back") }
    keeps(root, kept)
    guard let json = try? file.json(), let again = try? SDMXDocument(json: json) else { return }
    guard (try? again.json()) == json else { fatalError("its JSON says something else") }
}

/// What was read and not changed is written as it was.
private func keeps(_ source: XMLNode, _ written: XMLNode) {
    // Relative namespaces have no canonical form.
    guard let before = try? source.canonical(withComments: true) else { return }
    guard (try? written.canonical(withComments: true)) == before else {
        fatalError("what was not changed was written anew")
    }
}
