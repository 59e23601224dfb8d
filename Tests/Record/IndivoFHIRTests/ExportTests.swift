import FHIR
import Foundation
import Indivo
import Testing

@testable import IndivoFHIR

@Suite("Documents as entries of a bundle")
struct ExportTests {
    private let problem = TestDocument.sdmx("Problem", TestDocument.fields(["name_title": "Asthma"]))

    private func facts(_ status: DocumentStatus) -> FHIRExport {
        let contents: [FileContent] = [
            problem, TestDocument.sdmx("Medication", TestDocument.fields(["drugName_title": "x"])),
            TestDocument.sdmx("Fill", TestDocument.fields(["pbm": "x"])),
            TestDocument.sdmx("Allergy", TestDocument.fields(["category_title": "x"])),
            TestDocument.sdmx("Immunization", TestDocument.fields(["product_name_title": "x"])),
            TestDocument.sdmx("LabResult", TestDocument.fields(["test_name_title": "x"])),
            TestDocument.sdmx("Encounter", TestDocument.fields(["startDate": "2012"])),
            TestDocument.sdmx("Procedure", TestDocument.fields(["name": "x"])),
            TestDocument.sdmx("Equipment", TestDocument.fields(["name": "x"])),
            TestDocument.sdmx("SimpleClinicalNote", TestDocument.fields(["content": "x"])),
        ]
        return RecordContent(
            id: "r1",
            documents: contents.enumerated().map {
                .init(id: "d\($0)", content: $1, metadata: TestDocument.metadata("d\($0)", status: status))
            }
        ).fhirBundle()
    }

    @Test("each resource has a narrative of its main elements, in which markup is only text")
    func narrative() throws {
        let content = TestDocument.sdmx(
            "LabResult",
            TestDocument.fields([
                "test_name_title": "&lt;b&gt;A &amp; B&lt;/b&gt;", "narrative_result": "&lt;fine>",
            ])
        )
        let export = RecordContent(id: "r1", documents: [.init(id: "d", content: content)]).fhirBundle()
        let observation = try #require(export.bundle.resources(of: Observation.self).first)
        #expect(observation.text?.status == .generated)
        let div = try #require(observation.text?.tree["div"]?.string)
        #expect(div.contains("<b>Observation</b>: &lt;b&gt;A &amp; B&lt;/b&gt;, &lt;fine&gt;"), "\(div)")
        Structure.check(export.bundle)
    }

    @Test("what is void was entered in error, and has no clinical status")
    func void() {
        let export = facts(.void)
        let resources = export.bundle.entry.compactMap(\.resource).filter {
            !["Patient", "Provenance"].contains($0.resourceType)
        }
        #expect(resources.count == 11)
        for resource in resources {
            let path = "\(resource.resourceType ?? "")"
            let status =
                TestDocument.value("\(path).status", in: export)
                ?? TestDocument.value("\(path).verificationStatus.coding.0.code", in: export)
            #expect(status == "entered-in-error", "\(path)")
            #expect(TestDocument.value("\(path).clinicalStatus", in: export) == nil)
            #expect(TestDocument.value("\(path).meta.tag.0.code", in: export) == "void")
        }
        Structure.check(export.bundle)
    }

    @Test("what is archived is no longer current")
    func archived() {
        let export = facts(.archived)
        for (path, value) in [
            "Condition.clinicalStatus.coding.0.code": "inactive", "MedicationStatement.status": "unknown",
            "AllergyIntolerance.clinicalStatus.coding.0.code": "inactive",
            "DocumentReference.status": "superseded",
            "Immunization.status": "completed", "Condition.meta.tag.0.code": "archived",
        ] { #expect(TestDocument.value(path, in: export) == value, "\(path)") }
    }

    @Test("a replaced document keeps its id, and a second export updates")
    func replaced() {
        func export(_ id: String, replaces old: String?) -> FHIRExport {
            var metadata = TestDocument.metadata(id)
            metadata.original = DocumentMetadata.Version()
            metadata.original?.id = "first"
            if let old {
                metadata.replaces = DocumentMetadata.Version()
                metadata.replaces?.id = old
            }
            var content = RecordContent(
                id: "r1",
                documents: [.init(id: id, content: problem, metadata: metadata)]
            )
            content.address = "https://api.example.org/records/r1/documents/"
            return content.fhirBundle(.transaction)
        }
        let before = export("first", replaces: nil)
        let after = export("third", replaces: "second")
        #expect(before.bundle == export("first", replaces: nil).bundle)
        let requests = before.bundle.entry.map {
            "\($0.request?.method?.code ?? "") \($0.request?.url?.rawValue ?? "")"
        }
        #expect(requests == ["PUT Patient/r1", "PUT Condition/first", "PUT Provenance/first"])
        #expect(after.bundle.entry.map(\.request) == before.bundle.entry.map(\.request))
        #expect(after.bundle.entry.map(\.fullUrl) == before.bundle.entry.map(\.fullUrl))
        #expect(TestDocument.value("Condition.identifier.0.value", in: after) == "first")
        #expect(TestDocument.value("Condition.meta.source", in: after)?.hasSuffix("/documents/third") == true)
        for (path, value) in [
            "Provenance.entity.0.role": "source", "Provenance.entity.1.role": "revision",
            "Provenance.entity.1.what.identifier.value": "second",
            "Provenance.activity.coding.0.code": "UPDATE",
            "Provenance.contained.0.identifier.0.value": "third",
            "Provenance.contained.0.content.0.attachment.url":
                "https://api.example.org/records/r1/documents/third",
        ] { #expect(TestDocument.value(path, in: after) == value, "\(path)") }
        #expect(TestDocument.value("Provenance.activity.coding.0.code", in: before) == "CREATE")
    }

    @Test("a Provenance says who stored a document and who changed its status")
    func provenance() {
        var metadata = TestDocument.metadata("d1", status: .void)
        metadata.label = "Scan"
        metadata.neverShare = true
        metadata.creator?.type = "PHA"
        var change = DocumentStatus.Change()
        change.by = "ana@example.org"
        change.at = "2026-06-01T08:00:00Z"
        change.status = .void
        change.reason = "wrong patient"
        var scan = RecordContent.Document(id: "d1", content: problem, metadata: metadata)
        scan.statusChanges = [change]
        scan.relations = [(.annotation, "d2")]
        let other = RecordContent.Document(id: "d2", content: problem, metadata: TestDocument.metadata("d2"))
        let export = RecordContent(id: "r1", documents: [scan, other]).fhirBundle()
        let provenances = export.bundle.resources(of: Provenance.self)
        #expect(provenances.map(\.id) == ["d1", "d1.status.1", "d2"])
        #expect(provenances[0].recorded?.description == "2026-05-04T15:34:23.502840Z")
        #expect(provenances[0].agent[0].who?.identifier?.value == "ana@example.org")
        #expect(provenances[0].agent[0].who?.type == "Device")
        #expect(provenances[0].entity[1].what?.display == "annotation")
        let second = export.bundle.entry.first { $0.resource?.identifier == "d2" }
        #expect(provenances[0].entity[1].what?.reference == second?.fullUrl?.rawValue)
        #expect(provenances[1].reason.first?.text == "wrong patient")
        #expect(provenances[1].activity?.coding.first?.code == "NULLIFY")
        #expect(TestDocument.value("Provenance.contained.0.content.0.attachment.title", in: export) == "Scan")
        #expect(TestDocument.value("Condition.meta.security.0.code", in: export) == "R")
        Structure.check(export.bundle)
    }

    @Test(
        "what is no fact is attached as it is",
        arguments: [
            ("application/pdf", "%PDF \u{0}", "application/pdf"),
            ("application/xml", "just text", "text/plain; charset=utf-8"),
            ("application/xml", "<x xmlns=\"urn:x\"/>", "application/xml"),
            (
                "application/xml",
                "<Annotation xmlns=\"http://indivo.org/vocab/xml/documents#\"><text>a</text></Annotation>",
                "application/xml"
            ),
            (
                "application/xml",
                "<Models><Model name=\"Sleep\"><Field name=\"a\">1</Field></Model></Models>",
                "application/xml"
            ),
            ("application/xml", "<Models/>", "application/xml"), ("text/plain", "", "text/plain"),
        ]
    )
    func attached(_ given: String, _ text: String, _ type: String) {
        let content = FileContent(Data(text.utf8), contentType: given)
        var metadata = TestDocument.metadata("d1")
        metadata.label = "A scan"
        let export = TestDocument.export(content, metadata: metadata)
        let reference = export.bundle.resources(of: DocumentReference.self).first
        let attachment = reference?.content.first?.attachment
        #expect(attachment?.data.flatMap { Data(base64Encoded: $0) } ?? Data() == content.data)
        #expect(attachment?.contentType == type)
        #expect(attachment?.size == content.data.count)
        #expect(attachment?.hash?.count == 28)
        #expect(reference?.description == "A scan")
        #expect(export.unmapped.isEmpty)
        Structure.check(export.bundle)
    }

    @Test("each fact of a document has a resource, and what is no fact is attached")
    func several() {
        let xml = """
            <Models><Model name="Problem"><Field name="name_title">a</Field></Model>\
            <Model name="Problem"><Field name="name_title">b</Field></Model><Model name="Sleep"/></Models>
            """
        let export = TestDocument.export(TestDocument.file(xml))
        let ids = export.bundle.entry.compactMap(\.resource?.id)
        #expect(ids == ["r1", "d1", "d1.2", "d1.document"])
        Structure.check(export.bundle)
    }

    @Test(
        "ids that FHIR does not allow become UUIDs, always the same",
        arguments: [
            "doc_1.xml", "a b", "é", String(repeating: "7", count: 65), "",
        ]
    )
    func otherIDs(_ id: String) throws {
        let address = ResourceAddress(type: "Condition", key: id)
        #expect(UUID(uuidString: address.id) != nil)
        #expect(address.id == ResourceAddress(type: "Condition", key: id).id)
        #expect(address.fullURL != ResourceAddress(type: "Device", key: id).fullURL)
    }

    @Test("the order of the documents in a list does not count")
    func order() {
        let documents = ["b", "a", "c"].map {
            RecordContent.Document(id: $0, content: problem, metadata: TestDocument.metadata($0))
        }
        let one = RecordContent(id: "r", documents: documents).fhirBundle()
        let other = RecordContent(id: "r", documents: documents.reversed()).fhirBundle()
        #expect(one.bundle == other.bundle)
    }

    @Test("demographics that are not the record's are attached")
    func otherDemographics() {
        let xml =
            """
            <Demographics \
            xmlns=\"http://indivo.org/vocab/xml/documents#\"><gender>male</gender></Demographics>
            """
        let export = TestDocument.export(TestDocument.file(xml))
        #expect(TestDocument.value("Patient.gender", in: export) == nil)
        #expect(export.bundle.resources(of: DocumentReference.self).count == 1)
    }

    @Test("a report says where, never what")
    func silent() throws {
        let export = TestDocument.export(
            TestDocument.sdmx("Problem", TestDocument.fields(["mood": "SECRET", "pulse": "SECRET"]))
        )
        let report = String(decoding: try JSONEncoder().encode(export.unmapped), as: UTF8.self)
        #expect(export.unmapped.count == 2)
        #expect(!report.contains("SECRET") && !export.unmapped.description.contains("SECRET"))
        #expect(export.unmapped.first?.description == "d1: Problem.mood: no-element")
    }
}

extension AnyResource {
    /// The value of the first identifier.
    fileprivate var identifier: String? { tree["identifier"]?[0]?["value"]?.string }
}
