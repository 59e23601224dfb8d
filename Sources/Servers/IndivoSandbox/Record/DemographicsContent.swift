import Foundation
import IndivoXML
import OrderedJSON

/// A demographics document, read.
struct DemographicsContent {
    let data: Data
    let fact: FactDraft
    let fullName: String

    /// - Throws: ``ContentError`` for a document that is not well-formed, or is not demographics.
    init(_ data: Data) throws {
        self.data = data
        let root = try DocumentContent.parse(data)
        try DocumentSchema.validate(root, as: "Demographics")
        var values: [String: JSONValue] = [:]
        for (field, path) in DemographicsContent.fields where !path.isEmpty {
            let text =
                path.split(separator: "/").reduce(root as XMLNode?) { $0?.child(named: String($1)) }?.text()
                ?? ""
            values[field] = JSONValue(text.isEmpty ? nil : text)
        }
        for number in 1...2 {
            let telephone = Array(root.children(named: "Telephone")).dropFirst(number - 1).first
            let prefix = "tel_\(number)_"
            values[prefix + "type"] = JSONValue(telephone?.child(named: "type")?.text())
            values[prefix + "number"] = JSONValue(telephone?.child(named: "number")?.text())
            // Only the text `false` is false; one that is not given is true.
            values[prefix + "preferred_p"] = JSONValue(
                telephone.map { $0.child(named: "preferred")?.text() != "false" } ?? false
            )
        }
        fact = FactDraft(model: "Demographics", values: values)
        fullName = ["name_given", "name_family"].compactMap { values[$0]?.string }.joined(separator: " ")
    }

    /// The fields, in the order in which they are written, each with the elements in which its text is;
    /// telephones are read apart.
    static let fields: KeyValuePairs = [
        "bday": "dateOfBirth", "email": "email", "ethnicity": "ethnicity", "gender": "gender",
        "preferred_language": "preferredLanguage", "race": "race", "name_given": "Name/givenName",
        "name_prefix": "Name/prefix",
        "name_suffix": "Name/suffix", "name_family": "Name/familyName", "name_middle": "Name/middleName",
        "tel_2_type": "",
        "tel_2_preferred_p": "", "tel_2_number": "", "adr_region": "Address/region",
        "adr_country": "Address/country",
        "adr_postalcode": "Address/postalCode", "adr_city": "Address/city", "adr_street": "Address/street",
        "tel_1_type": "",
        "tel_1_preferred_p": "", "tel_1_number": "",
    ]
}
