import IndivoXML

/// Who the patient is (element `Demographics`), as it is sent to a server.
public final class Demographics: IndivoDocument {
    override public class var format: Format { .nested(root: "Demographics", namespace: SDMX.namespace) }

    /// The patient's gender as Indivo has it.
    public enum Gender: String, LexicalValue, CaseIterable {
        case male
        case female
    }

    /// A name.
    public struct Name: CompoundValue {
        /// The family name. Required by the server, and may be empty.
        @Field(rules: [.present, .maximumLength(255)]) public var familyName: String?
        /// The given name. Required by the server, and may be empty.
        @Field(rules: [.present, .maximumLength(255)]) public var givenName: String?
        /// The middle name or names.
        @Field(rules: [.maximumLength(255)]) public var middleName: String?
        /// What stands before the name, such as `Dr.`
        @Field(rules: [.maximumLength(255)]) public var prefix: String?
        /// What stands behind the name, such as `Jr.`
        @Field(rules: [.maximumLength(255)]) public var suffix: String?

        public init() {}
    }

    /// A telephone number.
    public struct Phone: CompoundValue {
        /// Where the telephone is.
        @Field("type") public var kind: Telephone.Kind?
        /// The number, as people write it. At most 20 characters.
        @Field(rules: [.present, .maximumLength(20)]) public var number: String?
        /// Always say so: a server takes a missing one for `true`.
        @Field("preferred") public var isPreferred: Bool?

        public init() {}
    }

    /// A postal address.
    public struct PostalAddress: CompoundValue {
        /// The country.
        @Field(rules: [.maximumLength(255)]) public var country: String?
        /// The city or town.
        @Field(rules: [.maximumLength(255)]) public var city: String?
        /// The postal code. At most 12 characters.
        @Field(rules: [.maximumLength(12)]) public var postalCode: String?
        /// The state or province.
        @Field(rules: [.maximumLength(255)]) public var region: String?
        /// The street and number.
        @Field(rules: [.maximumLength(255)]) public var street: String?

        public init() {}
    }

    /// The day of birth. Servers store one before 1900, and cannot report it.
    @Field(rules: [.required]) public var dateOfBirth: XMLDate?
    /// The gender, as far as servers distinguish genders.
    @Field(rules: [.required]) public var gender: Gender?
    /// The e-mail address.
    @Field(rules: [.maximumLength(200)]) public var email: String?
    /// The ethnicity, in words.
    @Field(rules: [.maximumLength(200)]) public var ethnicity: String?
    /// The language the patient likes to be addressed in.
    @Field(rules: [.maximumLength(200)]) public var preferredLanguage: String?
    /// The race, in words.
    @Field(rules: [.maximumLength(200)]) public var race: String?
    /// The patient's name.
    @Field("Name", rules: [.required]) public var name: Name?
    /// At most two.
    @Field("Telephone") public var telephones: [Phone]
    /// Where the patient lives.
    @Field("Address") public var address: PostalAddress?

    /// Reads demographics from the flat model in which servers give them (a `Model` element of SDMX). A value
    /// that cannot be read is left out, and ``IndivoDocument/readingProblems`` has it.
    package static func read(flat model: XMLNode) throws -> Demographics {
        let demographics = try read(stored: nested(model))
        if let id = model.attr("documentId"), !id.isEmpty { demographics.id = id }
        demographics.isFromReport = true
        return demographics
    }

    /// The element that a flat model was made of, as far as it is known.
    private static func nested(_ model: XMLNode) -> XMLNode {
        let fields = model.ownChildren(named: "Field").map { (name: $0.attr("name") ?? "", text: $0.text()) }
        let texts = Dictionary(
            fields.filter { !$0.text.isEmpty }.map { ($0.name, $0.text) },
            uniquingKeysWith: { $1 }
        )
        let root = XMLNode("Demographics", namespace: SDMX.namespace)
        func add(_ names: KeyValuePairs<String, String>, to element: XMLNode) {
            for (name, field) in names where texts[field] != nil {
                element.appendElement(name, namespace: SDMX.namespace, text: texts[field])
            }
        }
        /// An element of texts; none where there is no text.
        func addPart(_ name: String, _ names: KeyValuePairs<String, String>) {
            guard names.contains(where: { texts[$0.value] != nil }) else { return }
            add(names, to: root.appendElement(name, namespace: SDMX.namespace))
        }
        add(
            ["dateOfBirth": "bday", "gender": "gender", "email": "email", "ethnicity": "ethnicity"],
            to: root
        )
        add(["preferredLanguage": "preferred_language", "race": "race"], to: root)
        addPart(
            "Name",
            [
                "familyName": "name_family", "givenName": "name_given", "middleName": "name_middle",
                "prefix": "name_prefix",
                "suffix": "name_suffix",
            ]
        )
        for telephone in ["tel_1", "tel_2"] {
            // A telephone that is not there still says that it is not preferred.
            guard texts[telephone + "_type"] != nil || texts[telephone + "_number"] != nil else { continue }
            addPart(
                "Telephone",
                [
                    "type": telephone + "_type", "number": telephone + "_number",
                    "preferred": telephone + "_preferred_p",
                ]
            )
        }
        addPart(
            "Address",
            [
                "country": "adr_country", "city": "adr_city", "postalCode": "adr_postalcode",
                "region": "adr_region",
                "street": "adr_street",
            ]
        )
        return root
    }
}
