enum MinimalItems {
    /// A fact's values as texts.
    struct Values {
        private let values: FactValues?

        init(_ fact: FactRow) { values = try? fact.values() }

        /// The text of a field; nil where it has none.
        subscript(name: String) -> String? {
            guard let value = values?[name] else { return nil }
            if let text = value.string { return text.isEmpty ? nil : text.replacing(".000000Z", with: "Z") }
            return value.double.map(PythonText.decimal)
        }

        /// An element with the text of a field; nothing where there is none.
        func element(_ element: Markup, _ field: String) -> Markup {
            self[field].map { "<\(element)>\($0)</\(element)>" } ?? .empty
        }

        /// An element of a coded value: attributes for its type, value and abbreviation where it is coded at all.
        func coded(_ element: Markup, _ field: String) -> Markup {
            guard let text = self[field] else { return .empty }
            let (type, value) = (self[field + "_type"], self[field + "_value"])
            let abbreviation = self[field + "_abbrev"] ?? ""
            let code: Markup =
                type == nil && value == nil
                ? .empty : " type=\"\(type ?? "")\" value=\"\(value ?? "")\" abbrev=\"\(abbreviation)\""
            return "<\(element)\(code)>\(text)</\(element)>"
        }

        func provider(_ element: Markup) -> Markup {
            guard let name = self["provider_name"] else { return .empty }
            return "<\(element)><name>\(name)</name>\(self.element("institution", "provider_institution"))</\(element)>"
        }
    }

    static func equipment(_ fact: FactRow, _ values: Values) -> Markup {
        """
        <Equipment xmlns="\(DocumentType.namespace)">\(values.element("dateStarted", "date_started"))\
        \(values.element("dateStopped", "date_stopped"))<name>\(values["name"] ?? "")</name>\
        \(values.element("vendor", "vendor"))\(values.element("description", "description"))</Equipment>
        """
    }

    static func measurement(_ fact: FactRow, _ values: Values) -> Markup {
        """
        <Measurement id="\(fact.id)" value="\(values["value"] ?? "")" type="\(values["type"] ?? "")" \
        datetime="\(values["datetime"] ?? "")" unit="\(values["unit"] ?? "")" source_doc="\(fact.document)" />
        """
    }

    static func procedure(_ fact: FactRow, _ values: Values) -> Markup {
        """
        <Procedure xmlns="\(DocumentType.namespace)"><datePerformed>\(values["date_performed"] ?? "")</datePerformed>\
        \(values.coded("name", "name"))\(values.provider("Provider"))\(values.element("location", "location"))\
        \(values.element("comments", "comments"))</Procedure>
        """
    }

    static func simpleClinicalNote(_ fact: FactRow, _ values: Values) -> Markup {
        var signature = values.element("at", "signed_at") + values.provider("provider")
        if !signature.description.isEmpty { signature = "<signature>\(signature)</signature>" }
        return """
            <SimpleClinicalNote xmlns="\(DocumentType.namespace)">\
            <dateOfVisit>\(values["date_of_visit"] ?? "")</dateOfVisit>\(values.coded("visitType", "visit_type"))\
            \(values.element("visitLocation", "visit_location"))\(values.coded("specialty", "specialty"))\(signature)\
            \(values.element("chiefComplaint", "chief_complaint"))\(values.element("content", "content"))</SimpleClinicalNote>
            """
    }
}
