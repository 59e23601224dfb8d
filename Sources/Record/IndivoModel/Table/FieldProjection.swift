import IndivoXML

extension FieldSchema {
    /// A document's field beside its value: names, position, and whether the source has it.
    ///
    /// ```swift
    /// medication.$drugName.name          // "drugName"
    /// medication.$drugName.path          // "Medication/drugName"
    /// medication.$drugName.leafNames     // ["drugName_title", "drugName_system", "drugName_identifier"]
    /// medication.$drugName.presence      // .present, .empty or .absent
    /// ```
    /// The presence is that in the document's source: what was read, or last sent to a server. It
    /// distinguishes a field that a server left out from one that it says is empty; the property is `nil` for
    /// both.
    public struct Projection: Sendable, Hashable {
        /// The Swift property.
        public let property: String
        /// The name in XML, today's.
        public let name: String
        /// Names under which older documents hold it.
        public let formerNames: [String]
        /// The path in the document: the model or root element, and the field in it; an attribute has an `@`.
        /// The text of the element itself has the element's path.
        public let path: String
        /// In a data model, the names of the plain fields which the value becomes, today's; for a relation
        /// its name.
        public let leafNames: [String]
        /// Whether the document's source has the field.
        public let presence: Presence
        /// The line of the source on which it stands, from 1; `nil` where that is not known.
        public let line: Int?

        /// Whether the source has a value for the field.
        public var isPresent: Bool { presence == .present }

        /// Whether a document has a field.
        public enum Presence: Sendable, Hashable {
            /// The document does not have the field.
            case absent
            /// The field is there, without a value.
            case empty
            /// The field is there, with a value.
            case present
        }

        /// - Parameter storage: The field's address in the object. Its distance from the object's address is
        ///   the field's offset.
        init(_ document: IndivoDocument, storage: UnsafeRawPointer) {
            let schema = ModelSchema.of(type(of: document))
            let offset = storage - UnsafeRawPointer(document.storage)
            guard let field = schema.fields.first(where: { $0.offset == offset }) else {
                preconditionFailure(
                    "\(schema.typeName) has no such field; was it compiled with -disable-reflection-metadata?"
                )
            }
            let (element, format): (String, TableFormat) =
                switch type(of: document).format {
                case .dataModel: (document.modelName, .dataModel)
                case .nested(let root, _): (document.source?.name ?? root, .nested)
                }
            let table = FieldTable(document.source, schema, format)
            property = field.property
            name = field.name
            formerNames = field.declared.formerly
            path =
                switch format == .dataModel ? .element : field.place {
                case .element: "\(element)/\(field.name)"
                case .attribute: "\(element)/@\(field.name)"
                case .text: element
                }
            let isFlat = format == .dataModel && field.relation == nil
            leafNames = isFlat ? field.leaves.map { schema.leaves[$0].name } : [field.name]
            let origins: [XMLView]
            let isSaid: Bool
            if let relation = field.relation.map({ table.relations[$0] }) {
                origins = [relation.origin].compactMap { $0 }
                isSaid =
                    format == .dataModel
                    ? !relation.items.isEmpty : origins.contains { !$0.isEffectivelyEmpty }
            } else if let group = field.group, format == .nested {
                origins = [table.groups[group].origin].compactMap { $0 }
                isSaid = origins.contains { !$0.isEffectivelyEmpty }
            } else {
                origins = field.leaves.compactMap { table.leaves[$0].origin }
                isSaid = field.leaves.contains { table.leaves[$0].hasText }
            }
            presence = isSaid ? .present : origins.isEmpty ? .absent : .empty
            line = origins.lazy.compactMap(\.node.line).first
        }
    }
}
