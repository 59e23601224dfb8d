import IndivoXML

extension FactFields {
    /// The leaves of a `Model` element of SDMX.
    convenience init(model element: IndivoXML.XMLNode) {
        self.init(model: element.attr("name") ?? "")
        fill(model: element)
    }

    private func fill(model element: IndivoXML.XMLNode) {
        add(attributesOf: element, after: "", except: ["name", "documentId"])
        add("text()", element.ownText)
        for child in element.children() {
            guard child.name == "Field", let name = child.attr("name") else {
                add("<\(child.name)>", child.text())
                continue
            }
            add(attributesOf: child, after: name, except: ["name"])
            let models = child.children().flatMap { inner -> [IndivoXML.XMLNode] in
                switch inner.name {
                case "Model": return [inner]
                case "Models": return Array(inner.children(named: "Model"))
                default:
                    add("\(name)<\(inner.name)>", inner.text())
                    return []
                }
            }
            add(name, child.ownText)
            for model in models {
                addRelated(name, model: model.attr("name") ?? "").fill(model: model)
            }
        }
    }

    /// The leaves of nested XML: names of inner elements are joined and in snake case, as the same fields
    /// have them in SDMX, so that `<provider><name>` is `provider_name` and `<dateOfVisit>` is
    /// `date_of_visit`.
    /// - Parameter lists: Elements that may come more than once; each is a fact inside this one.
    convenience init(nested root: IndivoXML.XMLNode, lists: Set<String>) {
        self.init(model: root.name)
        fill(nested: root, prefix: "", lists)
    }

    private func fill(nested element: IndivoXML.XMLNode, prefix: String, _ lists: Set<String>) {
        if prefix.isEmpty { add("text()", element.ownText) }
        for child in element.children() {
            let name = prefix + Self.snakeCase(child.name)
            if lists.contains(name) {
                let fields = addRelated(name, model: child.name)
                fields.add(attributesOf: child, after: "", except: [])
                fields.fill(nested: child, prefix: "", lists)
                continue
            }
            add(name, child.ownText)
            for attribute in child.attributes {
                add("\(name)_\(Self.snakeCase(attribute.name))", attribute.value)
            }
            fill(nested: child, prefix: name + "_", lists)
        }
    }

    private func add(attributesOf element: IndivoXML.XMLNode, after name: String, except known: Set<String>) {
        for attribute in element.attributes where !known.contains(attribute.name) {
            add("\(name)@\(attribute.name)", attribute.value)
        }
    }

    private static func snakeCase(_ name: String) -> String {
        var result = ""
        for character in name {
            if character.isUppercase, !result.isEmpty { result += "_" }
            result += character.lowercased()
        }
        return result
    }
}

extension IndivoXML.XMLNode {
    /// The element's text without that of elements inside it.
    fileprivate var ownText: String {
        contents().filter { $0.kind == .text || $0.kind == .cdata }.map { $0.text() }.joined()
    }
}
