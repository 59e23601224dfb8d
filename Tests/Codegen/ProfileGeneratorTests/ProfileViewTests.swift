import FHIR
import FHIRValidation
import Foundation
import OrderedJSON
import Testing

/// Runs the views in `Generated`.
@Suite("Views of profiles")
struct ProfileViewTests {
    private static let definitions: FHIRDefinitions = {
        let definitions = FHIRDefinitions()
        // Safe: the folder is beside this file.
        try! definitions.add(contentsOf: URL(filePath: "\(testFolder)/Profiles"))
        return definitions
    }()

    /// What validation finds wrong with a view under its profile.
    private static func errors<View: FHIRProfile & FHIRResource>(_ view: View) -> [String] {
        var options = ValidationOptions()
        options.definitions = definitions
        options.profiles = [View.profile.rawValue]
        return view.issues(options).filter { $0.severity == .error }.map { "\($0)" }
    }

    private static func pressure() -> ClinicPressure {
        ClinicPressure(
            subject: Reference("Patient/7"),
            effective: "2026-11-27T09:30:00Z",
            systolic: .init(value: .init(value: 128)),
            diastolic: .init(value: .init(value: 82))
        )
    }

    // MARK: Initialisers

    @Test("an initialiser fills in what the profile fixes, and the result is valid under it")
    func initialiser() throws {
        let pressure = Self.pressure()
        #expect(Self.errors(pressure) == [])
        #expect(pressure.status == .final)
        #expect(pressure.code?.contains("85354-9", system: .loinc) == true)
        #expect(pressure.systolic?.code?.contains("8480-6", system: .loinc) == true)
        #expect(pressure.systolic?.value?.value == 128)
        #expect(pressure.systolic?.value?.unit == "mmHg")
        #expect(pressure.diastolic?.value?.code == "mm[Hg]")
        #expect(pressure.component.count == 2)
    }

    @Test("a patient with slices and extensions is valid under its profile")
    func patient() {
        var patient = ClinicPatient(
            record: .init(value: "4711"),
            name: HumanName(family: "Doe", given: ["Ada"]),
            insurance: Insurance(number: "A 12")
        )
        patient.languageLevel = "B2"
        patient.birthDate = "1980-02-03"
        patient.birthDateTime = "1980-02-03T04:05:00Z"
        patient.email = [.init()]
        patient.email[0].value = "ada@example.org"
        #expect(Self.errors(patient) == [])
        #expect(patient.active == true)
        #expect(patient.base.name.first?.family == "Doe")
        #expect(patient.base.identifier.first?.system == "https://clinic.example.org/records")
        #expect(
            patient.tree["_birthDate"]?["extension"]?[0]?["valueDateTime"]?.string == "1980-02-03T04:05:00Z"
        )
    }

    @Test("a type without a view of R4's has properties of all elements")
    func unviewed() {
        var team = ClinicTeam(
            status: "active",
            subject: Reference("Patient/7"),
            participant: [.init(member: Reference("Practitioner/1"))]
        )
        team.name = "Night shift"
        team.participant[0].role = [CodeableConcept(text: "Nurse")]
        #expect(Self.errors(team) == [])
        #expect(team.participant.first?.member?.target?.id == "1")
        #expect(team.base.resourceType == "CareTeam")
    }

    @Test("an element that every view has under the same name is the profile's")
    func description() {
        var goal = GoalProfile(
            lifecycleStatus: .active,
            description: .init(text: "Walk"),
            subject: Reference("Patient/7")
        )
        goal.target = .init(due: "2027-01-01")
        #expect(goal.description?.text == "Walk")
        #expect(goal.target?.due == "2027-01-01")
        #expect(goal.base.target.count == 1)
        #expect(Self.errors(goal) == [])
    }

    @Test("slices that are called as types of Swift are hide none of them")
    func awkwardNames() {
        var patient = AwkwardNames(string: .init(value: "1"), int: .init(value: "2"))
        patient.any = .init(value: "3")
        patient.fhir = .init(value: "4")
        patient.start = .init(value: "5")
        patient.active = true
        let text: String? = patient.string?.value
        #expect(text == "1")
        #expect(patient.int?.value == "2")
        #expect(patient.base.identifier.map(\.value) == ["1", "2", "3", "4", "5"])
        #expect(Self.errors(patient) == [])
        // Who extends the view means Swift's own types, too.
        #expect(patient.numberOfIdentifiers == 5)
    }

    // MARK: Reading and writing

    @Test("slices are found by what discriminates them, and others stay where they are")
    func slices() throws {
        let text = """
            {"resourceType": "Patient", "identifier": [
              {"system": "https://other.example.org", "value": "1"},
              {"system": "https://clinic.example.org/records", "value": "2", "x-own": true},
              {"system": "https://third.example.org", "value": "3"}]}
            """
        var patient = try ClinicPatient(parsing: text)
        #expect(patient.record?.value == "2")
        patient.record?.value = "22"
        patient.identifierActive = .init(Identifier(system: "https://wrong.example.org", value: "4"))
        #expect(
            patient.base.identifier.map(\.value) == ["1", "22", "3", "4"]
        )
        #expect(patient.base.identifier[1].tree["x-own"]?.boolean == true)
        // What is set is in the slice, whatever it says.
        #expect(patient.base.identifier[3].system == "https://clinic.example.org/active")
        patient.record = nil
        #expect(patient.base.identifier.map(\.value) == ["1", "3", "4"])
    }

    @Test("extensions are read and written by their values, in their place")
    func extensions() throws {
        let text = """
            {"resourceType": "Patient", "extension": [
              {"url": "https://other.example.org", "valueBoolean": true},
              {"url": "https://example.org/fhir/StructureDefinition/language-level", "valueCode": "A1"}]}
            """
        var patient = try ClinicPatient(parsing: text)
        #expect(patient.languageLevel == "A1")
        patient.languageLevel = "C1"
        patient.insurance = Insurance(number: "7")
        patient.insurance?.plan = [Coding(system: "https://example.org/plans", code: "dental")]
        patient.insurance?.contact = .init(phone: ContactPoint(system: .phone, value: "1"))
        #expect(patient.extension.map(\.url?.rawValue).count == 3)
        #expect(patient.extension[1].value?.code == "C1")
        #expect(patient.insurance?.number == "7")
        #expect(patient.insurance?.contact?.phone?.value == "1")
        #expect(patient.insurance?.plan.first?.code == "dental")
        patient.languageLevel = nil
        patient.insurance = nil
        #expect(patient.extension.map(\.url) == ["https://other.example.org"])
    }

    @Test("the resources of a Bundle are read by views of profiles, also from R4's view")
    func bundles() {
        let pressure = Self.pressure()
        let bundle = FHIRBundle(
            type: .collection,
            resources: [AnyResource(pressure), AnyResource(Patient())]
        )
        #expect(bundle.resources(of: ClinicPressure.self) == [pressure])
        #expect(ClinicPressure(pressure.base) == pressure)
    }

    @Test("a property of R4's view is set through the view of the profile")
    func base() {
        var pressure = Self.pressure()
        pressure.note = [Annotation(text: "after rest")]
        pressure.base.issued = "2026-11-27T09:31:00Z"
        #expect(pressure.base.note.first?.text == "after rest")
        #expect(pressure.issued == "2026-11-27T09:31:00Z")
        #expect(pressure.systolic?.value?.value == 128)
    }

    // MARK: R4's vital signs

    /// What validation finds wrong by the code, and by the URL of the profile.
    private static func allErrors<View: FHIRProfile & FHIRResource>(_ view: View) -> [String] {
        #expect(view.issues().filter { $0.severity == .error }.map { "\($0)" } == [])
        return errors(view)
    }

    @Test("what the initialisers of vital signs make is valid")
    func vitalSigns() {
        let subject = Reference<Patient>("Patient/7")
        let time = Observation.Effective.dateTime("2026-11-27T09:30:00Z")
        #expect(
            Self.allErrors(
                BloodPressure(
                    status: .final,
                    subject: subject,
                    effective: time,
                    systolicBP: .init(value: .init(value: 128, unit: "mmHg")),
                    diastolicBP: .init(value: .init(value: 82, unit: "mmHg"))
                )
            ) == []
        )
        var rate = HeartRate(
            status: .final,
            subject: subject,
            effective: time,
            value: .init(value: 60, unit: "beats/minute")
        )
        #expect(Self.allErrors(rate) == [])
        rate.value?.code = "Hz"
        #expect(Self.errors(rate) != [])
        #expect(
            Self.allErrors(
                OxygenSaturation(
                    status: .final,
                    subject: subject,
                    effective: time,
                    value: .init(value: 97, unit: "%")
                )
            ) == []
        )
        let weight = BodyWeight(
            status: .final,
            subject: subject,
            effective: time,
            value: .init(value: 74.8, unit: "kg", code: "kg")
        )
        #expect(Self.allErrors(weight) == [])
    }
}

extension AwkwardNames {
    fileprivate var numberOfIdentifiers: Int { Set(values).count }
    private var values: Array<String> { base.identifier.compactMap(\.value) }
}
