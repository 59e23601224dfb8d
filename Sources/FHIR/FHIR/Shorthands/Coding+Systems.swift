extension Coding {
    public init(system: FHIRURI, code: String, display: String? = nil) {
        self.init()
        self.system = system
        self.code = code
        self.display = display
    }
}

extension CodeableConcept {
    /// A concept with codes, and text for people.
    public init(_ coding: Coding..., text: String? = nil) {
        self.init()
        self.coding = coding
        self.text = text
    }

    /// A concept that has only text.
    public init(text: String) {
        self.init()
        self.text = text
    }

    /// A code of LOINC, with its display as the text.
    public static func loinc(_ code: String, _ display: String? = nil) -> Self {
        concept(.loinc, code, display)
    }

    /// A code of SNOMED CT, with its display as the text.
    public static func snomed(_ code: String, _ display: String? = nil) -> Self {
        concept(.snomed, code, display)
    }

    /// A code of RxNorm, with its display as the text.
    public static func rxNorm(_ code: String, _ display: String? = nil) -> Self {
        concept(.rxNorm, code, display)
    }

    /// A code of a system, with its display as the text.
    public static func code(_ code: String, system: FHIRURI, _ display: String? = nil) -> Self {
        concept(system, code, display)
    }

    private static func concept(_ system: FHIRURI, _ code: String, _ display: String?) -> Self {
        CodeableConcept(Coding(system: system, code: code, display: display), text: display)
    }

    /// Whether one of the codings is a code of a system.
    public func contains(_ code: String, system: FHIRURI) -> Bool {
        coding.contains { $0.code == code && $0.system == system }
    }
}
