/// What a command needs to know of the server and the app, by the name it has in the environment.
enum Setting: String, CaseIterable {
    case api = "INDIVO_API"
    case ui = "INDIVO_UI"
    case appID = "INDIVO_APP_ID"
    case consumerKey = "INDIVO_CONSUMER_KEY"
    case consumerSecret = "INDIVO_CONSUMER_SECRET"
    case token = "INDIVO_TOKEN"
    case tokenSecret = "INDIVO_TOKEN_SECRET"
    case record = "INDIVO_RECORD"
    case credentials = "INDIVO_CREDENTIALS"
    case sessions = "INDIVO_SESSIONS"
    case allowHTTP = "INDIVO_ALLOW_HTTP"

    /// By its name as a shell has it, perhaps behind `export`.
    init?(name: Substring) {
        let words = name.split(whereSeparator: \.isWhitespace)
        guard let last = words.last, words.count == 1 || words.dropLast() == ["export"] else { return nil }
        self.init(rawValue: String(last))
    }

    /// The option that says the same. There is none for secrets: everyone on the machine can see a process's
    /// arguments.
    var option: String? {
        isSecret ? nil : "--" + rawValue.dropFirst("INDIVO_".count).lowercased().replacing("_", with: "-")
    }

    /// Whether it is never shown.
    var isSecret: Bool { [.consumerSecret, .token, .tokenSecret].contains(self) }

    var meaning: String {
        switch self {
        case .api: "the address of the API"
        case .ui: "the address of the server's pages"
        case .appID: "the app's id"
        case .consumerKey: "the consumer key"
        case .consumerSecret: "the consumer secret"
        case .token: "the access token"
        case .tokenSecret: "the access token's secret"
        case .record: "the record's id"
        case .credentials: "the file of settings"
        case .sessions: "the file of sessions"
        case .allowHTTP: "the hosts to which plain HTTP is allowed"
        }
    }

    var example: String? {
        switch self {
        case .api: "https://indivo.example.org:8000, or http://127.0.0.1:8000 for “indivo sandbox”"
        case .ui: "https://indivo.example.org, or http://127.0.0.1:8001 for “indivo sandbox”"
        case .appID, .consumerKey: "meds@apps.example.org"
        default: nil
        }
    }
}
