import OrderedJSON

/// What people call things that resources hold.
enum ResourceText {
    /// A name of a person.
    static func name(of person: JSONValue) -> String {
        let names = person.elements(of: "name")
        let name =
            names.first { $0["use"]?.string == "official" } ?? names.first { $0["use"]?.string == "usual" }
            ?? names.first
        guard let name else { return person["id"]?.string.map { "Patient \($0)" } ?? "Nameless" }
        if let text = name["text"]?.string, !text.isEmpty { return text }
        let given = name["given"]?.elements?.compactMap(\.string) ?? []
        let text = (given + [name["family"]?.string].compactMap { $0 }).joined(separator: " ")
        return text.isEmpty ? "Nameless" : text
    }

    /// A concept's text, or the display or code of its first coding.
    static func concept(_ concept: JSONValue?) -> String? {
        guard let concept else { return nil }
        if let text = concept["text"]?.string, !text.isEmpty { return text }
        let coding = concept["coding"]?[0] ?? concept
        return coding["display"]?.string ?? coding["code"]?.string
    }

    /// What a resource is about.
    static func title(of resource: JSONValue) -> String {
        if resource["name"]?.elements != nil { return name(of: resource) }
        if let device = resource["deviceName"]?[0]?["name"]?.string { return device }
        for member in [
            "code", "medicationCodeableConcept", "vaccineCode", "type", "class", "category", "scope", "topic",
        ] {
            guard let value = resource[member] else { continue }
            if let text = concept(value.kind == .array ? value[0] : value) { return text }
        }
        for member in ["title", "name", "description", "url", "questionnaire"] {
            if let text = resource[member]?.string { return text }
        }
        if let display = resource["medicationReference"]?["display"]?.string { return display }
        return resource["id"]?.string ?? "without a name"
    }

    /// When it was or began: the text of a date, as far as it is one.
    static func date(of resource: JSONValue) -> String? {
        let members = [
            "effectiveDateTime", "effectivePeriod", "effectiveInstant", "onsetDateTime", "onsetPeriod",
            "performedDateTime",
            "performedPeriod", "occurrenceDateTime", "period", "authoredOn", "authored", "whenHandedOver",
            "recordedDate",
            "date", "issued", "created", "dateTime", "recorded", "start",
        ]
        for member in members {
            guard let value = resource[member], let text = value.string ?? value["start"]?.string,
                TimeRange(text) != nil
            else { continue }
            return text
        }
        return nil
    }

    static func status(of resource: JSONValue) -> String? {
        resource["status"]?.string ?? concept(resource["clinicalStatus"])
    }

    /// The value of an observation in words.
    static func value(of observation: JSONValue) -> String? {
        if let quantity = observation["valueQuantity"] {
            let unit = quantity["unit"]?.string ?? quantity["code"]?.string ?? ""
            return quantity["value"]?.number.map { "\(quantity["comparator"]?.string ?? "")\($0) \(unit)" }
        }
        if let text = concept(observation["valueCodeableConcept"]) { return text }
        for member in ["valueString", "valueDateTime", "valueTime"] {
            if let text = observation[member]?.string { return text }
        }
        return observation["valueInteger"]?.number
            ?? observation["valueBoolean"]?.boolean.map { $0 ? "yes" : "no" }
    }

    /// The id of the patient that a resource is of.
    static func patient(of resource: JSONValue) -> String? {
        if resource["resourceType"]?.string == "Patient" { return resource["id"]?.string }
        for member in ["subject", "patient", "individual"] {
            guard let reference = resource[member]?["reference"]?.string else { continue }
            let target = ReferenceTarget(reference, bases: [])
            if target.type == "Patient" { return target.id }
        }
        return nil
    }
}
