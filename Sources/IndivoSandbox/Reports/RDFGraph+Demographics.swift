extension RDFGraph {
    /// The demographics of a record.
    static func demographics(_ fact: FactRow, of record: String, base: String) throws -> RDFGraph {
        let values = try fact.values()
        func text(_ name: String) -> String? { values[name]?.string }
        var graph = RDFGraph()
        let recordNode = Node.resource("\(base)/records/\(record)")
        let node = Node.resource("\(base)/records/\(record)/demographics")
        graph.type(node, "sp:Demographics")
        graph.add(node, "sp:belongsTo", .node(recordNode))
        graph.add(node, "foaf:gender", text: text("gender"))
        graph.add(node, "sp:preferredLanguage", text: text("preferred_language"))
        graph.add(node, "sp:ethnicity", text: text("ethnicity"))
        graph.add(node, "sp:race", text: text("race"))
        graph.add(node, "sp:email", text: text("email"))
        if let birthday = text("bday") {
            graph.add(node, "v:bday", .literal(birthday, dataType: "http://www.w3.org/2001/XMLSchema#date"))
        }
        let name = graph.name(values, "name_")
        if let name { graph.add(node, "v:n", .node(name)) }
        if let address = graph.address(values, "adr_") { graph.add(node, "v:adr", .node(address)) }
        for prefix in ["tel_1_", "tel_2_"] {
            if let telephone = graph.telephone(values, prefix) { graph.add(node, "v:tel", .node(telephone)) }
        }
        let number = graph.blank()
        graph.type(number, "sp:Code")
        graph.add(number, "dcterms:title", text: "Indivo Record \(record)")
        graph.add(number, "dcterms:identifier", text: "\(base)/records/\(record)")
        graph.add(number, "sp:system", text: "Indivo Record")
        graph.add(node, "sp:medicalRecordNumber", .node(number))
        return graph
    }

    /// A vCard name; nil when no part of it is known.
    mutating func name(_ values: FactValues, _ prefix: String) -> Node? {
        vCard(
            values, prefix, "v:Name",
            [
                ("given", "v:given-name"), ("family", "v:family-name"), ("middle", "v:additional-name"),
                ("prefix", "v:honorific-prefix"), ("suffix", "v:honorific-suffix"),
            ])
    }

    /// A vCard address; nil when no part of it is known.
    mutating func address(_ values: FactValues, _ prefix: String) -> Node? {
        vCard(
            values, prefix, "v:Address",
            [
                ("street", "v:street-address"), ("city", "v:locality"), ("region", "v:region"),
                ("postalcode", "v:postal-code"), ("country", "v:country"),
            ])
    }

    /// A vCard telephone; nil when it has no number.
    mutating func telephone(_ values: FactValues, _ prefix: String) -> Node? {
        guard let number = values[prefix + "number"]?.string, !number.isEmpty else { return nil }
        let node = blank()
        type(node, "v:Tel")
        switch values[prefix + "type"]?.string {
        case "h": type(node, "v:Home")
        case "w": type(node, "v:Work")
        case "c": type(node, "v:Cell")
        default: break
        }
        if values[prefix + "preferred_p"]?.boolean == true { type(node, "v:Pref") }
        add(node, "rdf:value", text: number)
        return node
    }

    private mutating func vCard(
        _ values: FactValues, _ prefix: String, _ type: String, _ parts: [(String, String)]
    ) -> Node? {
        let known = parts.compactMap { field, predicate in
            values[prefix + field]?.string.flatMap { $0.isEmpty ? nil : (predicate, $0) }
        }
        guard !known.isEmpty else { return nil }
        let node = blank()
        self.type(node, type)
        for (predicate, text) in known { add(node, predicate, text: text) }
        return node
    }
}
