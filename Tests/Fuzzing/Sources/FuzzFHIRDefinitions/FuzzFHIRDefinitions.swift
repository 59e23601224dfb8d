import FHIR
import FHIRValidation
import Foundation
import OrderedJSON

/// Whatever the definition: a profile of it can be applied and its snapshot be made, or there is an error; what was
/// compiled can be read. As a package, the same bytes are refused or read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    package(Data(bytes))
    guard let resource = try? AnyResource(parsing: bytes), let url = resource.tree["url"]?.string else {
        return 0
    }
    let definitions = FHIRDefinitions()
    definitions.add(resource)
    var options = ValidationOptions()
    options.definitions = definitions
    options.profiles = [url]
    options.maximumSteps = 200_000
    for text in examples {
        guard let json = try? JSONValue(parsing: text) else { fatalError("an example cannot be parsed") }
        _ = ValidationIssue.all(of: json, options)
    }
    _ = resource.issues(options)
    _ = try? definitions.snapshot(of: resource)
    let text = definitions.compiled(["StructureDefinition", "ValueSet", "CodeSystem"])
    guard (try? FHIRDefinitions().add(compiled: text)) != nil else {
        fatalError("what was compiled cannot be read")
    }
    return 0
}

private let examples = [
    #"{"resourceType":"Patient","name":[{"given":["a"]}],"extension":[{"url":"http://e.org","valueString":"x"}]}"#,
    #"{"resourceType":"Observation","status":"final","code":{"coding":[{"code":"a"}]},"valueQuantity":{"value":1}}"#,
]

private func package(_ data: Data) {
    guard data.prefix(2) == Data([0x1F, 0x8B]) else { return }
    let file = FileManager.default.temporaryDirectory.appending(
        path: "fuzz-\(ProcessInfo.processInfo.processIdentifier).tgz"
    )
    defer { try? FileManager.default.removeItem(at: file) }
    guard (try? data.write(to: file)) != nil else { return }
    var limits = FHIRDefinitionsLimits()
    limits.packageSize = 1 << 20
    _ = try? FHIRDefinitions().add(contentsOf: file, limits: limits)
}
