import OrderedJSON

/// A node of a graph, and the values of the fact that it describes.
struct RDFSubject {
    let graph: RDFGraph
    let node: RDFGraph.Node
    let values: FactValues
    /// What the names of the node's fields begin with.
    var prefix = ""

    private static let nameParts: KeyValuePairs = [
        "v:given-name": "given", "v:family-name": "family", "v:additional-name": "middle",
        "v:honorific-prefix": "prefix",
        "v:honorific-suffix": "suffix",
    ]
    private static let addressParts: KeyValuePairs = [
        "v:street-address": "street", "v:locality": "city", "v:region": "region",
        "v:postal-code": "postalcode",
        "v:country": "country",
    ]

    private func string(_ field: String) -> String? { values[prefix + field]?.string }
    private func has(_ field: String) -> Bool { string(field)?.isEmpty == false }

    /// A node without a name, to which a predicate leads.
    func child(_ predicate: String, _ type: String, prefix: String = "") -> RDFSubject {
        let child = RDFSubject(
            graph: graph,
            node: graph.blank(),
            values: values,
            prefix: self.prefix + prefix
        )
        graph.type(child.node, type)
        graph.add(node, predicate, child.node)
        return child
    }

    /// Texts: the predicates, each with its field.
    func texts(_ fields: KeyValuePairs<String, String>) {
        for (predicate, field) in fields where has(field) {
            graph.add(node, predicate, text: string(field) ?? "")
        }
    }

    /// A text that is written in any case.
    func neededText(_ predicate: String, _ field: String) {
        graph.add(node, predicate, text: string(field) ?? "")
    }

    /// Dates or instants; in RDF the server leaves the zone out.
    func dates(_ fields: KeyValuePairs<String, String>) {
        for (predicate, field) in fields where has(field) {
            let text = string(field) ?? ""
            let written = text.replacing(".000000Z", with: "").replacing("Z", with: "")
            graph.add(node, predicate, text: written, type: text.count == 10 ? "date" : "dateTime")
        }
    }

    /// A date that is written in any case: where it is missing the real server writes so, as its language
    /// does.
    func neededDate(_ predicate: String, _ field: String) {
        if has(field) { dates([predicate: field]) } else { graph.add(node, predicate, text: "None") }
    }

    func day(_ predicate: String, _ field: String) {
        if let text = string(field) { graph.add(node, predicate, text: text, type: "date") }
    }

    func number(_ predicate: String, _ field: String) {
        if let number = values[prefix + field]?.storedNumber {
            graph.add(node, predicate, text: "\(number)", type: "double")
        }
    }

    /// The same, written in any case as a missing date is.
    func neededNumber(_ predicate: String, _ field: String) {
        if values[prefix + field]?.storedNumber != nil {
            number(predicate, field)
        } else {
            graph.add(node, predicate, text: "None")
        }
    }

    func code(_ predicate: String, _ field: String, _ type: String) {
        guard let identifier = string(field + "_identifier"), let system = string(field + "_system") else {
            return
        }
        let code = RDFSubject(
            graph: graph,
            node: .resource(system + identifier),
            values: values,
            prefix: prefix
        )
        for type in ["sp:Code", RDFGraph.smart.dropLast() + "/codes/" + type] { graph.type(code.node, type) }
        code.coded(field)
        let value = child(predicate, "sp:CodedValue")
        value.texts(["dcterms:title": field + "_title"])
        graph.add(value.node, "sp:code", code.node)
    }

    private func coded(_ field: String) {
        texts([
            "dcterms:identifier": field + "_identifier", "dcterms:title": field + "_title",
            "sp:system": field + "_system",
        ])
    }

    /// Where it is known from: here the code stands for itself, without a name.
    func provenance() {
        if string("provenance_identifier") != nil { child("sp:provenance", "sp:Code").coded("provenance") }
    }

    func signs(_ fields: KeyValuePairs<String, String>) {
        for (predicate, field) in fields {
            // As on the real server a zero counts for nothing.
            let isZero = (values[prefix + field + "_value"]?.storedNumber ?? 0) == 0
            guard !isZero || has(field + "_unit") else { continue }
            let sign = child(predicate, "sp:VitalSign")
            if !isZero { sign.number("sp:value", field + "_value") }
            sign.texts(["sp:unit": field + "_unit"])
            sign.code("sp:vitalName", field + "_name", "VitalSign")
        }
    }

    /// A quantity, which has both a value and a unit.
    func quantity(_ predicate: String, _ field: String) {
        if has(field + "_value"), has(field + "_unit") { measured(predicate, field) }
    }

    func isMeasured(_ field: String) -> Bool { has(field + "_value") || has(field + "_unit") }

    /// A value with its unit, where there is either. What is missing the real server writes as Python does.
    @discardableResult
    func measured(_ predicate: String, _ field: String) -> RDFGraph.Node? {
        guard isMeasured(field) else { return nil }
        let measured = child(predicate, "sp:ValueAndUnit").node
        for part in ["value", "unit"] {
            let name = "\(field)_\(part)"
            graph.add(measured, "sp:" + part, text: string(name).flatMap { $0.isEmpty ? nil : $0 } ?? "None")
        }
        return measured
    }

    func range(_ predicate: String, _ field: String) {
        guard isMeasured(field + "_min") || isMeasured(field + "_max") else { return }
        let range = child(predicate, "sp:ValueRange")
        if let minimum = range.measured("sp:minimum", field + "_min"), isMeasured(field + "_max") {
            // The real server gives the minimum for both ends.
            graph.add(range.node, "sp:maximum", minimum)
        }
    }

    /// A vCard name; nothing when no part of it is known.
    func name(_ predicate: String, _ prefix: String) { vCard(predicate, "v:Name", Self.nameParts, prefix) }

    func hasName(_ prefix: String) -> Bool { Self.nameParts.contains { has(prefix + $0.value) } }

    /// A vCard address; nothing when no part of it is known.
    func address(_ predicate: String, _ prefix: String) {
        vCard(predicate, "v:Address", Self.addressParts, prefix)
    }

    private func vCard(
        _ predicate: String,
        _ type: String,
        _ parts: KeyValuePairs<String, String>,
        _ prefix: String
    ) {
        if parts.contains(where: { has(prefix + $0.value) }) {
            child(predicate, type, prefix: prefix).texts(parts)
        }
    }

    /// vCard telephones, those that have numbers.
    func telephones() {
        for prefix in ["tel_1_", "tel_2_"] where has(prefix + "number") {
            let telephone = child("v:tel", "v:Tel", prefix: prefix)
            let types = ["h": "v:Home", "w": "v:Work", "c": "v:Cell"]
            if let type = types[telephone.string("type") ?? ""] { graph.type(telephone.node, type) }
            if values[telephone.prefix + "preferred_p"]?.boolean == true {
                graph.type(telephone.node, "v:Pref")
            }
            telephone.texts(["rdf:value": "number"])
        }
    }

    /// An organization, where anything of it is known: its address, or one of the fields that name it.
    func organization(
        _ predicate: String,
        _ type: String,
        prefix: String,
        _ fields: KeyValuePairs<String, String>
    ) {
        let hasAddress = Self.addressParts.contains { has(prefix + "adr_" + $0.value) }
        guard hasAddress || fields.contains(where: { string(prefix + $0.value) != nil }) else { return }
        let organization = child(predicate, type, prefix: prefix)
        organization.texts(fields)
        organization.address("v:adr", "adr_")
    }

    func provider() {
        guard hasName("provider_name_") else { return }
        let provider = child("sp:provider", "sp:Provider", prefix: "provider_")
        provider.name("v:n", "name_")
        provider.texts([
            "sp:deaNumber": "dea_number", "sp:npiNumber": "npi_number", "sp:ethnicity": "ethnicity",
            "sp:race": "race",
            "sp:preferredLanguage": "preferred_language", "foaf:gender": "gender", "v:email": "email",
            "v:bday": "bday",
        ])
        provider.address("v:adr", "adr_")
        provider.telephones()
    }
}
