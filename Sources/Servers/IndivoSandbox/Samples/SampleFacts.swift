extension SampleModel {
    private static let snomed = "http://purl.bioontology.org/ontology/SNOMEDCT/"
    private static let rxNorm = "http://purl.bioontology.org/ontology/RXNORM/"
    private static let loinc = "http://purl.bioontology.org/ontology/LNC/"
    private static let smart = "http://smartplatforms.org/terms/codes/"

    static func medication(
        _ title: String,
        _ code: String,
        from start: String,
        to end: String? = nil,
        _ instructions: String,
        frequency: String = "1",
        fills: [(day: String, days: Int, amount: Int)] = []
    ) -> SampleModel {
        let fills = fills.map { fill in
            SampleModel("Fill", ["date": fill.day + "T09:30:00Z", "dispenseDaysSupply": String(fill.days)])
                .quantity("quantityDispensed", String(fill.amount), "{tablet}").fields([
                    "pharmacy_org": "Harbour Pharmacy", "pharmacy_ncpdpid": "9900017",
                    "pharmacy_adr_street": "4 Quay Street",
                    "pharmacy_adr_city": "Port Elin", "pharmacy_adr_country": "Elinland",
                    "provider_name_given": "Mira",
                    "provider_name_family": "Okonjo", "provider_npi_number": "9000000017",
                ])
        }
        return SampleModel("Medication").code("drugName", title, code, rxNorm)
            .fields(["startDate": start, "endDate": end, "instructions": instructions]).quantity(
                "quantity",
                "1",
                "{tablet}"
            )
            .quantity("frequency", frequency, "/d")
            .code("provenance", "Derived by prescription", "prescription", smart + "MedicationProvenance#")
            .list("fulfillments", fills)
    }

    static func problem(
        _ title: String,
        _ code: String,
        from start: String,
        to end: String? = nil,
        notes: String? = nil
    ) -> SampleModel {
        SampleModel("Problem").code("name", title, code, snomed).fields([
            "startDate": start, "endDate": end, "notes": notes,
        ])
    }

    static func lab(
        _ title: String,
        _ code: String,
        on day: String,
        _ value: String,
        _ unit: String,
        normal: (String, String),
        _ interpretation: String = "normal"
    ) -> SampleModel {
        let interpretations = smart + "LabResultInterpretation#"
        return SampleModel("LabResult").code("test_name", title, code, loinc)
            .code("abnormal_interpretation", interpretation.capitalized, interpretation, interpretations)
            .code("status", "Final results: complete and verified", "final", smart + "LabStatus#")
            .quantity("quantitative_result_value", value, unit)
            .quantity("quantitative_result_normal_range_min", normal.0, unit)
            .quantity("quantitative_result_normal_range_max", normal.1, unit).fields([
                "collected_at": day + "T08:15:00Z", "collected_by_org_name": "Elin Clinic Laboratory",
                "collected_by_name_given": "Jonas", "collected_by_name_family": "Vik",
                "collected_by_role": "Phlebotomist",
            ])
    }

    static func vitals(
        on day: String,
        systolic: Int,
        diastolic: Int,
        pulse: Int,
        weight: String,
        height: String,
        bmi: String,
        temperature: String = "36.8"
    ) -> SampleModel {
        let signs = [
            ("bp_systolic", "Intravascular systolic", "8480-6", String(systolic), "mm[Hg]"),
            ("bp_diastolic", "Intravascular diastolic", "8462-4", String(diastolic), "mm[Hg]"),
            ("heart_rate", "Heart rate", "8867-4", String(pulse), "{beats}/min"),
            ("weight", "Body weight", "3141-9", weight, "kg"),
            ("height", "Body height", "8302-2", height, "m"),
            ("bmi", "Body mass index", "39156-5", bmi, "kg/m2"),
            ("temperature", "Body temperature", "8310-5", temperature, "Cel"),
        ]
        let common = SampleModel("VitalSigns", ["date": day + "T10:00:00Z"])
            .code("bp_position", "Sitting", "33586001", snomed).code(
                "bp_site",
                "Right arm",
                "368209003",
                snomed
            )
            .code("bp_method", "Auscultation", "auscultation", smart + "BloodPressureMethod#")
        let encounter = SampleModel(
            "Encounter",
            ["startDate": day + "T09:45:00Z", "endDate": day + "T10:20:00Z"]
        )
        .code("encounterType", "Ambulatory encounter", "ambulatory", smart + "EncounterType#").fields([
            "facility_name": "Elin Clinic", "facility_adr_city": "Port Elin", "provider_name_given": "Mira",
            "provider_name_family": "Okonjo",
        ])
        return signs.reduce(common) { model, sign in
            model.code(sign.0 + "_name", sign.1, sign.2, loinc).quantity(sign.0, sign.3, sign.4)
        }.one("encounter", encounter)
    }

    static func immunization(_ title: String, _ cvx: String, on day: String) -> SampleModel {
        SampleModel("Immunization", ["date": day + "T11:00:00Z"])
            .code(
                "administration_status",
                "Dose Given",
                "doseGiven",
                smart + "ImmunizationAdministrationStatus#"
            )
            .code(
                "product_name",
                title,
                cvx,
                "http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=cvx#"
            )
    }

    static func drugAllergy(_ drug: String, _ code: String, _ reaction: String, _ reactionCode: String)
        -> SampleModel
    {
        SampleModel("Allergy").code("allergic_reaction", reaction, reactionCode, snomed)
            .code("category", "Drug allergy", "416098002", snomed).code(
                "severity",
                "Moderate",
                "6736007",
                snomed
            )
            .code("drug_allergen", drug, code, rxNorm)
    }

    static func foodAllergy(_ food: String, _ unii: String, _ reaction: String, _ reactionCode: String)
        -> SampleModel
    {
        SampleModel("Allergy").code("allergic_reaction", reaction, reactionCode, snomed)
            .code("category", "Food allergy", "414285001", snomed).code(
                "severity",
                "Mild",
                "255604002",
                snomed
            )
            .code("food_allergen", food, unii, "http://fda.gov/UNII/")
    }

    static let noKnownDrugAllergies = SampleModel("AllergyExclusion").code(
        "name",
        "No known drug allergies",
        "409137002",
        snomed
    )

    static let noKnownFoodAllergies = SampleModel("AllergyExclusion").code(
        "name",
        "No known food allergies",
        "429625007",
        snomed
    )

    static func procedure(_ name: String, on day: String, _ institution: String) -> SampleModel {
        SampleModel(
            "Procedure",
            [
                "name": name, "date_performed": day + "T08:00:00Z", "provider_name": "Dr. Mira Okonjo",
                "provider_institution": institution, "location": institution,
            ]
        )
    }

    static func equipment(_ name: String, from start: String, _ vendor: String, _ description: String)
        -> SampleModel
    {
        SampleModel(
            "Equipment",
            ["name": name, "date_started": start, "vendor": vendor, "description": description]
        )
    }

    static func note(on day: String, _ complaint: String, _ content: String) -> SampleModel {
        SampleModel(
            "SimpleClinicalNote",
            [
                "date_of_visit": day + "T10:00:00Z", "finalized_at": day + "T17:30:00Z",
                "visit_type": "Follow-up",
                "visit_location": "Elin Clinic", "specialty": "General medicine",
                "signed_at": day + "T17:30:00Z",
                "provider_name": "Dr. Mira Okonjo", "provider_institution": "Elin Clinic",
                "chief_complaint": complaint,
                "content": content,
            ]
        )
    }

    static func measurement(_ type: String, on day: String, _ value: String, _ unit: String) -> SampleModel {
        SampleModel(
            "Measurement",
            ["type": type, "value": value, "unit": unit, "datetime": day + "T07:00:00Z"]
        )
    }
}
