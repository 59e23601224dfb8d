/// A graph of facts in RDF/XML, as the SMART API of version 0.4 has it.
///
/// An RDF library makes the most of it; this type has only what an app needs for further Indivo calls.
public struct SMARTGraph: Sendable {
    /// The graph as it came.
    public let content: FileContent

    init(_ answer: CallResponse) throws {
        _ = try answer.xml(root: "RDF")
        content = answer.content
    }

    /// A kind of facts that servers give as SMART graphs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Allergies, and what the patient is known not to be allergic to.
        case allergies
        /// Visits.
        case encounters
        /// Medications as they were dispensed.
        case fulfillments
        case immunizations
        /// Results of a laboratory.
        case labResults = "lab_results"
        case medications
        /// Diagnoses and complaints.
        case problems
        /// Vital signs, a set for each visit.
        case vitalSigns = "vital_signs"

        /// The names of its classes in the SMART ontology.
        fileprivate var types: [String] {
            switch self {
            case .allergies: ["Allergy", "AllergyExclusion"]
            case .encounters: ["Encounter"]
            case .fulfillments: ["Fulfillment"]
            case .immunizations: ["Immunization"]
            case .labResults: ["LabResult"]
            case .medications: ["Medication"]
            case .problems: ["Problem"]
            case .vitalSigns: ["VitalSigns"]
            }
        }
    }

    /// The root element, `rdf:RDF`.
    public func xml() throws -> XMLNode { try content.xml() }

    /// A node of the graph that has a type and an address of its own.
    public struct Resource: Sendable, Hashable {
        /// The address (`rdf:about`).
        public let uri: String
        /// The URIs of its types (`rdf:type`).
        public let types: [String]
    }

    /// The nodes that have an address, in the graph's order.
    /// - Throws: `XMLError`.
    public func resources() throws -> [Resource] {
        let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        return try xml().children().compactMap { node in
            guard let uri = node.attr("about", namespace: rdf) else { return nil }
            var types = node.children(named: "type").compactMap { $0.attr("resource", namespace: rdf) }
            // A node may be called after its type instead.
            if node.name != "Description" { types.append((node.namespace ?? "") + node.name) }
            return Resource(uri: uri, types: types)
        }
    }

    /// The ids of the facts of a kind. Besides this, only the report on measurements contains fact ids.
    /// - Throws: `XMLError`.
    public func factIDs(of kind: Kind) throws -> [String] {
        let wanted = kind.types.map { "http://smartplatforms.org/terms#" + $0 }
        return try resources().filter { !Set($0.types).isDisjoint(with: wanted) }
            .compactMap { $0.uri.split(separator: "/").last.map(String.init) }
    }
}
