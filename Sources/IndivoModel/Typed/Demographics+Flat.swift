import IndivoXML

extension Demographics {
    /// Reads demographics from the flat model in which servers give them (a `Model` element of SDMX).
    /// - Throws: `LexicalError` for a value that is none, named by its field.
    package convenience init(flat model: XMLNode) throws {
        self.init()
        var texts: [String: String] = [:]
        for field in model.ownChildren(named: "Field") {
            let text = field.text()
            if let name = field.attr("name"), !text.isEmpty { texts[name] = text }
        }
        func read<Value: LexicalValue>(_ name: String) throws -> Value? {
            do {
                return try texts[name].map { try Value.fromField($0) }
            } catch let error as LexicalError {
                throw DocumentError(
                    .unreadableValue(text: texts[name] ?? "", error), document: "Demographics", property: name)
            }
        }
        let id = model.attr("documentId") ?? ""
        self.id = id.isEmpty ? nil : id
        dateOfBirth = try read("bday")
        gender = try read("gender")
        email = texts["email"]
        ethnicity = texts["ethnicity"]
        preferredLanguage = texts["preferred_language"]
        race = texts["race"]
        var name = Name()
        name.familyName = texts["name_family"]
        name.givenName = texts["name_given"]
        name.middleName = texts["name_middle"]
        name.prefix = texts["name_prefix"]
        name.suffix = texts["name_suffix"]
        if name != Name() { self.name = name }
        telephones = try ["tel_1", "tel_2"].compactMap { prefix in
            var phone = Phone()
            phone.kind = try read(prefix + "_type")
            phone.number = texts[prefix + "_number"]
            // A telephone that is not there still says that it is not preferred.
            guard phone != Phone() else { return nil }
            phone.isPreferred = try read(prefix + "_preferred_p")
            return phone
        }
        var address = PostalAddress()
        address.country = texts["adr_country"]
        address.city = texts["adr_city"]
        address.postalCode = texts["adr_postalcode"]
        address.region = texts["adr_region"]
        address.street = texts["adr_street"]
        if address != PostalAddress() { self.address = address }
    }
}
