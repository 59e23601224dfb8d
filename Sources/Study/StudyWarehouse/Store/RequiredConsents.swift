/// The versions of its consent that a study requires, each from a time on: messages that were received since
/// then wait until their participants have signed that version or one that is required later.
public struct RequiredConsents: Sendable, Hashable {
    /// One version.
    public struct Version: Sendable, Hashable {
        /// Its name, as signed consents have it.
        public let name: String
        /// From when on it is required.
        public let from: WarehouseTime

        /// Whether a consent may have a version with this name: it has from 1 to 200 characters.
        public static func isName(_ text: String) -> Bool {
            !text.isEmpty && BatchPerson.Consent.versionName(text) == text
        }

        /// A version that is required from a time on.
        public init(_ name: String, from: WarehouseTime) {
            self.name = name
            self.from = from
        }

        /// Its first second, as ``StoredMessage/received`` begins.
        var second: String { String(from.xml.prefix(RequiredConsents.secondLength)) }
    }

    /// The versions, in the order in which they are required.
    public let versions: [Version]

    /// `2026-03-01T09:00:00`.
    static let secondLength = 19

    /// Versions that are required; without any of them each consent counts.
    public init(_ versions: [Version] = []) { self.versions = versions.sorted { $0.from < $1.from } }

    /// The versions that let a message be loaded.
    ///
    /// - Parameter received: When it was received, as messages have it.
    /// - Returns: `nil` where each consent does.
    func versions(at received: String) -> [String]? {
        let second = String(received.prefix(Self.secondLength))
        guard let required = versions.lastIndex(where: { $0.second <= second }) else { return nil }
        return versions[required...].map { BatchPerson.Consent.versionName($0.name) }
    }
}

extension WarehouseTransaction {
    /// The ids of messages that waited for a consent that has come, in the order of their arrival.
    ///
    /// - Parameters:
    ///   - required: The versions that messages wait for.
    ///   - limit: How many at most.
    package func messagesWithConsent(_ required: RequiredConsents = RequiredConsents(), limit: Int = 100)
        throws -> [String]
    {
        var conditions: [String] = []
        var arguments: SQLArguments = []
        let second = "substr(received, 1, \(RequiredConsents.secondLength))"
        let versions = required.versions
        // The times between two requirements have one set of versions each.
        for index in -1..<versions.count {
            var parts: [String] = []
            if index >= 0 {
                parts.append("\(second) >= ?")
                arguments.append(versions[index].second)
            }
            if index + 1 < versions.count {
                parts.append("\(second) < ?")
                arguments.append(versions[index + 1].second)
            }
            var consents = "SELECT participant FROM study_consent"
            if index >= 0 {
                consents += " WHERE version IN (\(db.listed))"
                let names = required.versions(at: versions[index].second) ?? []
                arguments.append(type(of: db).list(names))
            }
            parts.append("participant IN (\(consents))")
            conditions.append("(\(parts.joined(separator: " AND ")))")
        }
        return try db.rows(
            """
            SELECT id
            FROM study_message
            WHERE state = 'waiting' AND (\(conditions.joined(separator: " OR ")))
            ORDER BY received, id LIMIT ?
            """,
            arguments + [max(0, limit)]
        ).compactMap { $0.text(0) }
    }
}
