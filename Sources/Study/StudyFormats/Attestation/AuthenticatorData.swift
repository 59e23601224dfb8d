import Foundation

/// What an authenticator signs (Web Authentication, 6.1).
struct AuthenticatorData: Sendable, Hashable {
    /// SHA-256 of what it is for: of an app, its id with the team's.
    let relyingParty: Data
    /// How often the key was used.
    let counter: UInt32
    /// The key that it is about; `nil` unless it attests one.
    let credential: Credential?

    struct Credential: Sendable, Hashable {
        /// The kind of authenticator (AAGUID).
        let authenticator: Data
        let id: Data
    }

    private static let headLength = 37
    private static let hasCredential: UInt8 = 0x40

    /// - Parameter format: What is being read, for errors.
    init(_ data: Data, of format: String) throws(StudyError) {
        let bytes = [UInt8](data)
        func malformed(_ reason: String) -> StudyError {
            .malformed(format: format, reason: "its authenticator data \(reason)")
        }
        guard bytes.count >= Self.headLength else { throw malformed("have only \(bytes.count) bytes") }
        relyingParty = Data(bytes[..<32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        guard bytes[32] & Self.hasCredential != 0 else {
            credential = nil
            return
        }
        guard bytes.count >= 55 else { throw malformed("end in the attested key") }
        let length = Int(bytes[53]) << 8 | Int(bytes[54])
        guard length <= bytes.count - 55 else { throw malformed("end in the key’s id") }
        credential = Credential(
            authenticator: Data(bytes[37..<53]),
            id: Data(bytes[55..<55 + length])
        )
    }
}
