import Foundation
import IndivoXML
import OrderedJSON

/// A demographics document, read.
struct DemographicsContent {
    let fact: FactDraft
    let fullName: String

    /// - Throws: ``ContentError`` for a document that is not well-formed, or is not demographics.
    init(_ data: Data) throws {
        let root = try DocumentContent.parse(data)
        try DocumentSchema.validate(root, as: "Demographics")
        func text(_ path: String...) -> JSONValue {
            var node: XMLNode? = root
            for name in path { node = node?.child(named: name) }
            let text = node?.text() ?? ""
            return JSONValue(text.isEmpty ? nil : text)
        }
        var values: [String: JSONValue] = [
            "bday": text("dateOfBirth"), "gender": text("gender"), "email": text("email"),
            "ethnicity": text("ethnicity"), "preferred_language": text("preferredLanguage"), "race": text("race"),
            "name_family": text("Name", "familyName"), "name_given": text("Name", "givenName"),
            "name_middle": text("Name", "middleName"), "name_prefix": text("Name", "prefix"),
            "name_suffix": text("Name", "suffix"), "adr_country": text("Address", "country"),
            "adr_city": text("Address", "city"), "adr_postalcode": text("Address", "postalCode"),
            "adr_region": text("Address", "region"), "adr_street": text("Address", "street"),
        ]
        let telephones = Array(root.children(named: "Telephone"))
        for number in 1...2 {
            let telephone = telephones.count >= number ? telephones[number - 1] : nil
            let prefix = "tel_\(number)_"
            values[prefix + "type"] = JSONValue(telephone?.child(named: "type")?.text())
            values[prefix + "number"] = JSONValue(telephone?.child(named: "number")?.text())
            // Only the text `false` is false; one that is not given is true.
            values[prefix + "preferred_p"] = JSONValue(
                telephone.map { $0.child(named: "preferred")?.text() != "false" } ?? false)
        }
        fact = FactDraft(model: "Demographics", values: values)
        fullName = ["name_given", "name_family"].compactMap { values[$0]?.string }.joined(separator: " ")
    }

    /// The fields, in the order in which they are written.
    static let fields = [
        "bday", "email", "ethnicity", "gender", "preferred_language", "race", "name_given", "name_prefix",
        "name_suffix", "name_family", "name_middle", "tel_2_type", "tel_2_preferred_p", "tel_2_number", "adr_region",
        "adr_country", "adr_postalcode", "adr_city", "adr_street", "tel_1_type", "tel_1_preferred_p", "tel_1_number",
    ]
}
