import Foundation
import OAuth1

/// A session as it is stored, in JSON.
struct StoredSession: Codable {
    var api: URL
    var app: String
    var record: String
    var token: String
    var secret: String
    var label: String?
    var keptAt: Date

    init(_ session: IndivoSession) {
        api = session.api
        app = session.app
        record = session.record
        token = session.token.value
        secret = session.token.secret.reveal()
        label = session.label
        keptAt = session.keptAt
    }

    var session: IndivoSession {
        IndivoSession(
            api: api, app: app, record: record, token: OAuthToken(value: token, secret: Secret(secret)),
            label: label, keptAt: keptAt)
    }
}
