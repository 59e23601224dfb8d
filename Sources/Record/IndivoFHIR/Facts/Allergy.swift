import FHIR

extension FactMapping {
    static let allergy = FactMapping(
        "Allergy",
        to: "AllergyIntolerance",
        start: { AllergyIntolerance(active: $0) },
        rows: [
            MappingRow(
                "category_*",
                "AllergyIntolerance.type, .category; the coded value as an extension of .category, "
                    + "of the resource where the code is unknown"
            ) { allergy, fields, _ in
                guard let category = fields.concept("category") else { return }
                guard let known = category.firstCode.flatMap({ AllergyCodes.categories[$0] }) else {
                    allergy.extension.append(
                        Extension(url: Vocabulary.codedValue, value: .codeableConcept(category))
                    )
                    return
                }
                allergy.type = known.type
                allergy.category = [known.category]
                allergy.keep(category, of: "category", at: 0)
            },
            MappingRow("drug_allergen_*, drug_class_allergen_*, food_allergen_*", "AllergyIntolerance.code") {
                allergy,
                fields,
                _ in
                let allergens = ["drug_allergen", "drug_class_allergen", "food_allergen"].compactMap {
                    fields.concept($0)
                }
                guard var code = allergens.first else { return }
                for other in allergens.dropFirst() {
                    code.coding += other.coding.isEmpty ? [Coding(display: other.text)] : other.coding
                }
                let texts = allergens.compactMap(\.text)
                code.text = texts.isEmpty ? nil : texts.joined(separator: "; ")
                allergy.code = code
            },
            MappingRow("allergic_reaction_*", "AllergyIntolerance.reaction.manifestation") {
                allergy,
                fields,
                _ in
                guard let reaction = fields.concept("allergic_reaction") else { return }
                allergy.reaction = [AllergyIntolerance.Reaction(manifestation: [reaction])]
            },
            MappingRow(
                "severity_*",
                "AllergyIntolerance.reaction.severity (and .criticality, high for life threatening "
                    + "and fatal); the coded value as an extension of .severity"
            ) { allergy, fields, _ in
                guard let severity = fields.concept("severity") else { return }
                var reaction =
                    allergy.reaction.first ?? AllergyIntolerance.Reaction(manifestation: [.unknown])
                let known = severity.firstCode.flatMap { AllergyCodes.severities[$0] }
                reaction.severity = known?.severity
                reaction.keep(severity, of: "severity")
                allergy.reaction = [reaction]
                if known?.isCritical == true { allergy.criticality = .high }
            },
        ],
        finish: { allergy, context in
            var allergy = allergy
            if allergy.code == nil { allergy.code = .unknown }
            return [FactResource(allergy, context.address("AllergyIntolerance"))]
        }
    )

    static let allergyExclusion = FactMapping(
        "AllergyExclusion",
        to: "AllergyIntolerance",
        start: { AllergyIntolerance(active: $0) },
        rows: [
            MappingRow("name_*", "AllergyIntolerance.code") { allergy, fields, _ in
                allergy.code = fields.concept("name") ?? .unknown
            }
        ],
        finish: { allergy, context in [FactResource(allergy, context.address("AllergyIntolerance"))] }
    )
}

/// SNOMED CT's codes in Indivo's allergies, and FHIR's codes for the same.
private enum AllergyCodes {
    static let categories: [String: (type: AllergyIntoleranceType, category: AllergyIntoleranceCategory)] = [
        "414285001": (.allergy, .food), "426232007": (.allergy, .environment),
        "416098002": (.allergy, .medication),
        "59037007": (.intolerance, .medication), "235719002": (.intolerance, .food),
    ]

    static let severities: [String: (severity: ReactionEventSeverity, isCritical: Bool)] = [
        "255604002": (.mild, false), "6736007": (.moderate, false), "24484000": (.severe, false),
        "442452003": (.severe, true), "399166001": (.severe, true),
    ]
}

extension AllergyIntolerance {
    fileprivate init(active context: FactContext) {
        self.init(patient: context.patient())
        clinicalStatus = .clinical("active", of: "allergyintolerance")
        verificationStatus = .confirmed(of: "AllergyIntolerance")
    }
}

extension Coding {
    /// What something is called, where there is no code.
    init(display: String?) {
        self.init()
        self.display = display
    }
}
