import Foundation
import OrderedJSON
import StudyDelivery
import Testing

@testable import StudyServer

/// What is read of a message, and how much of it at most.
@Suite struct MessageOpeningTests {
    private func resources(_ files: [(name: String, text: String)], _ limits: MessageOpening.Limits) throws
        -> [JSONValue]
    {
        let folder = try Folder()
        var archive = try StudyArchive(ArchiveInfo(study: "s", item: "diary"))
        for file in files { try archive.add(file.name, Data(file.text.utf8)) }
        try archive.write(to: folder.file("p.cms"), encryption: CMSEncryption(for: [StudyKeys.certificate()]))
        let body = try Data(contentsOf: folder.file("p.cms"))
        let opening = MessageOpening(keys: KeyRing([StudyKeys.id: StudyKeys.key]), limits: limits)
        return try opening.resources(of: StudyMessage(content: .package, received: "", body: body))
    }

    private static let patient = #"{"resourceType": "Patient", "id": "1"}"#
    private static let bundle =
        #"{"resourceType": "Bundle", "entry": [{"resource": \#(patient)}, {"resource": \#(patient)}]}"#
    private static let result =
        #"{"_class": "ORKTaskResult", "samples": "\#(String(repeating: "x", count: 80))"}"#

    private static let taken: [[(name: String, text: String)]] = [
        [("a.json", patient), ("b.json", patient)], [("a.json", bundle)],
        [("a.ndjson", "\(patient)\n \n\(patient)\n")],
        // Recordings are no resources, however large they are, nor is what has one in it.
        [("a.json", patient), ("b.json", patient), ("c.json", result), ("d.json", result)],
        [("a.json", bundle), ("b.json", #"{"result": {"resourceType": "Patient"}}"#)],
        // JSON may spell a name with escapes, and lines may be blank.
        [("a.json", patient), ("b.json", #"{"\u0072esourceType": "Patient"}"#)],
        [("a.ndjson", "\(patient)\r\n\r\n\(patient)\r\n")],
    ]

    @Test("resources of all files are found", arguments: taken.indices)
    func everyFile(index: Int) throws {
        let limits = MessageOpening.Limits(resources: 2, resourceBytes: 200, readBytes: 400)
        #expect(
            try resources(Self.taken[index], limits).map { $0["resourceType"]?.string } == [
                "Patient", "Patient",
            ]
        )
    }

    private static let refused: [(files: [(name: String, text: String)], reason: String)] = [
        ([("a.json", bundle), ("b.json", patient)], "more than 2 resources"),
        ([("a.ndjson", "\(patient)\n\(patient)\n\(patient)")], "more than 2 resources"),
        (
            [
                ("a.json", bundle),
                ("b.json", #"{"resourceType": "Bundle", "x": "\#(String(repeating: "x", count: 90))"}"#),
            ],
            "together"
        ),
        ((0..<4).map { ("\($0).json", result) } + [("a.json", bundle)], "together"),
        ([("a.json", #"{"resourceType": "Patient""#)], "no FHIR resource"),
        ([("a.json", #"{"id": "1", "resou"#)], "no FHIR resource"),
    ]

    @Test("a message of too much is refused before it fills the memory", arguments: refused.indices)
    func tooMuch(index: Int) throws {
        let limits = MessageOpening.Limits(resources: 2, resourceBytes: 200, readBytes: 400)
        let (files, reason) = Self.refused[index]
        let error = try #require(throws: ProcessingError.self) { try resources(files, limits) }
        #expect(error.description.contains(reason), "\(error)")
    }

    @Test("a small message that unpacks to very much is refused by its ratio")
    func ratio() throws {
        let limits = MessageOpening.Limits(ratio: 20, smallestBytes: 1000)
        let letters = [
            ("a.json", #"{"a": "\#(String(repeating: "A", count: 400_000))"}"#), ("b.json", Self.patient),
        ]
        let error = try #require(throws: ProcessingError.self) { try resources(letters, limits) }
        #expect(error.description.contains("too many for a message of"), "\(error)")
        // As measurements are: another value in each line.
        var generator = SystemRandomNumberGenerator()
        let lines = (0..<2000).map { #"{"resourceType": "Patient", "id": "\#($0)-\#(generator.next())"}"# }
        #expect(try resources([("a.ndjson", lines.joined(separator: "\n"))], limits).count == 2000)
    }

    @Test("the bounds of a message grow with its size, and end")
    func bounds() {
        let limits = MessageOpening.Limits()
        #expect(limits.unpackedBytes(of: 0) == 1 << 20)
        #expect(limits.unpackedBytes(of: 1 << 20) == 50 << 20)
        #expect(limits.unpackedBytes(of: .max) == 256 << 20)
    }
}
