import FHIR
import FHIRValidation
import Foundation

// Views of a clinic's profile of Patient, and of R4's profile of blood pressure: made of the definitions in
// Profiles, and as profile2swift.options says, when this package is built.

var patient = ClinicPatient(
    record: .init(value: "4711"),
    name: HumanName(family: "Doe", given: ["Ada"]),
    insurance: Insurance(number: "A 12")
)
patient.languageLevel = "B2"
patient.base.gender = .female  // a property of Patient

let pressure = BloodPressure(
    status: .final,
    subject: Reference("Patient/7"),
    effective: .dateTime("2026-11-27T09:30:00Z"),
    systolicBP: .init(value: .init(value: 128, unit: "mmHg")),
    diastolicBP: .init(value: .init(value: 82, unit: "mmHg"))
)
print(pressure.tree.text(.pretty))

// What the profiles ask for is there.
let definitions = FHIRDefinitions()
let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Profiles")
try definitions.add(contentsOf: folder)
var options = ValidationOptions()
options.definitions = definitions
options.profiles = [ClinicPatient.profile.rawValue]
var issues = patient.issues(options)
options.profiles = [BloodPressure.profile.rawValue]
issues += pressure.issues(options)
for issue in issues { print(issue) }
exit(issues.contains { $0.severity == .error } ? 1 : 0)
