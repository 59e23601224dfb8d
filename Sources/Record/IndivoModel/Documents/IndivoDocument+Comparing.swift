import IndivoXML

// Of a protocol, since only there `Self` is the class that is made.
extension FieldElement where Self: IndivoDocument {
    /// Makes a new document and fills it in.
    ///
    /// ```swift
    /// try await record.add(Medication {
    ///     $0.drugName = CodedValue(title: "Vitamin C 500 MG", system: .rxNorm, identifier: "316153")
    ///     $0.startDate = "2026-11-21"
    /// })
    /// ```
    public init(_ fill: (Self) throws -> Void) rethrows {
        self.init()
        try fill(self)
    }

    /// A new document that says the same, with what the class does not know and what could not be read: one
    /// that is not on a server yet.
    /// - Throws: ``DocumentError`` when the document holds something that its format cannot.
    public func copy() throws -> Self {
        // Of the object's own class, also where only a superclass is known of it.
        let copy: Self
        if let element = try nestedCopy() {
            copy = type(of: self).init()
            try copy.readNested(element, root: nil, namespace: nil, collecting: ReadingProblems())
        } else {
            copy = try type(of: self).read(
                from: PreparedDocument(new: self).root,
                collecting: ReadingProblems()
            )
        }
        copy.id = nil
        return copy
    }
}

extension IndivoDocument: Equatable {
    /// A copy's element, of a document that stands inside nested XML or holds what data models cannot.
    fileprivate final func nestedCopy() throws -> XMLNode? {
        guard type(of: self).format.isDataModel else { return nil }
        if let source {
            return source.name == "Model" ? nil : try nestedXML(root: source.name, namespace: nil)
        }
        let fitsModel = ModelSchema.of(type(of: self)).relations.allSatisfy(\.isModelRelation)
        return fitsModel ? nil : try nestedXML(root: "Model", namespace: nil)
    }

    /// Whether both say the same; see ``hasSameContent(as:)``. Use `===` to compare objects.
    public static func == (a: IndivoDocument, b: IndivoDocument) -> Bool { a.hasSameContent(as: b) }

    /// Whether both hold the same values in all fields their class declares, related documents included.
    public final func hasSameContent(as other: IndivoDocument) -> Bool {
        type(of: self) == type(of: other) && FieldTable(self).hasSameContent(as: FieldTable(other))
    }

    /// Whether the document says something else than its source.
    package final var isChanged: Bool {
        source.map { !SourceComparison(type(of: self), $0).isSaid(self, by: $0) } ?? true
    }

    /// Whether the source says the same and holds the related documents where they are.
    final var isAsInSource: Bool {
        source.map { SourceComparison(type(of: self), $0, isInPlace: true).isSaid(self, by: $0) } ?? false
    }
}
