/// A person's name. SDML type `Name`.
public struct PersonName: CompoundValue {
    @Field public var family: String?
    @Field public var given: String?
    @Field public var middle: String?
    @Field public var prefix: String?
    @Field public var suffix: String?

    public init() {}

    public init(given: String?, family: String?) {
        self.given = given
        self.family = family
    }
}

/// A telephone number. SDML type `Telephone`.
public struct Telephone: CompoundValue {
    /// Where the telephone is.
    public enum Kind: String, LexicalValue, CaseIterable {
        case home = "h"
        case work = "w"
        case mobile = "c"
    }

    @Field("type") public var kind: Kind?
    /// At most 20 characters.
    @Field(rules: [.maximumLength(20)]) public var number: String?
    /// Whether this is the number to call first.
    @Field("preferred_p") public var isPreferred: Bool?

    public init() {}

    public init(_ number: String?, kind: Kind? = nil, isPreferred: Bool? = nil) {
        self.number = number
        self.kind = kind
        self.isPreferred = isPreferred
    }
}

/// A postal address. SDML type `Address`.
public struct Address: CompoundValue {
    @Field public var country: String?
    @Field public var city: String?
    /// At most 12 characters.
    @Field("postalcode", rules: [.maximumLength(12)]) public var postalCode: String?
    @Field public var region: String?
    @Field public var street: String?

    public init() {}
}

/// A clinic, laboratory or other organization. SDML type `Organization`.
public struct Organization: CompoundValue {
    @Field public var name: String?
    @Field("adr") public var address: Address?

    public init() {}

    public init(name: String?, address: Address? = nil) {
        self.name = name
        self.address = address
    }
}

/// A pharmacy. SDML type `Pharmacy`.
public struct Pharmacy: CompoundValue {
    /// Its number with the National Council for Prescription Drug Programs.
    @Field("ncpdpid") public var ncpdpID: String?
    /// Its name.
    @Field("org") public var organization: String?
    @Field("adr") public var address: Address?

    public init() {}

    public init(organization: String?, ncpdpID: String? = nil, address: Address? = nil) {
        self.organization = organization
        self.ncpdpID = ncpdpID
        self.address = address
    }
}

/// A person who provides care. SDML type `Provider`.
public struct Provider: CompoundValue {
    /// The provider's gender.
    public enum Gender: String, LexicalValue, CaseIterable {
        case male = "m"
        case female = "f"
    }

    /// The number with the Drug Enforcement Administration.
    @Field("dea_number") public var deaNumber: String?
    @Field public var ethnicity: String?
    /// The National Provider Identifier.
    @Field("npi_number") public var npiNumber: String?
    @Field("preferred_language") public var preferredLanguage: String?
    @Field public var race: String?
    @Field public var gender: Gender?
    @Field(rules: [.email]) public var email: String?
    @Field("bday") public var birthday: XMLDate?
    @Field("adr") public var address: Address?
    @Field public var name: PersonName?
    @Field("tel_1") public var telephone1: Telephone?
    @Field("tel_2") public var telephone2: Telephone?

    public init() {}
}
