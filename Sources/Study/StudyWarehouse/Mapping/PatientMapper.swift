import FHIR

/// A de-identified Patient as the row of `patient_dimension`, and its sex as a fact, which is what shared
/// ontologies query.
public struct PatientMapper: Sendable {
    /// A mapper.
    public init() {}

    /// Maps a patient.
    ///
    /// - Parameter received: When it was received: a Patient has no date.
    public func map(_ patient: Patient, received: FHIRDateTime) -> FactSet {
        let start = WarehouseTime(received)
        var builder = FactBuilder(StudyVisit(id: "Patient", start: start))
        var details = PatientDetails()
        details.sex = Self.sex(patient.gender)
        details.birth = patient.birthDate.flatMap { FHIRDate(year: $0.year) }.map(WarehouseTime.init)
        details.state = patient.address.first?.state.map { String($0.unicodeScalars.prefix(50)) }
        details.postalCode = patient.address.first?.postalCode.map { String($0.unicodeScalars.prefix(3)) }
        builder.describe(details)
        if let sex = details.sex {
            let concept = Self.concept(ofSex: sex)
            builder.append(Fact(concept.code, start: start), concept)
        }
        return builder.set
    }

    /// The codes of a sex and their names.
    static let sexes = [("F", "Female"), ("M", "Male"), ("O", "Other"), ("NI", "No information")]

    static func concept(ofSex sex: String) -> Concept {
        let code = "DEM|SEX:\(sex)"
        return Concept(
            path: ConceptNames.path(ConceptNames.demographics, ["Sex", sex]),
            code: code,
            name: sexes.first { $0.0 == sex }?.1 ?? sex,
            key: code
        )
    }

    private static func sex(_ gender: AdministrativeGender?) -> String? {
        switch gender {
        case .female: "F"
        case .male: "M"
        case .codedOther: "O"
        case .unknown: "NI"
        default: nil
        }
    }
}
