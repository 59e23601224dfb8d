import Foundation
import ProfileGenerator
import Testing

/// The folder of these tests.
let testFolder = URL(filePath: #filePath).deletingLastPathComponent().path

/// What the generator writes, compared with files that are checked in, compiled, and run by `ProfileViewTests`.
///
/// `UPDATE_SNAPSHOTS=1 swift test --filter ProfileSnapshotTests` writes them anew.
@Suite("Generated views of profiles")
struct ProfileSnapshotTests {
    private static let vitalSigns = [
        "bp": "BloodPressure", "bodyweight": "BodyWeight", "bodyheight": "BodyHeight",
        "bodytemp": "BodyTemperature", "heartrate": "HeartRate", "resprate": "RespiratoryRate",
        "oxygensat": "OxygenSaturation", "bmi": "BodyMassIndex", "headcircum": "HeadCircumference",
    ]

    @Test("what is generated is what is checked in")
    func snapshots() throws {
        let isUpdating = ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1"
        var arguments = [
            "\(testFolder)/Profiles", "--access", "internal", "--quiet", "--output",
            "\(testFolder)/Generated",
        ]
        arguments += isUpdating ? [] : ["--check"]
        let outcome = ProfileCommand.run(arguments)
        #expect(outcome.errors == [])
        var vitals = [
            "--single-file", "VitalSigns", "--quiet", "--access", "internal", "--output",
            "\(testFolder)/Generated/R4",
        ]
        for (profile, name) in Self.vitalSigns {
            let url = "http://hl7.org/fhir/StructureDefinition/\(profile)"
            vitals += ["--profile", url, "--name", "\(url)=\(name)"]
        }
        #expect(ProfileCommand.run(vitals + (isUpdating ? [] : ["--check"])).errors == [])
    }

    @Test("what has no property is reported, and why")
    func remarks() throws {
        let outcome = ProfileCommand.run(["\(testFolder)/Profiles", "--check", "--output", testFolder])
        let remarks = outcome.errors.filter { $0.hasPrefix("remark: ") }
        #expect(
            remarks == [
                "remark: GoalProfile: Goal.addresses:condition: its values are not told apart by fixed values "
                    + "or patterns: it has no property",
                "remark: ClinicPatient: Patient.extension:nowhere: the extension "
                    + "https://example.org/fhir/StructureDefinition/nowhere is not known: "
                    + "its property has the extension",
            ]
        )
    }
}
