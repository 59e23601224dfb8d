import FHIR
import FHIRXML
import OrderedJSON

/// Whatever the bytes: an error inside the text, or a resource that is the same after its JSON and after its
/// XML.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let resource: AnyResource
    do {
        resource = try AnyResource(parsingXML: bytes)
    } catch {
        if case .wrongType = error.reason { fatalError("what was read is no resource: \(error)") }
        let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        guard error.line.map({ (1...lines).contains($0) }) ?? true else {
            fatalError("an error outside the text")
        }
        return 0
    }
    guard let json = try? AnyResource(parsing: resource.json()), json == resource else {
        fatalError("the JSON is another")
    }
    let xml: [UInt8]
    do {
        xml = [UInt8](try resource.xml())
    } catch {
        fatalError("what was read cannot be written: \(error)")
    }
    guard let again = try? AnyResource(parsingXML: xml) else { fatalError("what was written cannot be read") }
    guard again == resource else { fatalError("it is not the same") }
    return 0
}
