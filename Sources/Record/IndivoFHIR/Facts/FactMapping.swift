import FHIR

/// How the fields of a data model become FHIR.
///
/// The rows are both what happens and what the documentation says: each takes some fields and sets some
/// elements.
struct FactMapping: Sendable {
    /// The data model, or the root element of nested XML.
    let model: String
    /// What comes of a fact, in words.
    let resources: String
    /// The fields of each row and the elements that they go to.
    let table: [(fields: String, elements: String)]
    /// Makes the resources of a fact.
    let convert: @Sendable (FactFields, FactContext) -> [FactResource]

    /// - Parameters:
    ///   - start: The resources before a field was read.
    ///   - finish: The resources, once all fields were read; none when the fact says nothing.
    init<Draft>(
        _ model: String,
        to resources: String,
        start: @escaping @Sendable (FactContext) -> Draft,
        rows: [MappingRow<Draft>],
        finish: @escaping @Sendable (Draft, FactContext) -> [FactResource]
    ) {
        self.model = model
        self.resources = resources
        table = rows.map { ($0.fields, $0.elements) }
        convert = { fields, context in
            var draft = start(context)
            for row in rows { row.apply(&draft, fields, context) }
            let resources = finish(draft, context)
            if resources.isEmpty { fields.reportAll(.noFact) }
            return resources
        }
    }

    /// All data models that have a way into FHIR.
    static let all: [FactMapping] = [
        .demographics, .medication, .fill, .problem, .allergy, .allergyExclusion, .immunization, .labResult,
        .vitalSigns,
        .encounter, .measurement, .procedure, .equipment, .simpleClinicalNote,
    ]

    private static let byModel = Dictionary(uniqueKeysWithValues: all.map { ($0.model, $0) })

    static func of(model: String) -> FactMapping? { byModel[model] }
}

/// Some fields of a model, and the elements that they go to.
struct MappingRow<Draft>: Sendable {
    /// The fields, as the documentation names them: `_*` for the parts of a compound value.
    let fields: String
    let elements: String
    let apply: @Sendable (inout Draft, FactFields, FactContext) -> Void

    init(
        _ fields: String,
        _ elements: String,
        _ apply: @escaping @Sendable (inout Draft, FactFields, FactContext) -> Void
    ) {
        self.fields = fields
        self.elements = elements
        self.apply = apply
    }
}

/// What a mapping knows of a fact beside its fields.
struct FactContext: Sendable {
    /// The patient.
    let subject: ResourceAddress
    /// What identifies the fact: the document's first version, and which fact of it this is.
    let key: String

    /// A reference to the patient.
    func patient<Target: FHIRResource>(_ type: Target.Type = Target.self) -> Reference<Target> {
        subject.reference()
    }

    /// Where a resource of the fact will be.
    /// - Parameter part: Which one, where a fact becomes several of a type.
    func address(_ type: String, _ part: String = "") -> ResourceAddress {
        ResourceAddress(type: type, key: part.isEmpty ? key : "\(key).\(part)")
    }
}

/// A resource of a fact, and where it will be.
struct FactResource {
    var resource: AnyResource
    let address: ResourceAddress

    init(_ resource: some FHIRResource, _ address: ResourceAddress) {
        self.resource = AnyResource(resource)
        self.address = address
    }
}
