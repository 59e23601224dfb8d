/// A person of the sample data. All of them, and where they live, are invented.
struct SamplePerson {
    var given, family, born, gender, email, street: String
    /// In the order in which their documents are stored.
    var facts: [SampleModel]

    var demographics: Markup {
        """
        <Demographics xmlns="\(DocumentType.namespace)"><dateOfBirth>\(born)</dateOfBirth>\
        <gender>\(gender)</gender><email>\(email)</email><preferredLanguage>en</preferredLanguage>\
        <Name><familyName>\(family)</familyName><givenName>\(given)</givenName></Name>\
        <Telephone><type>h</type><number>555-0100</number><preferred>true</preferred></Telephone>\
        <Address><country>Elinland</country><city>Port Elin</city><postalCode>0100</postalCode>\
        <region>Coast</region><street>\(street)</street></Address></Demographics>
        """
    }
}

enum SamplePeople {
    static let all = [ines, tomas, alma]

    private static func a1c(on day: String, _ value: String) -> SampleModel {
        .lab(
            "Hemoglobin A1c/Hemoglobin.total in Blood",
            "4548-4",
            on: day,
            value,
            "%",
            normal: ("4.0", "6.0"),
            "abnormal"
        )
    }

    /// A woman of sixty with high blood pressure and diabetes.
    private static let ines = SamplePerson(
        given: "Ines",
        family: "Halloran",
        born: "1966-03-14",
        gender: "female",
        email: "ines@example.org",
        street: "12 Harbour Lane",
        facts: [
            .problem(
                "Essential hypertension",
                "59621000",
                from: "2015-05-11",
                notes: "Controlled on treatment"
            ),
            .problem("Type 2 diabetes mellitus", "44054006", from: "2018-09-03"),
            .problem("Sprain of ankle", "44465007", from: "2021-06-19", to: "2021-08-02"),
            .medication(
                "Lisinopril 10 MG Oral Tablet",
                "314076",
                from: "2015-05-11",
                "one tablet in the morning",
                fills: [
                    ("2026-01-12", 90, 90), ("2026-04-10", 90, 90), ("2026-07-09", 90, 90),
                    ("2026-10-07", 90, 90),
                ]
            ),
            .medication(
                "Metformin hydrochloride 500 MG Oral Tablet",
                "861007",
                from: "2018-09-03",
                "one tablet twice a day with meals",
                frequency: "2",
                fills: [("2026-05-04", 90, 180), ("2026-08-03", 90, 180)]
            ),
            .medication(
                "Ibuprofen 400 MG Oral Tablet",
                "197805",
                from: "2021-06-19",
                to: "2021-07-03",
                "one tablet up to three times a day for pain",
                frequency: "3",
                fills: [("2021-06-19", 14, 42)]
            ),
            .drugAllergy("Penicillin G", "7980", "Urticaria", "126485001"), .noKnownFoodAllergies,
            a1c(on: "2023-03-06", "8.1"), a1c(on: "2024-03-11", "7.2"), a1c(on: "2025-03-10", "6.7"),
            a1c(on: "2026-03-09", "6.4"),
            .lab(
                "Creatinine [Mass/volume] in Serum or Plasma",
                "2160-0",
                on: "2025-03-10",
                "0.9",
                "mg/dL",
                normal: ("0.5", "1.1")
            ),
            .lab(
                "Creatinine [Mass/volume] in Serum or Plasma",
                "2160-0",
                on: "2026-03-09",
                "1.0",
                "mg/dL",
                normal: ("0.5", "1.1")
            ),
            .lab(
                "Potassium [Moles/volume] in Serum or Plasma",
                "2823-3",
                on: "2026-03-09",
                "4.3",
                "mmol/L",
                normal: ("3.5", "5.1")
            ),
            .vitals(
                on: "2023-03-06",
                systolic: 152,
                diastolic: 94,
                pulse: 78,
                weight: "81.4",
                height: "1.64",
                bmi: "30.3"
            ),
            .vitals(
                on: "2024-03-11",
                systolic: 141,
                diastolic: 88,
                pulse: 74,
                weight: "78.9",
                height: "1.64",
                bmi: "29.3"
            ),
            .vitals(
                on: "2025-03-10",
                systolic: 134,
                diastolic: 84,
                pulse: 72,
                weight: "76.2",
                height: "1.64",
                bmi: "28.3"
            ),
            .vitals(
                on: "2026-03-09",
                systolic: 128,
                diastolic: 80,
                pulse: 70,
                weight: "74.8",
                height: "1.64",
                bmi: "27.8"
            ),
            .immunization("Influenza, seasonal, injectable", "141", on: "2025-10-20"),
            .immunization("Tetanus and diphtheria toxoids", "09", on: "2019-04-02"),
            .procedure("Colonoscopy", on: "2020-02-18", "Elin Clinic"),
            .equipment(
                "Blood glucose meter",
                from: "2018-09-10",
                "Norrin Devices",
                "with strips for home use"
            ),
            .note(
                on: "2026-03-09",
                "Yearly review",
                "Feels well. Walks daily. Home pressures mostly below 130/80."
            ),
            .measurement("HBA1C", on: "2025-03-10", "6.7", "%"),
            .measurement("HBA1C", on: "2026-03-09", "6.4", "%"),
        ]
    )

    /// A young man with asthma.
    private static let tomas = SamplePerson(
        given: "Tomas",
        family: "Brandt",
        born: "1998-11-02",
        gender: "male",
        email: "tomas@example.org",
        street: "3 Mill Road",
        facts: [
            .problem("Asthma", "195967001", from: "2006-04-01"),
            .problem("Seasonal allergic rhinitis", "367498001", from: "2010-05-01"),
            .medication(
                "Albuterol 2 MG Oral Tablet",
                "197316",
                from: "2024-02-01",
                "one tablet when short of breath",
                fills: [("2026-02-02", 30, 30)]
            ),
            .medication(
                "Loratadine 10 MG Oral Tablet",
                "311372",
                from: "2026-04-15",
                to: "2026-07-31",
                "one tablet a day in the pollen season",
                fills: [("2026-04-15", 30, 30), ("2026-05-15", 30, 30)]
            ),
            .foodAllergy("Peanut", "QE1QX6B99R", "Urticaria", "126485001"), .noKnownDrugAllergies,
            .lab(
                "Eosinophils/100 leukocytes in Blood",
                "713-8",
                on: "2025-04-22",
                "7.5",
                "%",
                normal: ("0.0", "5.0"),
                "abnormal"
            ),
            .lab(
                "Eosinophils/100 leukocytes in Blood",
                "713-8",
                on: "2026-04-20",
                "5.8",
                "%",
                normal: ("0.0", "5.0"),
                "abnormal"
            ),
            .lab(
                "Hemoglobin [Mass/volume] in Blood",
                "718-7",
                on: "2026-04-20",
                "15.1",
                "g/dL",
                normal: ("13.5", "17.5")
            ),
            .vitals(
                on: "2025-04-22",
                systolic: 118,
                diastolic: 74,
                pulse: 66,
                weight: "72.0",
                height: "1.81",
                bmi: "22.0"
            ),
            .vitals(
                on: "2026-04-20",
                systolic: 121,
                diastolic: 76,
                pulse: 64,
                weight: "73.5",
                height: "1.81",
                bmi: "22.4"
            ),
            .immunization("Influenza, seasonal, injectable", "141", on: "2025-11-03"),
            .procedure("Spirometry", on: "2026-04-20", "Elin Clinic"),
            .equipment("Peak flow meter", from: "2012-09-01", "Airwell", "for home use"),
            .note(
                on: "2026-04-20",
                "Wheezing in the evening",
                "Mild wheeze on both sides. Peak flow 520 l/min."
            ),
            .measurement("WEIGHT", on: "2026-04-20", "73.5", "kg"),
        ]
    )

    /// A child with her vaccinations.
    private static let alma = SamplePerson(
        given: "Alma",
        family: "Halloran",
        born: "2020-07-23",
        gender: "female",
        email: "ines@example.org",
        street: "12 Harbour Lane",
        facts: [
            .problem("Acute otitis media", "3110003", from: "2024-01-15", to: "2024-01-27"),
            .medication(
                "Amoxicillin 250 MG Chewable Tablet",
                "308189",
                from: "2024-01-15",
                to: "2024-01-25",
                "one tablet three times a day for ten days",
                frequency: "3",
                fills: [("2024-01-15", 10, 30)]
            ),
            .foodAllergy("Egg white", "3E0I92Z2GR", "Eczema", "43116000"), .noKnownDrugAllergies,
            .lab(
                "Hemoglobin [Mass/volume] in Blood",
                "718-7",
                on: "2025-08-05",
                "12.4",
                "g/dL",
                normal: ("11.5", "13.5")
            ),
            .vitals(
                on: "2024-08-06",
                systolic: 96,
                diastolic: 58,
                pulse: 98,
                weight: "16.2",
                height: "1.02",
                bmi: "15.6"
            ),
            .vitals(
                on: "2025-08-05",
                systolic: 98,
                diastolic: 60,
                pulse: 94,
                weight: "18.4",
                height: "1.09",
                bmi: "15.5"
            ),
            .vitals(
                on: "2026-08-04",
                systolic: 99,
                diastolic: 61,
                pulse: 90,
                weight: "20.9",
                height: "1.15",
                bmi: "15.8"
            ),
            .immunization("Measles, mumps and rubella virus vaccine", "03", on: "2021-08-10"),
            .immunization("Measles, mumps and rubella virus vaccine", "03", on: "2025-08-05"),
            .immunization("Varicella virus vaccine", "21", on: "2021-08-10"),
            .procedure("Hearing test", on: "2024-03-04", "Elin Clinic"),
            .equipment("Spectacles", from: "2025-09-12", "Optik Elin", "for reading"),
            .note(on: "2026-08-04", "Well-child visit", "Growing along the middle of her curve."),
            .measurement("HEIGHT", on: "2026-08-04", "1.15", "m"),
        ]
    )
}
