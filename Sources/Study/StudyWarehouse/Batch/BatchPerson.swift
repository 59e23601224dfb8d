/// A participant as a batch of messages sees them.
struct BatchPerson {
    /// How somebody agreed.
    struct Consent: Hashable {
        let signed: String
        let version: String?
        let shares: Bool?

        init(signed: String, version: String?, shares: Bool?) {
            self.signed = signed
            self.version = version.map { String($0.unicodeScalars.prefix(Self.maximumVersionLength)) }
            self.shares = shares
        }

        private static let maximumVersionLength = 200
    }

    var hasWithdrawn = false
    /// When they left last, where they take part again.
    var withdrewLast: String?
    var consents: [Consent] = []
    /// The apps that may speak for them.
    var clients: Set<String> = []
    /// What they are called here; `nil` for somebody of whom nothing is stored.
    var pseudonym: String?
    /// i2b2's number; `nil` until somebody new is written.
    var number: Int?

    // What the batch changes.
    /// When the pseudonym was made, for somebody new.
    var created: WarehouseTime?
    var newConsents: [(message: String, consent: Consent)] = []
    var newClients: [String] = []
    var details: (patient: PatientDetails, written: WarehouseTime, load: Int)?
}
