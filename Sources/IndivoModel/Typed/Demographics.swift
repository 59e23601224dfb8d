/// Who the patient is (element `Demographics`), as it is sent to a server.
public final class Demographics: IndivoDocument {
    override public class var format: DocumentFormat {
        .nested(root: "Demographics", namespace: "http://indivo.org/vocab/xml/documents#")
    }

    /// The patient's gender as Indivo has it.
    public enum Gender: String, LexicalValue, CaseIterable {
        /// Male.
        case male
        /// Female.
        case female
    }

    /// A name.
    public struct Name: CompoundValue {
        /// The family name.
        @Field public var familyName: String?
        /// The given name.
        @Field public var givenName: String?
        /// The middle name or names.
        @Field public var middleName: String?
        /// What stands before the name, such as `Dr.`
        @Field public var prefix: String?
        /// What stands behind the name, such as `Jr.`
        @Field public var suffix: String?

        public init() {}
    }

    /// A telephone number.
    public struct Phone: CompoundValue {
        /// Where the telephone is.
        @Field("type") public var kind: Telephone.Kind?
        /// The number, as people write it.
        @Field public var number: String?
        /// Always say so: a server takes a missing one for `true`.
        @Field("preferred") public var isPreferred: Bool?

        public init() {}
    }

    /// A postal address.
    public struct PostalAddress: CompoundValue {
        /// The country.
        @Field public var country: String?
        /// The city or town.
        @Field public var city: String?
        /// The postal code.
        @Field public var postalCode: String?
        /// The state or province.
        @Field public var region: String?
        /// The street and number.
        @Field public var street: String?

        public init() {}
    }

    /// The day of birth.
    @Field public var dateOfBirth: XMLDate?
    /// The gender, as far as servers distinguish genders.
    @Field public var gender: Gender?
    /// The e-mail address.
    @Field public var email: String?
    /// The ethnicity, in words.
    @Field public var ethnicity: String?
    /// The language the patient likes to be addressed in.
    @Field public var preferredLanguage: String?
    /// The race, in words.
    @Field public var race: String?
    /// The patient's name.
    @Field("Name") public var name: Name?
    /// At most two.
    @Field("Telephone") public var telephones: [Phone]
    /// Where the patient lives.
    @Field("Address") public var address: PostalAddress?
}
