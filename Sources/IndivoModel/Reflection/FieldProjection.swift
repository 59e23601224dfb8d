import IndivoXML

/// What there is to know of a document's field beside its value: names, place, and whether the source has it.
///
/// ```swift
/// medication.$drugName.name          // "drugName"
/// medication.$drugName.path          // "Medication/drugName"
/// medication.$drugName.leafNames     // ["drugName_title", "drugName_system", "drugName_identifier"]
/// medication.$drugName.presence      // .present, .empty or .absent
/// ```
/// The presence is that in the document's source: what was read, or last sent to a server. It tells a field that a
/// server left out from one that it says is empty, where the property is `nil` for both.
public struct FieldProjection: Sendable, Hashable {
    /// The Swift property.
    public let property: String
    /// The name in XML, today's.
    public let name: String
    /// Names under which older documents hold it.
    public let formerNames: [String]
    /// The place in the document: the model or root element, and the field in it; an attribute has an `@`. The text of
    /// the element itself has the element's place.
    public let path: String
    /// In a data model, the names of the plain fields which the value becomes, today's; for a relation its name.
    public let leafNames: [String]
    /// Whether the document's source has the field.
    public let presence: FieldPresence
    /// The line of the source on which it stands, from 1; `nil` where that is not known.
    public let line: Int?

    /// Whether the source has a value for the field.
    public var isPresent: Bool { presence == .present }
}

/// Whether a document has a field.
public enum FieldPresence: Sendable, Hashable {
    /// The document says nothing of it.
    case absent
    /// The field is there and says nothing.
    case empty
    /// The field is there, with a value.
    case present
}

extension FieldProjection {
    /// - Parameter storage: Where the field lies: in the object, whose address away it is its offset.
    init(_ document: IndivoDocument, storage: UnsafeRawPointer) {
        let layout = Layout.of(type(of: document))
        let offset = storage - UnsafeRawPointer(document.storage)
        guard let field = layout.fields.first(where: { $0.offset == offset }) else {
            preconditionFailure(
                "\(layout.typeName) has no such field; was it compiled with -disable-reflection-metadata?")
        }
        self.init(field, of: document, layout)
    }

    private init(_ field: FieldLayout, of document: IndivoDocument, _ layout: Layout) {
        property = field.property
        name = field.name
        formerNames = field.formerly
        switch type(of: document).format {
        case .dataModel:
            path = "\(document.modelName)/\(field.name)"
            let fields = ModelFields(document.source, layout.flat)
            let place = layout.flat.entries.lazy.compactMap { $0.place(of: field) }.first
            switch place {
            case .leaves(_, let range):
                leafNames = range.map { layout.flat.leaves[$0].name }
                presence =
                    if range.contains(where: { fields.text(of: $0) != nil }) { .present }
                    else if range.contains(where: { fields[$0] != nil }) { .empty } else { .absent }
                line = range.lazy.compactMap { fields.line(of: $0) }.first
            case .relation(_, let index):
                leafNames = [field.name]
                let element = fields.relation(index)
                presence = element.map { $0.relatedModels.isEmpty ? .empty : .present } ?? .absent
                line = element?.line
            case nil:
                (leafNames, presence, line) = ([], .absent, nil)
            }
        case .nested(let root, _):
            let name = document.source?.name ?? root
            leafNames = [field.name]
            switch field.place {
            case .attribute, .key:
                path = "\(name)/@\(field.name)"
                let value = document.source?.view?.attribute(of: field)
                presence = value.map { $0.isEmpty ? .empty : .present } ?? .absent
                line = value == nil ? nil : document.source?.line
            case .text:
                path = name
                presence = document.source.map { $0.text().isEmpty ? .empty : .present } ?? .absent
                line = document.source?.line
            case .element:
                path = "\(name)/\(field.name)"
                let element = document.source?.view.flatMap { NestedFields($0, layout)[field] }?.node
                presence = element.map { $0.saysNothing ? .empty : .present } ?? .absent
                line = element?.line
            }
        }
    }
}

extension FlatLayout.Entry {
    fileprivate func place(of wanted: FieldLayout) -> Self? {
        switch self {
        case .leaves(let field, _), .relation(let field, _): field === wanted ? self : nil
        }
    }
}

extension XMLNode {
    /// Whether an element has no text, no element and no attribute with a value.
    fileprivate var saysNothing: Bool {
        text().isEmpty && view?.firstElement == nil && attributes.allSatisfy { $0.value.isEmpty }
    }
}
