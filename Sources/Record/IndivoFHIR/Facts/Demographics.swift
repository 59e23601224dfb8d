import FHIR

extension FactMapping {
    /// Who the patient is, from nested XML (`dateOfBirth`, `name_family_name`, …) or the flat model (`bday`,
    /// …).
    static let demographics = FactMapping(
        "Demographics",
        to: "Patient",
        start: { _ in Patient() },
        rows: [
            MappingRow("dateOfBirth", "Patient.birthDate") { patient, fields, _ in
                patient.birthDate = fields.date("date_of_birth", "bday")
            },
            MappingRow("gender", "Patient.gender") { patient, fields, _ in
                patient.gender = fields.gender("gender")
            },
            MappingRow("email", "Patient.telecom") { patient, fields, _ in
                patient.telecom += [fields.email("email")].compactMap { $0 }
            },
            MappingRow("race, ethnicity", "Patient.extension (US Core race and ethnicity, in words)") {
                patient,
                fields,
                _ in
                patient.extension = fields.raceAndEthnicity("race", "ethnicity")
            },
            MappingRow("preferredLanguage", "Patient.communication.language, .preferred") {
                patient,
                fields,
                _ in
                guard let language = fields.language("preferred_language") else { return }
                var communication = Patient.Communication(language: language)
                communication.preferred = true
                patient.communication = [communication]
            },
            MappingRow("Name", "Patient.name") { patient, fields, _ in
                patient.name = [fields.personName("name")].compactMap { $0 }
            },
            MappingRow("Telephone", "Patient.telecom; preferred: rank 1, not preferred: rank 2") {
                patient,
                fields,
                _ in
                patient.telecom += fields.related("telephone").compactMap {
                    $0.telephone("", preferred: "preferred")
                }
                patient.telecom += ["tel_1_", "tel_2_"].compactMap {
                    fields.telephone($0, preferred: "preferred_p")
                }
            },
            MappingRow("Address", "Patient.address") { patient, fields, _ in
                patient.address = [fields.address("address"), fields.address("adr")].compactMap { $0 }
            },
        ],
        finish: { patient, context in [FactResource(patient, context.subject)] }
    )
}
