/// What the server demands of the core models beyond the types of their fields.
enum CoreConstraints {
    struct Model: Sendable {
        var rules: [String: CodeRule] = [:]
        /// Where a text may be longer or must be shorter than 255 characters; nil for any length.
        var lengths: [String: Int?] = [:]
        var neverNull: Set<String> = []
    }

    static let models: [String: Model] = [
        "Allergy": allergy, "AllergyExclusion": allergyExclusion, "Equipment": equipment, "Immunization": immunization,
        "LabResult": labResult, "Measurement": measurement, "Medication": medication, "Fill": fill, "Problem": problem,
        "Procedure": procedure, "SimpleClinicalNote": simpleClinicalNote, "VitalSigns": vitalSigns,
        "Encounter": encounter,
    ]

    private static let snomed = "http://purl.bioontology.org/ontology/SNOMEDCT/"
    private static let rxNorm = "http://purl.bioontology.org/ontology/RXNORM/"
    private static let ndfrt = "http://purl.bioontology.org/ontology/NDFRT/"
    private static let unii = "http://fda.gov/UNII/"
    private static let loinc = "http://purl.bioontology.org/ontology/LNC/"
    private static let cvx = "http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=cvx#"
    private static let vg = "http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=vg#"
    private static func smart(_ name: String) -> String { "http://smartplatforms.org/terms/codes/\(name)#" }

    /// The rules of a coded value that must be given: its system, its title, and its code, one of a few if they are
    /// named.
    private static func code(_ field: String, _ system: String, _ identifiers: [String]? = nil) -> [String: CodeRule] {
        [
            field + "_system": .exactly(system), field + "_title": .required,
            field + "_identifier": identifiers.map { .oneOf($0, nullable: false) } ?? .required,
        ]
    }

    /// The rules of a coded value that may be left out.
    private static func optionalCode(
        _ field: String, _ system: String, _ identifiers: [String]? = nil
    ) -> [String: CodeRule] {
        var rules: [String: CodeRule] = [field + "_system": .exactly(system, nullable: true)]
        if let identifiers { rules[field + "_identifier"] = .oneOf(identifiers, nullable: true) }
        return rules
    }

    private static func merge(_ parts: [String: CodeRule]...) -> [String: CodeRule] {
        parts.reduce(into: [:]) { $0.merge($1) { _, last in last } }
    }

    private static let allergy = Model(
        rules: merge(
            code("allergic_reaction", snomed),
            code("category", snomed, ["414285001", "426232007", "416098002", "59037007", "235719002"]),
            optionalCode("drug_allergen", rxNorm), optionalCode("drug_class_allergen", ndfrt),
            optionalCode("food_allergen", unii),
            code("severity", snomed, ["255604002", "442452003", "6736007", "399166001", "24484000"])))

    private static let allergyExclusion = Model(
        rules: code("name", snomed, ["160244002", "428607008", "429625007", "409137002"]))

    private static let equipment = Model(
        lengths: ["name": 40, "vendor": 40, "description": nil], neverNull: ["name"])

    private static let immunization = Model(
        rules: merge(
            ["date": .required],
            code(
                "administration_status", smart("ImmunizationAdministrationStatus"),
                ["doseGiven", "notAdministered", "partialDose"]),
            optionalCode("product_class", vg), optionalCode("product_class_2", vg), code("product_name", cvx),
            optionalCode(
                "refusal_reason", smart("ImmunizationRefusalReason"),
                [
                    "vaccineUnavailable", "patientUndergoingDesensitizationTherapy", "notIndicatedPerGuidelines",
                    "recentChemoOrRadiaton", "allergy", "providerDeferred", "documentedImmunityOrPreviousDisease",
                    "previouslyVaccinated", "contraindicated", "patientOrParentRefused", "comfortMeasuresOnly",
                    "possiblePriorAllergyOrReaction", "recentOrganOrStemCellTransplant",
                ])))

    private static let labResult = Model(
        rules: merge(
            optionalCode(
                "abnormal_interpretation", smart("LabResultInterpretation"), ["normal", "critical", "abnormal"]),
            code("test_name", loinc),
            optionalCode("status", smart("LabStatus"), ["correction", "preliminary", "final"])),
        lengths: ["notes": 600])

    private static let measurement = Model(
        lengths: ["type": 24, "unit": 8], neverNull: ["type", "value", "unit", "datetime"])

    private static let medication = Model(
        rules: merge(
            ["startDate": .required], code("drugName", rxNorm),
            optionalCode(
                "provenance", smart("MedicationProvenance"),
                ["prescription", "fulfillment", "administration", "reconciliation", "patientReport"])))

    private static let fill = Model(rules: ["date": .required, "dispenseDaysSupply": .required])

    private static let problem = Model(
        rules: merge(["startDate": .required], code("name", snomed)), lengths: ["notes": nil])

    private static let procedure = Model(
        lengths: [
            "name": 100, "name_type": 80, "name_value": 40, "name_abbrev": 20, "provider_name": 200,
            "provider_institution": 200, "location": 100, "comments": nil,
        ], neverNull: ["name"])

    private static let simpleClinicalNote = Model(
        lengths: [
            "visit_type": 100, "visit_type_type": 80, "visit_type_value": 40, "visit_type_abbrev": 20,
            "visit_location": 200, "specialty": 100, "specialty_type": 80, "specialty_value": 40,
            "specialty_abbrev": 20, "provider_name": 200, "provider_institution": 200, "chief_complaint": 255,
            "content": nil,
        ], neverNull: ["date_of_visit"])

    private static let vitalSigns: Model = {
        func sign(_ field: String, _ codes: [String], _ unit: String) -> [String: CodeRule] {
            [
                field + "_name_system": .exactly(loinc, nullable: true),
                field + "_name_identifier": .oneOf(codes, nullable: true),
                field + "_unit": .exactly(unit, nullable: true),
            ]
        }
        return Model(
            rules: merge(
                ["date": .required], optionalCode("bp_position", snomed, ["40199007", "33586001", "10904000"]),
                optionalCode("bp_site", snomed, ["61396006", "368209003", "11207009", "368208006"]),
                optionalCode(
                    "bp_method", smart("BloodPressureMethod"), ["invasive", "palpation", "machine", "auscultation"]),
                sign("bp_diastolic", ["8462-4"], "mm[Hg]"), sign("bp_systolic", ["8480-6"], "mm[Hg]"),
                sign("bmi", ["39156-5"], "kg/m2"), sign("heart_rate", ["8867-4"], "{beats}/min"),
                sign("height", ["8302-2", "8306-3"], "m"),
                sign("oxygen_saturation", ["2710-2"], "%{HemoglobinSaturation}"),
                sign("respiratory_rate", ["9279-1"], "{breaths}/min"), sign("temperature", ["8310-5"], "Cel"),
                sign("weight", ["3141-9"], "kg")))
    }()

    private static let encounter = Model(
        rules: merge(
            ["startDate": .required],
            code(
                "encounterType", smart("EncounterType"),
                ["home", "emergency", "ambulatory", "inpatient", "field", "virtual"])))
}
