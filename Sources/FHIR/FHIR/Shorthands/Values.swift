extension Quantity {
    /// A measured value. With a code its system is UCUM, unless another is given.
    public init(value: FHIRDecimal, unit: String? = nil, system: FHIRURI? = nil, code: String? = nil) {
        self.init()
        self.value = value
        self.unit = unit
        self.system = system ?? (code == nil ? nil : .ucum)
        self.code = code
    }
}

extension Period {
    /// From one point in time to another, either open.
    public init(start: FHIRDateTime? = nil, end: FHIRDateTime? = nil) {
        self.init()
        self.start = start
        self.end = end
    }
}

extension Identifier {
    /// An identifier that a system assigned.
    public init(system: FHIRURI?, value: String, use: IdentifierUse? = nil) {
        self.init()
        self.use = use
        self.system = system
        self.value = value
    }
}

extension HumanName {
    /// A name.
    public init(family: String? = nil, given: [String] = [], use: NameUse? = nil) {
        self.init()
        self.use = use
        self.family = family
        self.given = given
    }

    /// The text, or given names and family name.
    public var displayName: String { text ?? (given + [family].compactMap { $0 }).joined(separator: " ") }
}

extension ContactPoint {
    /// A telephone number, mail address or the like.
    public init(system: ContactPointSystem, value: String, use: ContactPointUse? = nil) {
        self.init()
        self.system = system
        self.value = value
        self.use = use
    }
}

extension Annotation {
    /// A note with an author and time.
    public init(text: String, time: FHIRDateTime?) {
        self.init(text: text)
        self.time = time
    }
}

extension Extension {
    /// An extension with a value.
    public init(url: FHIRURI, value: AnyValue?) {
        self.init(url: url)
        self.value = value
    }
}

extension Patient {
    /// A patient with a name.
    public init(
        name: HumanName,
        identifier: Identifier? = nil,
        gender: AdministrativeGender? = nil,
        birthDate: FHIRDate? = nil
    ) {
        self.init()
        if let identifier { self.identifier = [identifier] }
        self.name = [name]
        self.gender = gender
        self.birthDate = birthDate
    }
}
