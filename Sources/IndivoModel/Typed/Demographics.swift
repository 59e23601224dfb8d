/// Who the patient is (element `Demographics`), as it is sent to a server.
public final class Demographics: IndivoDocument {
    override public class var format: DocumentFormat {
        .nested(root: "Demographics", namespace: "http://indivo.org/vocab/xml/documents#")
    }

    /// The patient's gender as Indivo has it.
    public enum Gender: String, LexicalValue, CaseIterable {
        case male, female
    }

    /// A name.
    public struct Name: CompoundValue {
        @Field public var familyName: String?
        @Field public var givenName: String?
        @Field public var middleName: String?
        @Field public var prefix: String?
        @Field public var suffix: String?

        public init() {}
    }

    /// A telephone number.
    public struct Phone: CompoundValue {
        @Field("type") public var kind: Telephone.Kind?
        @Field public var number: String?
        /// Always say so: a server takes a missing one for `true`.
        @Field("preferred") public var isPreferred: Bool?

        public init() {}
    }

    /// A postal address.
    public struct PostalAddress: CompoundValue {
        @Field public var country: String?
        @Field public var city: String?
        @Field public var postalCode: String?
        @Field public var region: String?
        @Field public var street: String?

        public init() {}
    }

    @Field public var dateOfBirth: XMLDate?
    @Field public var gender: Gender?
    @Field public var email: String?
    @Field public var ethnicity: String?
    @Field public var preferredLanguage: String?
    @Field public var race: String?
    @Field("Name") public var name: Name?
    /// At most two.
    @Field("Telephone") public var telephones: [Phone]
    @Field("Address") public var address: PostalAddress?
}
