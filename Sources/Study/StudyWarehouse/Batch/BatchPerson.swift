/// A participant as a batch of messages sees them.
struct BatchPerson {
    /// How somebody agreed.
    struct Consent: Hashable {
        let signed: String
        let version: String?
        let shares: Bool?

        init(signed: String, version: String?, shares: Bool?) {
            self.signed = signed
            self.version = version.map(Self.versionName)
            self.shares = shares
        }

        /// The name of a version, as it is kept.
        static func versionName(_ name: String) -> String { String(name.unicodeScalars.prefix(200)) }
    }

    /// How somebody left.
    enum Leaving {
        /// What they gave was erased.
        case withdrew
        /// What they gave by this time stays.
        case stopped(at: String)
    }

    /// How they left; `nil` while they take part.
    var left: Leaving?
    /// When what they had given was erased last, where they take part again.
    var withdrewLast: String?
    var consents: Set<Consent> = []
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
