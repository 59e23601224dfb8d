import OrderedJSON

/// Converts resources of FHIR DSTU2 and STU3, as C3-PRO's phones and receivers sent them, to R4.
///
/// Only what a study's deliveries contain is converted: a response's questionnaire, encounter and items, and
/// who signed a consent.
enum OlderResources {
    private static let maximumDepth = 64

    static func upgraded(_ json: JSONValue) -> JSONValue {
        switch json["resourceType"]?.string {
        case "QuestionnaireResponse": response(json)
        case "Observation": observation(json)
        default: json
        }
    }

    private static func response(_ old: JSONValue) -> JSONValue {
        var json = old
        // DSTU2 and STU3 refer to the questionnaire; its id stands for a URL where there is none.
        if let reference = old["questionnaire"]?["reference"]?.string {
            json["questionnaire"] = JSONValue(reference)
        }
        if json["encounter"] == nil, let context = old["context"] {
            json["encounter"] = context
            json["context"] = nil
        }
        // R4 requires the class of an encounter.
        let unknown: JSONValue = [
            "system": "http://terminology.hl7.org/CodeSystem/v3-NullFlavor", "code": "UNK",
        ]
        for (index, contained) in list(old["contained"]).enumerated()
        where contained["resourceType"]?.string == "Encounter" && contained["class"]?.kind != .object {
            json["contained"]?[index]?["class"] = unknown
        }
        if let group = old["group"] {
            json["group"] = nil
            json["item"] = JSONValue(items(of: group, depth: 0))
        }
        return json
    }

    /// DSTU2: groups have groups or questions, questions have answers, answers have groups.
    private static func items(of group: JSONValue, depth: Int) -> [JSONValue] {
        guard depth < maximumDepth else { return [] }
        var result: [JSONValue] = []
        for inner in list(group["group"]) {
            var item: JSONValue = ["linkId": inner["linkId"] ?? "group"]
            let below = items(of: inner, depth: depth + 1)
            if !below.isEmpty { item["item"] = JSONValue(below) }
            result.append(item)
        }
        for question in list(group["question"]) {
            var item: JSONValue = ["linkId": question["linkId"] ?? ""]
            let answers = list(question["answer"]).map { old -> JSONValue in
                var answer = old
                answer["group"] = nil
                let inner = list(old["group"]).flatMap { items(of: $0, depth: depth + 1) }
                if !inner.isEmpty { answer["item"] = JSONValue(inner) }
                return answer
            }
            if !answers.isEmpty { item["answer"] = JSONValue(answers) }
            result.append(item)
        }
        return result
    }

    private static func observation(_ old: JSONValue) -> JSONValue {
        var json = old
        if json["encounter"] == nil, let context = old["context"] {
            json["encounter"] = context
            json["context"] = nil
        }
        return json
    }

    /// The values of an element that may be a single value or an array.
    static func list(_ value: JSONValue?) -> [JSONValue] {
        guard let value, !value.isNull else { return [] }
        return value.elements.map(Array.init) ?? [value]
    }
}
