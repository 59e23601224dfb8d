import FHIR
import Foundation
import OrderedJSON

/// What an export says of a clinical record, whose resource is in a file of its own.
struct ReceivedRecord {
    /// When the phone received it.
    var date: FHIRDateTime
    /// Who gave it.
    var source: String?
}

/// A clinical record of Apple's export: a resource of FHIR.
enum ClinicalFile {
    /// - Parameter received: What the export says of the file; nil where it says nothing.
    static func sample(_ data: Data, _ file: ExportFiles.File, _ received: ReceivedRecord?) -> SampleItem {
        func problem(_ reason: String, line: Int = 1) -> SampleItem {
            .problem(SampleProblem(file: file.name, line: line, reason: reason))
        }
        do throws(JSONError) {
            let json = try JSONValue(parsing: data)
            guard let resource = AnyResource(tree: json) else {
                return problem("this is not a resource of FHIR")
            }
            // The file does not say when it was obtained. The export does; otherwise the archive does,
            // without a zone.
            let lastUpdated = json["meta"]?["lastUpdated"]?.string.flatMap { FHIRDateTime(text: $0) }
            let known = received?.date ?? lastUpdated.flatMap { $0.time == nil ? nil : $0 }
            guard let moment = known ?? FHIRDateTime(text: file.modified.description), moment.time != nil
            else {
                return problem("no date")
            }
            var sample = Sample(
                type: "HKClinicalRecord",
                start: moment,
                end: moment,
                value: .clinicalRecord(resource)
            )
            sample.source = received?.source.map { SampleSource(name: $0) }
            return .sample(sample, line: 1)
        } catch {
            return problem("column \(error.location.column): \(error.reason)", line: error.location.line)
        }
    }
}
