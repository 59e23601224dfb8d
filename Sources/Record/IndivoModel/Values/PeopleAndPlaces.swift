/// A person's name. SDML type `Name`.
public struct PersonName: CompoundValue {
    /// The family name.
    @Field public var family: String?
    /// The given name.
    @Field public var given: String?
    /// The middle name or names.
    @Field public var middle: String?
    /// What stands before the name, such as `Dr.`
    @Field public var prefix: String?
    /// What stands behind the name, such as `Jr.`
    @Field public var suffix: String?

    public init() {}

    /// A name of two parts.
    public init(given: String?, family: String?) {
        self.given = given
        self.family = family
    }
}

/// A telephone number. SDML type `Telephone`.
public struct Telephone: CompoundValue {
    /// Where the telephone is.
    public enum Kind: String, LexicalValue, CaseIterable {
        /// At home (`h`).
        case home = "h"
        /// At work (`w`).
        case work = "w"
        /// A mobile telephone (`c`).
        case mobile = "c"
    }

    /// Where the telephone is.
    @Field("type") public var kind: Kind?
    /// At most 20 characters.
    @Field(rules: [.maximumLength(20)]) public var number: String?
    /// Whether this is the number to call first.
    @Field("preferred_p") public var isPreferred: Bool?

    public init() {}

    /// A number, and where it reaches the person.
    public init(_ number: String?, kind: Kind? = nil, isPreferred: Bool? = nil) {
        self.number = number
        self.kind = kind
        self.isPreferred = isPreferred
    }
}

/// A postal address. SDML type `Address`.
public struct Address: CompoundValue {
    @Field public var country: String?
    /// The city or town.
    @Field public var city: String?
    /// At most 12 characters.
    @Field("postalcode", rules: [.maximumLength(12)]) public var postalCode: String?
    /// The state or province.
    @Field public var region: String?
    /// The street and number.
    @Field public var street: String?

    public init() {}
}

/// A clinic, laboratory or other organization. SDML type `Organization`.
public struct Organization: CompoundValue {
    /// The organization's name.
    @Field public var name: String?
    /// Where the organization is.
    @Field("adr") public var address: Address?

    public init() {}

    /// An organization and where it is.
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
    /// Where the pharmacy is.
    @Field("adr") public var address: Address?

    public init() {}

    /// A pharmacy, its number and where it is.
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
        /// Male (`m`).
        case male = "m"
        /// Female (`f`).
        case female = "f"
    }

    /// The number with the Drug Enforcement Administration.
    @Field("dea_number") public var deaNumber: String?
    /// The ethnicity, in words.
    @Field public var ethnicity: String?
    /// The National Provider Identifier.
    @Field("npi_number") public var npiNumber: String?
    /// The language the person likes to be addressed in.
    @Field("preferred_language") public var preferredLanguage: String?
    /// The race, in words.
    @Field public var race: String?
    /// The gender, as far as servers distinguish genders.
    @Field public var gender: Gender?
    /// The e-mail address; a server checks its form.
    @Field(rules: [.email]) public var email: String?
    /// The day of birth.
    @Field("bday") public var birthday: XMLDate?
    /// Where the person works.
    @Field("adr") public var address: Address?
    /// The person's name.
    @Field public var name: PersonName?
    @Field("tel_1") public var telephone1: Telephone?
    /// Another telephone.
    @Field("tel_2") public var telephone2: Telephone?

    public init() {}
}
