import IndivoModel

/// A fact as the reports in the server's older form write it.
struct MinimalItem {
    private let fact: FactRow
    private let values: FactValues?

    init(_ fact: FactRow) {
        self.fact = fact
        values = try? fact.values()
    }

    /// The text of a field; nil where it has none.
    private subscript(name: String) -> String? {
        guard let value = values?[name] else { return nil }
        if let text = value.string { return text.isEmpty ? nil : text }
        return value.double.map(PythonText.decimal)
    }

    /// The text of a date.
    private func date(_ name: String) -> String? { self[name].map(DataModel.FieldType.dateTime.date) }

    /// An element with a date; nothing where there is none.
    private func dateElement(_ element: Markup, _ field: String) -> Markup? {
        date(field).map { "<\(element)>\($0)</\(element)>" }
    }

    /// An element with the text of a field; nothing where there is none.
    private func element(_ element: Markup, _ field: String) -> Markup? {
        self[field].map { "<\(element)>\($0)</\(element)>" }
    }

    /// An element of a coded value: attributes for its type, value and abbreviation where it is coded at all.
    private func coded(_ element: Markup, _ field: String) -> Markup? {
        let type = self[field + "_type"]
        let value = self[field + "_value"]
        let abbreviation = self[field + "_abbrev"] ?? ""
        let code: Markup? =
            type == nil && value == nil
            ? nil : " type=\"\(type ?? "")\" value=\"\(value ?? "")\" abbrev=\"\(abbreviation)\""
        return self[field].map { "<\(element)\(code)>\($0)</\(element)>" }
    }

    private func provider(_ name: Markup) -> Markup? {
        self["provider_name"].map {
            "<\(name)><name>\($0)</name>\(element("institution", "provider_institution"))</\(name)>"
        }
    }

    var equipment: Markup {
        """
        <Equipment xmlns="\(DocumentType.namespace)">\(dateElement("dateStarted", "date_started"))\
        \(dateElement("dateStopped", "date_stopped"))<name>\(self["name"] ?? "")</name>\
        \(element("vendor", "vendor"))\(element("description", "description"))</Equipment>
        """
    }

    var measurement: Markup {
        """
        <Measurement id="\(fact.id)" value="\(self["value"] ?? "")" type="\(self["type"] ?? "")" \
        datetime="\(date("datetime") ?? "")" unit="\(self["unit"] ?? "")" source_doc="\(fact.document)" />
        """
    }

    var procedure: Markup {
        """
        <Procedure xmlns="\(DocumentType.namespace)">\
        <datePerformed>\(date("date_performed") ?? "")</datePerformed>\
        \(coded("name", "name"))\(provider("Provider"))\(element("location", "location"))\
        \(element("comments", "comments"))</Procedure>
        """
    }

    var simpleClinicalNote: Markup {
        let signature = [dateElement("at", "signed_at"), provider("provider")].compactMap { $0 }
        return """
            <SimpleClinicalNote xmlns="\(DocumentType.namespace)">\
            <dateOfVisit>\(date("date_of_visit") ?? "")</dateOfVisit>\
            \(coded("visitType", "visit_type"))\
            \(element("visitLocation", "visit_location"))\
            \(coded("specialty", "specialty"))\
            \(signature.isEmpty ? nil : "<signature>\(signature)</signature>")\
            \(element("chiefComplaint", "chief_complaint"))\
            \(element("content", "content"))\
            </SimpleClinicalNote>
            """
    }
}
