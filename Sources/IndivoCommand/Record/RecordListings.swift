import Foundation
import Indivo

/// What a server says of a record, for printing.
enum RecordListings {
    static func information(_ record: RecordInformation) -> Listing {
        Listing(
            columns: [
                .init("id", "record"), .init("label", "label"), .init("created_at", "created"),
                .init("created_by", "by"), .init("demographics_id", "demographics"),
            ],
            rows: [
                [
                    record.id, record.label, record.created?.at?.lexical ?? "", record.created?.by ?? "",
                    record.demographics?.documentID ?? "",
                ]
            ],
            isSingle: true, json: { try record.json() }, xml: { try record.xml().file() })
    }

    static func audits(_ entries: [AuditEntry]) -> Listing {
        Listing(
            columns: [
                .init("date", "date"), .init("call", "call"), .init("principal", "by"), .init("app", "app"),
                .init("document_id", "document"), .init("external_id"), .init("message_id"), .init("method"),
                .init("path"), .init("ip_address"), .init("succeeded"), .init("status", "status"),
            ],
            rows: entries.map { entry in
                [
                    entry.basic?.date?.lexical, entry.basic?.function, entry.principal?.effective,
                    entry.principal?.proxied, entry.resources?.documentID, entry.resources?.externalID,
                    entry.resources?.messageID, entry.request?.method, entry.request?.path,
                    entry.request?.ipAddress,
                    entry.basic?.succeeded?.lexical, entry.response?.status.map { "\($0)" },
                ].map { $0 ?? "" }
            },
            json: { try entries.json() },
            xml: { try list("AuditEntries", entries.map { try $0.xml() }).file() })
    }

    /// Elements under one root.
    static func list(_ name: String, _ elements: [XMLNode]) -> XMLNode {
        let root = XMLNode(name)
        for element in elements { root.append(element) }
        return root
    }

    static func demographics(_ demographics: Demographics, sdmj: @escaping () throws -> Data) -> Listing {
        let telephones = demographics.telephones
        func phone(_ index: Int) -> String {
            guard telephones.indices.contains(index) else { return "" }
            let parts = [telephones[index].number, telephones[index].kind.map { "(\($0.lexical))" }]
            return parts.compactMap(\.self).joined(separator: " ")
        }
        let name = demographics.name
        let address = demographics.address
        return Listing(
            columns: [
                .init("name", "name"), .init("date_of_birth", "born"), .init("gender", "gender"),
                .init("email", "e-mail"), .init("ethnicity", "ethnicity"), .init("race", "race"),
                .init("preferred_language", "language"), .init("telephone_1", "telephone"),
                .init("telephone_2", "telephone 2"), .init("address", "address"),
            ],
            rows: [
                [
                    [name?.prefix, name?.givenName, name?.middleName, name?.familyName, name?.suffix].joined(" "),
                    demographics.dateOfBirth?.lexical ?? "", demographics.gender?.lexical ?? "",
                    demographics.email ?? "",
                    demographics.ethnicity ?? "", demographics.race ?? "", demographics.preferredLanguage ?? "",
                    phone(0), phone(1),
                    [address?.street, address?.postalCode, address?.city, address?.region, address?.country].joined(
                        ", "),
                ]
            ],
            isSingle: true, json: sdmj, xml: { try demographics.xml().file() })
    }
}

extension [String?] {
    fileprivate func joined(_ separator: String) -> String {
        compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }.joined(separator: separator)
    }
}
