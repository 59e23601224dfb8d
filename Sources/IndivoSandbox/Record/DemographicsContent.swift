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
        var values: [String: JSONValue] = [:]
        for (field, path) in DemographicsContent.texts {
            let text = path.reduce(root as XMLNode?) { $0?.child(named: $1) }?.text() ?? ""
            values[field] = JSONValue(text.isEmpty ? nil : text)
        }
        let telephones = Array(root.children(named: "Telephone"))
        for number in 1...2 {
            let telephone = telephones.count >= number ? telephones[number - 1] : nil
            let prefix = "tel_\(number)_"
            values[prefix + "type"] = JSONValue(telephone?.child(named: "type")?.text())
            values[prefix + "number"] = JSONValue(telephone?.child(named: "number")?.text())
            // Only the text `false` is false; one that is not given is true.
            values[prefix + "preferred_p"] = JSONValue(telephone.map { $0.child(named: "preferred")?.text() != "false" } ?? false)
        }
        fact = FactDraft(model: "Demographics", values: values)
        fullName = ["name_given", "name_family"].compactMap { values[$0]?.string }.joined(separator: " ")
    }

    /// Where the texts of fields are.
    private static let texts = [
        "bday": ["dateOfBirth"], "gender": ["gender"], "email": ["email"], "ethnicity": ["ethnicity"],
        "preferred_language": ["preferredLanguage"], "race": ["race"], "name_family": ["Name", "familyName"],
        "name_given": ["Name", "givenName"], "name_middle": ["Name", "middleName"], "name_prefix": ["Name", "prefix"],
        "name_suffix": ["Name", "suffix"], "adr_country": ["Address", "country"], "adr_city": ["Address", "city"],
        "adr_postalcode": ["Address", "postalCode"], "adr_region": ["Address", "region"], "adr_street": ["Address", "street"],
    ]

    /// The fields, in the order in which they are written.
    static let fields = [
        "bday", "email", "ethnicity", "gender", "preferred_language", "race", "name_given", "name_prefix",
        "name_suffix", "name_family", "name_middle", "tel_2_type", "tel_2_preferred_p", "tel_2_number", "adr_region",
        "adr_country", "adr_postalcode", "adr_city", "adr_street", "tel_1_type", "tel_1_preferred_p", "tel_1_number",
    ]
}
