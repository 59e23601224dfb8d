import FHIR
import OrderedJSON

/// A section of the International Patient Summary (HL7 IPS, `Composition-uv-ips`).
struct SummarySection: Sendable {
    /// LOINC's code.
    let code: String
    let display: String
    let title: String
    /// Whether it is there without entries, too: then it says why it is empty.
    let isRequired: Bool
    /// Whether a resource belongs to it.
    let includes: @Sendable (AnyResource) -> Bool

    /// The sections that a record has something for, in IPS's order.
    static let all: [SummarySection] = [
        .init("11450-4", "Problem list - Reported", "Problems", isRequired: true) {
            $0.as(Condition.self).map { !$0.isOver } ?? false
        },
        .init("48765-2", "Allergies and adverse reactions Document", "Allergies", isRequired: true) {
            $0.resourceType == "AllergyIntolerance"
        },
        .init("10160-0", "History of Medication use Narrative", "Medications", isRequired: true) {
            $0.resourceType == "MedicationStatement"
        },
        .init("11369-6", "History of Immunization note", "Immunizations") {
            $0.resourceType == "Immunization"
        },
        .init("30954-2", "Relevant diagnostic tests/laboratory data note", "Results") {
            $0.as(Observation.self)?.isOf(category: "laboratory") ?? false
        },
        .init("47519-4", "History of Procedures Document", "Procedures") { $0.resourceType == "Procedure" },
        .init("46264-8", "History of medical device use", "Medical devices") {
            $0.resourceType == "DeviceUseStatement"
        },
        .init("11348-0", "History of Past illness note", "Past problems") {
            $0.as(Condition.self)?.isOver ?? false
        },
        .init("8716-3", "Vital signs note", "Vital signs") {
            $0.as(Observation.self)?.isOf(category: "vital-signs") ?? false
        },
    ]

    private init(
        _ code: String,
        _ display: String,
        _ title: String,
        isRequired: Bool = false,
        _ includes: @escaping @Sendable (AnyResource) -> Bool
    ) {
        self.code = code
        self.display = display
        self.title = title
        self.isRequired = isRequired
        self.includes = includes
    }

    /// The section with its entries and a narrative; nil where it is empty and need not be there.
    func section(_ entries: [FHIR.Bundle.Entry]) -> Composition.Section? {
        let own = entries.filter { $0.resource.map(includes) ?? false }
        guard !own.isEmpty || isRequired else { return nil }
        var section = Composition.Section()
        section.title = title
        section.code = CodeableConcept(Coding(system: .loinc, code: code, display: display))
        let lines = own.compactMap { $0.resource?.narrativeLine }
        section.text = .generated(lines.isEmpty ? "<p>No information is available.</p>" : .list(lines))
        section.entry = own.compactMap { $0.fullUrl.map { Reference($0.rawValue) } }
        if own.isEmpty {
            section.emptyReason = CodeableConcept(
                Coding(
                    system: "http://terminology.hl7.org/CodeSystem/list-empty-reason",
                    code: "unavailable",
                    display: "Unavailable"
                ),
                text: "No information available"
            )
        }
        return section
    }
}

extension Condition {
    /// Whether it is a problem of the past.
    fileprivate var isOver: Bool {
        ["inactive", "remission", "resolved"].contains(clinicalStatus?.firstCode ?? "")
    }
}

extension Observation {
    fileprivate func isOf(category code: String) -> Bool { category.contains { $0.firstCode == code } }
}

extension Narrative {
    /// A narrative that was made from the elements.
    /// - Parameter xhtml: What is in its `div`.
    static func generated(_ xhtml: String) -> Narrative {
        Narrative(view: [
            "status": "generated",
            "div": JSONValue("<div xmlns=\"http://www.w3.org/1999/xhtml\">\(xhtml)</div>"),
        ])
    }
}

extension String {
    /// Lines of XHTML as a list.
    static func list(_ lines: [String]) -> String {
        "<ul>\(lines.map { "<li>\($0)</li>" }.joined())</ul>"
    }
}
