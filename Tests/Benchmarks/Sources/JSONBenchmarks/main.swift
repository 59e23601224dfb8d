import FHIR
import FHIRValidation
import FHIRXML
import Foundation
import Measuring
import OrderedJSON

// FHIR on a patient bundle: OrderedJSON and views beside JSONSerialization and JSONDecoder, FHIRPath, XML.
//
// usage: JSONBenchmarks [memory | bundle | path | only WORD] [FILE…]      without a file a bundle of 4.6 MB
// that is generated; `bundle` writes it; `only` prints the rows with the word
var files = CommandLine.arguments.dropFirst()
var only: String?
if files.first == "only" {
    only = files.dropFirst().first
    files = files.dropFirst(2)
}
if files.first == "memory" {
    try reportMemory(files.dropFirst().first)
    exit(0)
}
if files.first == "bundle" {
    FileHandle.standardOutput.write(try bundle(4_600_000, [.prettyPrinted, .withoutEscapingSlashes]))
    exit(0)
}
if files.first == "path" {
    let data = try files.dropFirst().first.map { try Data(contentsOf: URL(filePath: $0)) }
    try reportPath(JSONValue(parsing: data ?? bundle(4_600_000, [.withoutEscapingSlashes])))
    exit(0)
}
let texts: [(name: String, data: Data)] =
    try files.isEmpty
    ? [
        ("generated, indented", try bundle(4_600_000, [.prettyPrinted, .withoutEscapingSlashes])),
        ("generated, compact", try bundle(4_600_000, [.withoutEscapingSlashes])),
    ]
    : files.map { ($0, try Data(contentsOf: URL(filePath: $0))) }

func bundle(_ size: Int, _ options: JSONSerialization.WritingOptions) throws -> Data {
    // An indented text has about twice the bytes.
    let compact = options.contains(.prettyPrinted) ? size * 11 / 20 : size
    return try JSONSerialization.data(withJSONObject: PatientBundle.make(size: compact), options: options)
}

@MainActor
func row(_ name: String, target: Double, _ comparison: Comparison) {
    guard only.map(name.contains) ?? true else { return }
    let result = comparison.measure()
    print(
        String(
            format: "%6.3f (target %.2f)  %8.2f ms to %8.2f ms  ",
            result.ratio,
            target,
            result.ours / 1000,
            result.theirs / 1000
        ) + name
    )
}

for text in texts {
    print("\(text.name), \(text.data.count) bytes")
    let bytes = [UInt8](text.data)
    let object = try JSONSerialization.jsonObject(with: text.data)
    let value = try JSONValue(parsing: bytes)
    let expected = try value.isSame(as: JSONSerialization.jsonObject(with: Data(value.utf8())))
    precondition(expected, "OrderedJSON and JSONSerialization do not agree")
    row(
        "parse, to JSONSerialization",
        target: 0.15,
        Comparison(rounds: 10) {
            (try? JSONValue(parsing: bytes))?.members?.count ?? .min
        } theirs: {
            ((try? JSONSerialization.jsonObject(with: text.data)) as? [String: Any])?.count ?? .min
        }
    )
    row(
        "write, to JSONSerialization",
        target: 0.05,
        Comparison(rounds: 4) {
            value.utf8().count
        } theirs: {
            (try? JSONSerialization.data(withJSONObject: object))?.count ?? .min
        }
    )
    row(
        "write indented, to JSONSerialization",
        target: 0.05,
        Comparison(rounds: 4) {
            value.utf8(.pretty).count
        } theirs: {
            (try? JSONSerialization.data(withJSONObject: object, options: .prettyPrinted))?.count ?? .min
        }
    )
    row(
        "parse and read 12 elements of each observation by views of FHIR, to JSONDecoder",
        target: 0.75,
        Comparison(rounds: 10) {
            (try? FHIRBundle(parsing: bytes)).map(Observations.read) ?? .min
        } theirs: {
            (try? JSONDecoder().decode(BundleStruct.self, from: text.data)).map(Observations.read) ?? .min
        }
    )
    if let resource = AnyResource(tree: value) {
        row(
            "validate, to parsing",
            target: 5,
            Comparison(rounds: 10) {
                resource.issues().count + 1
            } theirs: {
                (try? JSONValue(parsing: bytes))?.members?.count ?? .min
            }
        )
        var plain = ValidationOptions()
        plain.appliesProfiles = false
        row(
            "validate without profiles, to parsing",
            target: 8,
            Comparison(rounds: 10) {
                resource.issues(plain).count + 1
            } theirs: {
                (try? JSONValue(parsing: bytes))?.members?.count ?? .min
            }
        )
        if let guide = try USCore.options {
            row(
                "validate under US Core, to parsing",
                target: 8,
                Comparison(rounds: 10) {
                    resource.issues(guide).count + 1
                } theirs: {
                    (try? JSONValue(parsing: bytes))?.members?.count ?? .min
                }
            )
        }
        row(
            "validate, to JSONSerialization",
            target: 0.75,
            Comparison(rounds: 10) {
                resource.issues().count + 1
            } theirs: {
                ((try? JSONSerialization.jsonObject(with: text.data)) as? [String: Any])?.count ?? .min
            }
        )
    }
    row(
        "parse and read 12 elements of each observation, to JSONDecoder",
        target: 0.75,
        Comparison(rounds: 10) {
            (try? JSONValue(parsing: bytes)).map(Observations.read) ?? .min
        } theirs: {
            (try? JSONDecoder().decode(BundleStruct.self, from: text.data)).map(Observations.read) ?? .min
        }
    )
    try reportPath(value)
    let xml = [UInt8]((try? AnyResource(tree: value)?.xml()) ?? Data())
    row(
        "read FHIR's XML, to JSONSerialization with the JSON",
        target: 1,
        Comparison(rounds: 4) {
            (try? AnyResource(parsingXML: xml))?.tree.members?.count ?? .min
        } theirs: {
            ((try? JSONSerialization.jsonObject(with: text.data)) as? [String: Any])?.count ?? .min
        }
    )
    row(
        "write FHIR's XML, to JSONSerialization with the JSON",
        target: 1,
        Comparison(rounds: 4) {
            (try? AnyResource(tree: value)?.xml())?.count ?? .min
        } theirs: {
            (try? JSONSerialization.data(withJSONObject: object))?.count ?? .min
        }
    )
}

// In a process of its own: what this one has freed would be taken again.
let memory = Process()
memory.executableURL = URL(filePath: CommandLine.arguments[0])
memory.arguments = ["memory"] + files
try memory.run()
memory.waitUntilExit()
