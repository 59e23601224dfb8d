import IndivoXML

/// Who the patient is (element `Demographics`), as it is sent to a server.
public final class Demographics: IndivoDocument {
    override public class var format: Format { .nested(root: "Demographics", namespace: SDMX.namespace) }

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

    /// Reads demographics from the flat model in which servers give them (a `Model` element of SDMX).
    package convenience init(flat model: XMLNode) throws {
        self.init()
        let fields = model.ownChildren(named: "Field").map { (name: $0.attr("name") ?? "", text: $0.text()) }
        let texts = Dictionary(fields.filter { !$0.text.isEmpty }.map { ($0.name, $0.text) }, uniquingKeysWith: { $1 })
        func read<Value: LexicalValue>(_ name: String) throws -> Value? {
            guard let text = texts[name] else { return nil }
            do { return try Value.fromField(text) } catch {
                throw DocumentError(.unreadableValue(text: text, error), document: "Demographics", property: name)
            }
        }
        /// A value of texts; `nil` where there are none.
        func part<Part: CompoundValue>(_ paths: KeyValuePairs<String, WritableKeyPath<Part, String?>>) -> Part? {
            var part = Part()
            for (name, path) in paths { part[keyPath: path] = texts[name] }
            return part == Part() ? nil : part
        }
        if let id = model.attr("documentId"), !id.isEmpty { self.id = id }
        dateOfBirth = try read("bday")
        gender = try read("gender")
        email = texts["email"]
        ethnicity = texts["ethnicity"]
        preferredLanguage = texts["preferred_language"]
        race = texts["race"]
        name = part([
            "name_family": \.familyName, "name_given": \.givenName, "name_middle": \.middleName, "name_prefix": \.prefix,
            "name_suffix": \.suffix,
        ])
        telephones = try ["tel_1", "tel_2"].compactMap { prefix in
            var phone = Phone()
            phone.kind = try read(prefix + "_type")
            phone.number = texts[prefix + "_number"]
            // A telephone that is not there still says that it is not preferred.
            guard phone != Phone() else { return nil }
            phone.isPreferred = try read(prefix + "_preferred_p")
            return phone
        }
        address = part([
            "adr_country": \.country, "adr_city": \.city, "adr_postalcode": \.postalCode, "adr_region": \.region,
            "adr_street": \.street,
        ])
    }
}
