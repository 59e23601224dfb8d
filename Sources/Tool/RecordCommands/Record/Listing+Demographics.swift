import Foundation
import Indivo

extension Listing {
    static func demographics(_ demographics: Demographics, sdmj: Data) -> Listing {
        let telephones = demographics.telephones.map {
            [$0.number, $0.kind.map { "(\($0.lexical))" }].joined(" ")
        }
        let name = demographics.name
        let address = demographics.address
        return Listing(
            columns: [
                "name": "name", "date_of_birth": "born", "gender": "gender", "email": "e-mail",
                "ethnicity": "ethnicity",
                "race": "race", "preferred_language": "language", "telephone_1": "telephone",
                "telephone_2": "telephone 2",
                "address": "address",
            ],
            rows: [
                [
                    [name?.prefix, name?.givenName, name?.middleName, name?.familyName, name?.suffix].joined(
                        " "
                    ),
                    demographics.dateOfBirth?.lexical, demographics.gender?.lexical, demographics.email,
                    demographics.ethnicity,
                    demographics.race, demographics.preferredLanguage, telephones.first,
                    telephones.dropFirst().first,
                    [address?.street, address?.postalCode, address?.city, address?.region, address?.country]
                        .joined(", "),
                ]
            ],
            isSingle: true,
            json: { sdmj }
        )
    }
}

extension [String?] {
    func joined(_ separator: String) -> String {
        compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }.joined(separator: separator)
    }
}
