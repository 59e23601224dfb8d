import Testing

@testable import IndivoModel

@Suite("Stored properties")
struct StoredPropertyTests {
    @Test("Mirror finds the properties where the runtime's entry points find them")
    func mirrored() {
        let instances: [Any] = [
            Medication(), Problem(), Demographics(), ProcedureDocument(), IndivoDocument(), CodedValue(),
            CareProvider(), SimpleClinicalNoteDocument.Signature(),
        ]
        for instance in instances {
            let known = StoredProperty.all(of: instance)
            let mirrored = StoredProperty.mirrored(instance)
            #expect(!known.isEmpty)
            #expect(known.map(\.name) == mirrored.map(\.name), "\(type(of: instance))")
            #expect(known.map(\.offset) == mirrored.map(\.offset), "\(type(of: instance))")
            #expect(known.map { ObjectIdentifier($0.type) } == mirrored.map { ObjectIdentifier($0.type) })
        }
    }
}
