import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON
import StudyFormats
import Synchronization

/// A receiver of C3-PRO: registration, a bearer token by client credentials, envelopes to `/encfhir` and
/// resources to `/fhir`.
///
/// Its responses are read as receivers send them: a token with status 202, JSON with a comma too many, errors
/// with status 200.
public final class C3ProEndpoint: StudyEndpoint {
    private let address: StudyAddress
    /// Each request is sent once: the queue delivers again what did not arrive.
    private let engine: CallEngine
    private let clients: C3ProClientStore
    private let antispam: Secret
    private let attestation: StudyAttestation
    private let token = Mutex<(text: Secret, expires: Duration)?>(nil)

    private static let antispamField = HTTPField.Name("Antispam")!  // A constant that is a token.
    private static let keyField = HTTPField.Name("Idempotency-Key")!  // A constant that is a token.

    /// - Parameters:
    ///   - url: The receiver's root, as in `https://study.example.org/c3pro`.
    ///   - antispam: The secret in the app's binary that receivers ask for.
    ///   - attestation: Proves the app at its registration.
    public init(
        _ url: URL,
        antispam: Secret,
        attestation: StudyAttestation,
        clients: C3ProClientStore,
        transport: any HTTPTransport = .system,
        plainHTTPHosts: Set<String> = [],
        timing: CallTiming = .system
    ) throws(StudyError) {
        address = try StudyAddress(url, plainHTTPHosts: plainHTTPHosts)
        self.antispam = antispam
        self.attestation = attestation
        self.clients = clients
        engine = CallEngine(transport: transport, retry: .never, timing: timing)
    }

    private var server: String {
        "\(address.address.scheme)://\(address.address.authority)\(address.address.path)"
    }

    /// A response that ends a submission before it is sent.
    private enum Refusal: Error {
        case response(StudyResponse)
    }

    public func objection(to submission: StudySubmission) -> String? {
        switch submission.content {
        case .package: "a receiver of C3-PRO takes resources, not packages"
        case .resource where submission.protection == .c3ProEnvelope: nil
        case .resource(_, let id) where id != nil && !submission.isPatient:
            """
            a receiver of C3-PRO takes updates of Patient only; send the resource without an id, or encrypted
            """
        case .resource: nil
        }
    }

    /// Registers the app and gets a token where need be, and sends a submission once.
    ///
    /// - Throws: What ``StudyEndpoint/send(_:_:)`` says; what the attestation and the store of clients throw.
    public func send(_ submission: StudySubmission, _ body: BodySource) async throws -> StudyResponse {
        do {
            var bearer = try await bearer()
            let http = try await engine.transfer(.upload(body)) {
                try request(submission, bearer)
            } unlessCorrected: { answer in
                guard answer.status == 401 else { return false }
                // The token may have expired early: try once more with a new one.
                token.withLock { $0 = nil }
                bearer = try await self.bearer()
                return true
            }
            return Self.read(http, submission)
        } catch Refusal.response(let response) {
            return response
        }
    }

    private func request(_ submission: StudySubmission, _ bearer: Secret) throws -> HTTPRequest {
        let path: String
        var method = HTTPRequest.Method.post
        switch submission.content {
        case .resource(let type, _) where submission.protection == .c3ProEnvelope: path = "/encfhir/\(type)"
        case .resource(let type, let id?):
            method = .put
            path = "/fhir/\(type)/\(id)"
        case .resource(let type, nil): path = "/fhir/\(type)"
        case .package: throw Refusal.response(.refused(reason: objection(to: submission) ?? ""))
        }
        return address.request(
            method,
            path,
            [
                (.contentType, submission.contentType), (.accept, "application/fhir+json"),
                (HTTPField.Name("Prefer")!, "return=minimal"),  // A constant that is a token.
                (Self.keyField, submission.id.uuidString), (.authorization, "Bearer \(bearer.reveal())"),
            ]
        )
    }

    private static func read(_ http: HTTPAnswer, _ submission: StudySubmission) -> StudyResponse {
        let json = C3ProJSON.read(http.body)
        // The id is derived from the content, and the content was encrypted anew: the receiver has it.
        if http.status == 409, json?["error"]?.string == "already_delivered" {
            return .accepted
        }
        let problem = C3ProJSON.problem(json)
        let errorClass = StudyResponse(status: http.status, problem ?? "", to: submission)
        guard errorClass == .accepted else { return errorClass }
        // An error may come with status 200, as a text that is not JSON. A network's login page is not a
        // receiver's response either.
        let isEmpty = http.body.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard isEmpty || json != nil, problem == nil || json?["resourceType"]?.string == "OperationOutcome"
        else {
            let text = String(decoding: http.body.prefix(200), as: UTF8.self)
            return .failed(
                reason: "the server responded with \(http.status): \(problem ?? text)"
            )
        }
        return .accepted
    }

    // MARK: Token

    /// How receivers report an unknown client: by RFC 6749, section 5.2, and as the first receivers did.
    private static let unknownClient: Set = ["invalid_client", "unauthorized_client"]

    /// - Parameter registersAnew: Whether an app that the receiver no longer knows is registered again.
    private func bearer(registersAnew: Bool = true) async throws -> Secret {
        if let token = token.withLock({ $0 }), token.expires > engine.timing.elapsed() { return token.text }
        let client = try await client()
        func escaped(_ text: String) -> String { PercentEncoding.encode(text) }
        let basic = Data("\(escaped(client.id)):\(escaped(client.secret.reveal()))".utf8)
            .base64EncodedString()
        let request = address.request(
            .post,
            "/oauth",
            [
                (.contentType, "application/x-www-form-urlencoded; charset=utf-8"),
                (.accept, "application/json"),
                (.authorization, "Basic \(basic)"),
            ]
        )
        let start = engine.timing.elapsed()
        let http = try await engine.transfer(.data(Data("grant_type=client_credentials".utf8))) { request }
        let json = C3ProJSON.read(http.body)
        let problem = json?["error"]?.string ?? ""
        if registersAnew, http.status == 401, Self.unknownClient.contains(problem) {
            try clients.keep(nil, server)
            return try await bearer(registersAnew: false)
        }
        guard (200..<300).contains(http.status), let text = json?["access_token"]?.string,
            !text.isEmpty,
            text.utf8.count <= 8192, text.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F })
        else { throw refusal(http, "no token") }
        // The README has the seconds as a string, the code as a number.
        let seconds = json?["expires_in"]?.integer ?? json?["expires_in"]?.string.flatMap { Int($0) } ?? 1800
        let secret = Secret(text)
        token.withLock { $0 = (secret, start + .seconds(min(max(seconds - 30, 1), 86_400))) }
        return secret
    }

    private func refusal(_ http: HTTPAnswer, _ what: String) -> Refusal {
        let json = C3ProJSON.read(http.body)
        let code = http.status
        let reason =
            "\(what): the server responded with \(code)" + (C3ProJSON.problem(json).map { ", \($0)" } ?? "")
        if case .failed = StudyResponse(status: code) { return .response(.failed(reason: reason)) }
        return .response(.closed(reason: reason))
    }

    // MARK: Registration

    /// Bytes from the receiver, for which the app makes its proof.
    private func challenge() async throws -> Data {
        let request = address.request(
            .post,
            "/challenge",
            [(.accept, "application/json"), (Self.antispamField, antispam.reveal())]
        )
        let http = try await engine.transfer(.data(Data())) { request }
        guard (200..<300).contains(http.status),
            let text = C3ProJSON.read(http.body)?["challenge"]?.string,
            let bytes = Data(base64Encoded: text), (16...1_024).contains(bytes.count)
        else { throw refusal(http, "no challenge") }
        return bytes
    }

    /// Registers the app, unless it is registered.
    private func client() async throws -> C3ProClient {
        if let client = try clients.client(server) { return client }
        var body: JSONValue = [
            "grant_types": ["client_credentials"], "token_endpoint_auth_method": "client_secret_basic",
        ]
        for member in try await attestation.members({ try await challenge() }) {
            body[member.name] = member.value
        }
        let request = address.request(
            .post,
            "/register",
            [
                (.contentType, "application/json; charset=utf-8"), (.accept, "application/json"),
                (Self.antispamField, antispam.reveal()),
            ]
        )
        let http = try await engine.transfer(.data(Data(body.utf8()))) { request }
        let json = C3ProJSON.read(http.body)
        guard (200..<300).contains(http.status), json?["error"] == nil,
            let id = json?["client_id"]?.string,
            let secret = json?["client_secret"]?.string, !id.isEmpty
        else { throw refusal(http, "not registered") }
        let client = C3ProClient(id: id, secret: Secret(secret))
        try clients.keep(client, server)
        return client
    }
}
