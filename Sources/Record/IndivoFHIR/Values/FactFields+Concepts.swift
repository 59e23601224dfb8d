import FHIR

extension FactFields {
    /// A coded value: the leaves `_title`, `_system` and `_identifier`, today's or the older `_code_…`.
    ///
    /// The title is the text; the title of the code itself, where it is another, the code's display.
    func concept(_ names: String...) -> CodeableConcept? { concept(names) }

    func concept(_ names: [String]) -> CodeableConcept? {
        func leaves(_ ends: [String]) -> [String] { ends.flatMap { end in names.map { "\($0)_\(end)" } } }
        let title = value(leaves(["title"])) { $0 }
        let display = value(leaves(["code_title"])) { $0 } ?? title
        let system = value(leaves(["system", "code_system"])) { CodeSystems.uri(of: $0) }
        let code = value(leaves(["identifier", "code_identifier"])) { Self.code($0) }
        return Self.concept(text: title ?? display, system: system, code: code, display: display)
    }

    /// A coded value in four leaves, of which the text has the bare name: `name`, `name_type`, `name_value`
    /// and `name_abbrev`.
    func namedConcept(_ name: String) -> CodeableConcept? {
        let title = text(name)
        let system = value([name + "_type"]) { CodeSystems.uri(of: $0) }
        let code = value([name + "_value"]) { Self.code($0) }
        var concept = Self.concept(text: title, system: system, code: code, display: title)
        if let abbreviation = text(name + "_abbrev") {
            // A coding of its own: it is not what the code system calls the code.
            var coding = Coding()
            coding.display = abbreviation
            concept = concept ?? CodeableConcept()
            concept?.coding.append(coding)
        }
        return concept
    }

    private static func concept(text: String?, system: FHIRURI?, code: String?, display: String?)
        -> CodeableConcept?
    {
        guard text != nil || system != nil || code != nil else { return nil }
        var concept = CodeableConcept()
        if system != nil || code != nil {
            var coding = Coding()
            coding.system = system
            coding.code = code
            coding.display = display
            concept.coding = [coding]
        }
        concept.text = text
        return concept
    }

    /// A code as FHIR writes codes: single blanks inside, none around.
    private static func code(_ text: String) -> String? {
        let parts = text.split(whereSeparator: \.isWhitespace)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

extension CodeableConcept {
    /// What stands where an element is required and the record says nothing.
    static var unknown: CodeableConcept {
        CodeableConcept(Coding(system: Vocabulary.dataAbsentReason, code: "unknown", display: "Unknown"))
    }

    var firstCode: String? { coding.first?.code }

    /// The concept with another coding before its own.
    func translated(to coding: Coding?) -> CodeableConcept {
        guard let coding else { return self }
        var concept = self
        concept.coding.insert(coding, at: 0)
        return concept
    }
}

extension FHIRElement {
    /// Keeps the coded value that an element of type code was made from: title and code are not lost.
    mutating func keep(_ concept: CodeableConcept, of element: String, at index: Int? = nil) {
        setExtensions(
            [Extension(url: Vocabulary.codedValue, value: .codeableConcept(concept))],
            of: element,
            at: index
        )
    }

    /// Says that a required element has no value.
    mutating func setUnknown(_ element: String) {
        setExtensions([Extension(url: Vocabulary.dataAbsentExtension, value: .code("unknown"))], of: element)
    }
}
