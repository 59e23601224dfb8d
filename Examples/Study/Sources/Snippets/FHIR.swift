import FHIR
import FHIRPathEngine
import FHIRValidation
import Foundation

func read(_ file: URL) throws {
    let bundle = try FHIRBundle(parsing: Data(contentsOf: file))
    for observation in bundle.resources(of: Observation.self) {
        print(observation.code?.text ?? "?", observation.value?.quantity?.value ?? "")
    }
    let family = try FHIRPath("name.where(use = 'official').family")
    for patient in bundle.resources(of: Patient.self) {
        print(try family.evaluate(on: patient.tree).map(\.text))
    }
    // Severity, FHIRPath, line and column, text.
    for issue in bundle.issues() { print(issue) }
}
