/// The bytes of a report on medications, as a server gives it.
enum Reports {
    private static let fields = [
        ("drugName_title", "Metformin hydrochloride 500 MG"),
        ("drugName_system", "http://purl.bioontology.org/ontology/RXNORM/"),
        ("drugName_identifier", "861007"), ("startDate", "2018-09-03T00:00:00Z"),
        ("endDate", "2026-05-04T00:00:00Z"),
        ("frequency_value", "2"), ("frequency_unit", "/d"), ("quantity_value", "1.5"),
        ("quantity_unit", "{tablet}"),
        ("instructions", "one in the morning and one in the evening"),
        ("provenance_title", "Fulfillment at pharmacy"),
        ("provenance_system", "http://smartplatforms.org/terms/codes/MedicationProvenance#"),
        ("provenance_identifier", "fulfillment"),
    ]
    private static let fill = [
        ("date", "2018-09-04T09:30:00Z"), ("dispenseDaysSupply", "30.0"), ("quantityDispensed_value", "60.0"),
        ("quantityDispensed_unit", "{tablet}"), ("pbm", "T00000000001011"),
    ]

    /// What a server says of a document that it stored.
    static let stored = Array(
        """
        <Document id=\"6f9619ff-8b86-4d01-b42d-000000000001\" \
        type=\"Medication\"><createdAt>2026-11-22T04:00:00Z</createdAt></Document>
        """
        .utf8
    )

    private static func id(_ number: Int) -> String {
        let digits = String(number)
        return "6f9619ff-8b86-4d01-b42d-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    static func xml(_ count: Int) -> [UInt8] {
        func model(_ name: String, _ id: String, _ fields: [(String, String)], _ more: String = "") -> String
        {
            "<Model name=\"\(name)\" documentId=\"\(id)\">"
                + fields.map { "<Field name=\"\($0)\">\($1)</Field>" }.joined() + more + "</Model>"
        }
        let medications = (0..<count).map { number in
            let fill = model("Fill", id(number), fill)
            return model(
                "Medication",
                id(number),
                fields,
                "<Field name=\"fulfillments\"><Models>\(fill)</Models></Field>"
            )
        }
        return Array("<Models>\(medications.joined())</Models>".utf8)
    }

    static func json(_ count: Int) -> [UInt8] {
        func text(_ name: String, _ value: String) -> String {
            let isNumber = name.hasSuffix("_value") || name == "dispenseDaysSupply"
            return "\"\(name)\": " + (isNumber ? value : "\"\(value)\"")
        }
        func model(_ name: String, _ id: String, _ fields: [(String, String)], _ more: String = "") -> String
        {
            "{\"__modelname__\": \"\(name)\", \"__documentid__\": \"\(id)\", "
                + fields.map(text).joined(separator: ", ") + more + "}"
        }
        let medications = (0..<count).map { number in
            model(
                "Medication",
                id(number),
                fields,
                ", \"fulfillments\": [\(model("Fill", id(number), fill))]"
            )
        }
        return Array("[\(medications.joined(separator: ", "))]".utf8)
    }
}
