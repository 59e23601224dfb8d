import FHIR
import OrderedJSON

/// Whose data an export has.
public enum ExportAudience: String, Sendable, Hashable, CaseIterable {
    /// Those of all participants: for the study itself.
    case study
    /// Those of participants whose consent in force says that they may be shared beyond the study, with
    /// qualified researchers.
    case sharing

    /// The condition on the rows of a table, as SQL.
    ///
    /// - Parameter alias: Of a table with the participant's number.
    func condition(_ alias: String) -> String {
        switch self {
        case .study: "1 = 1"
        case .sharing:
            """
            \(alias).patient_num IN (
                SELECT s.patient_num FROM study_participant s
                JOIN study_consent c ON c.participant = s.participant
                WHERE c.shares = 1 AND NOT EXISTS (
                    SELECT 1 FROM study_consent n
                    WHERE n.participant = c.participant
                        AND n.signed >= c.signed
                        AND coalesce(n.shares, 0) <> 1
                )
            )
            """
        }
    }

    /// The condition on the rows of `concept_dimension`, as SQL: participants' own answers may have named a
    /// concept. Those of a questionnaire's ontology are everybody's.
    ///
    /// - Parameter alias: Of the table.
    func conceptCondition(_ alias: String) -> String {
        switch self {
        case .study: "1 = 1"
        case .sharing:
            """
            (
                EXISTS (
                    SELECT 1 FROM observation_fact cf
                    WHERE cf.concept_cd = \(alias).concept_cd AND \(condition("cf"))
                )
                OR EXISTS (
                    SELECT 1 FROM study_metadata cm
                    WHERE cm.c_fullname = \(alias).concept_path AND cm.c_comment IS NULL
                )
            )
            """
        }
    }
}

/// The consent in force of a participant: the one that was signed last.
public struct ExportedConsent: Sendable, Hashable {
    /// The pseudonym.
    public let participant: String
    /// When it was signed, in UTC.
    public let signed: String
    /// The version of the consent's document; `nil` where it has none.
    public let version: String?
    /// Whether the data may be shared beyond the study; `nil` where that was not asked.
    public let shares: Bool?
    /// When the participant agreed first, in UTC.
    public let first: String
    /// How often they withdrew before, and agreed anew under the same id.
    public let earlierWithdrawals: Int
    /// When they stopped, in UTC, and left what they had given; `nil` while they take part.
    public let stopped: String?

    /// As a row of ``WarehouseTransaction/consentColumns``. No spreadsheet runs a text of it.
    public var cells: [String] {
        let shown = version.map(SpreadsheetText.guarded) ?? ""
        return [participant, signed, shown, shares.map { $0 ? "yes" : "no" } ?? "", first]
            + [String(earlierWithdrawals), stopped ?? ""]
    }

    public var json: JSONValue {
        [
            "participant": JSONValue(participant), "signed": JSONValue(signed),
            "version": JSONValue(version), "sharesWithResearchers": shares.map { JSONValue($0) } ?? .null,
            "firstSigned": JSONValue(first), "earlierWithdrawals": JSONValue(earlierWithdrawals),
            "stopped": stopped.map { JSONValue($0) } ?? .null,
        ]
    }

    /// As a resource of FHIR.
    public var resource: JSONValue {
        var consent: JSONValue = [
            "resourceType": "Consent", "status": stopped == nil ? "active" : "inactive",
            "scope": [
                "coding": [
                    ["system": "http://terminology.hl7.org/CodeSystem/consentscope", "code": "research"]
                ]
            ],
            "category": [
                [
                    "coding": [
                        [
                            "system": "http://terminology.hl7.org/CodeSystem/consentcategorycodes",
                            "code": "research",
                        ]
                    ]
                ]
            ],
            "patient": ["reference": JSONValue("Patient/\(participant)")],
            "dateTime": JSONValue(signed.replacing(" ", with: "T") + "Z"),
            "policyRule": [
                "coding": [["system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "OPTIN"]]
            ],
        ]
        if let version { consent["sourceReference"] = ["identifier": ["value": JSONValue(version)]] }
        if let shares {
            consent["provision"] = ["provision": [["type": JSONValue(shares ? "permit" : "deny")]]]
        }
        return consent
    }
}

extension WarehouseTransaction {
    /// The columns of exported consents.
    public static let consentColumns = [
        "participant", "signed", "version", "shares", "first signed", "earlier withdrawals", "stopped",
    ]

    /// The consents in force, by the pseudonyms of their participants.
    public func consents(of audience: ExportAudience = .study) throws -> [ExportedConsent] {
        let rows = try db.rows(
            """
            SELECT p.pseudonym, c.signed, c.version, c.shares,
                (SELECT count(*) FROM study_earlier_withdrawal e WHERE e.participant = c.participant),
                (SELECT w.at FROM study_withdrawal w WHERE w.participant = c.participant)
            FROM study_consent c
            JOIN study_participant p USING (participant)
            WHERE \(audience.condition("p"))
            ORDER BY p.pseudonym, c.signed
            """
        )
        var found: [ExportedConsent] = []
        for row in rows {
            let participant = row.text(0) ?? ""
            let earlier = found.last?.participant == participant ? found.removeLast() : nil
            let signed = row.text(1) ?? ""
            var shares = row.integer(3).map { $0 == 1 }
            // Of two that were signed at one time both have to agree.
            if let earlier, earlier.signed == signed, earlier.shares != true { shares = earlier.shares }
            found.append(
                ExportedConsent(
                    participant: participant,
                    signed: signed,
                    version: row.text(2),
                    shares: shares,
                    first: earlier?.first ?? signed,
                    earlierWithdrawals: row.integer(4) ?? 0,
                    stopped: row.text(5)
                )
            )
        }
        return found
    }
}

/// A package that a warehouse has, with what is known of it without a key.
public struct KeptPackage: Sendable, Hashable {
    /// The id of its message.
    public let id: String
    /// The pseudonym of its participant.
    public let participant: String
    /// When it was received.
    public let received: String
}

extension WarehouseTransaction {
    /// The packages of participants who agreed and have not withdrawn, by the ids of their messages.
    ///
    /// - Parameters:
    ///   - id: The last one that is known already; the first ones without it.
    ///   - limit: How many at most.
    public func packages(of audience: ExportAudience = .study, after id: String = "", limit: Int) throws
        -> [KeptPackage]
    {
        try db.rows(
            """
            SELECT m.id, p.pseudonym, m.received
            FROM study_message m
            JOIN study_participant p USING (participant)
            WHERE m.kind = 'package' AND m.state IN ('loaded', 'kept') AND m.body IS NOT NULL
                AND m.id > ? AND \(audience.condition("p"))
            ORDER BY m.id LIMIT ?
            """,
            [id, max(0, limit)]
        ).map {
            KeptPackage(id: $0.text(0) ?? "", participant: $0.text(1) ?? "", received: $0.text(2) ?? "")
        }
    }

    /// The ids of the messages whose content is kept, and whose participants all agreed, as far as they are
    /// known. A message whose participants are unknown counts as one without a consent.
    ///
    /// - Parameters:
    ///   - id: The last one that is known already; the first ones without it.
    ///   - limit: How many at most.
    public func keptMessages(after id: String = "", limit: Int) throws -> [String] {
        // Whoever reads a warehouse of an earlier version does without the table.
        let others = """
            AND NOT EXISTS (
                SELECT 1 FROM study_message_subject s
                WHERE s.message = m.id AND s.participant NOT IN (SELECT participant FROM study_consent)
            )
            """
        let condition = try db.hasTable("study_message_subject") ? others : ""
        return try db.rows(
            """
            SELECT m.id FROM study_message m
            WHERE m.body IS NOT NULL AND m.state <> 'waiting' AND m.id > ?
                AND m.participant IN (SELECT participant FROM study_consent)
                \(condition)
            ORDER BY m.id LIMIT ?
            """,
            [id, max(0, limit)]
        ).compactMap { $0.text(0) }
    }
}
