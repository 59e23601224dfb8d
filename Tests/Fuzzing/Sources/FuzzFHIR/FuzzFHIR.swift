import FHIR
import FHIRXML
import OrderedJSON

/// Whatever the bytes: an error, or a resource that views can be asked about, and that XML carries without
/// loss or refuses with an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let resource = try? AnyResource(parsing: bytes) else { return 0 }
    guard let again = try? AnyResource(parsing: resource.json(.pretty)), again == resource else {
        fatalError("the JSON is another")
    }
    read(resource)
    do {
        for pretty in [false, true] {
            let xml = try resource.xml(pretty ? .pretty : .compact)
            let again: AnyResource
            do {
                again = try AnyResource(parsingXML: xml)
            } catch {
                fatalError("the XML that was written cannot be read: \(error)")
            }
            guard canonical(again.tree) == canonical(resource.tree) else {
                fatalError("the XML is another resource")
            }
        }
    } catch {
        // What XML cannot carry.
    }
    return 0
}

/// Without what XML has no word for: `null` that only pads, and white space around narrative.
private func canonical(_ value: JSONValue) -> JSONValue {
    if let members = value.members {
        var result: [JSONMember] = []
        for member in members {
            var value = canonical(member.value)
            if member.name == "div", let text = value.string {
                let bytes = Array(text.utf8)
                let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
                }
                if let first = bytes.firstIndex(where: { !isSpace($0) }),
                    let last = bytes.lastIndex(where: { !isSpace($0) })
                {
                    value = JSONValue(String(decoding: bytes[first...last], as: UTF8.self))
                }
            }
            if value.elements?.isEmpty != true { result.append(JSONMember(name: member.name, value: value)) }
        }
        return JSONValue(members: result)
    }
    guard let elements = value.elements else { return value }
    var result = elements.map(canonical)
    while result.last?.isNull == true { result.removeLast() }
    return JSONValue(result)
}

/// Accessors of some types, whatever the JSON is.
private func read(_ resource: AnyResource) {
    _ = (resource.id, resource.meta?.lastUpdated, resource.text?.div, resource.language)
    for contained in resource.contained.prefix(4) { read(contained) }
    if let patient = resource.as(Patient.self) {
        _ = (
            patient.name.map(\.given), patient.birthDate, patient.deceased,
            patient.extensions(of: "birthDate")
        )
    }
    if let observation = resource.as(Observation.self) {
        _ = (observation.status, observation.value, observation.effective, observation.component.map(\.value))
    }
    if let bundle = resource.as(Bundle.self) {
        for entry in bundle.entry.prefix(4) { entry.resource.map(read) }
    }
    var changed = resource
    changed.id = "changed"
    guard changed.id == "changed", (try? AnyResource(parsing: changed.json()))?.id == "changed" else {
        fatalError("not set")
    }
}
