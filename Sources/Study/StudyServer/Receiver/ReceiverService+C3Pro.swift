import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats
import WebServing

/// C3-PRO's protocol: registration, a token, encrypted and clear resources, questionnaires, the map.
extension ReceiverService {
    // MARK: Registration and token

    func register(_ request: Request) async throws -> Response {
        // A registration takes what ten other requests take: it leaves something behind.
        if let refusal = tooMany(request, 10) { return refusal }
        guard let attestation = configuration.attestation else {
            return ReceiverResponse.error(401, "unauthorized_client", "Registration is closed")
        }
        guard hasAntispam(request) else {
            return ReceiverResponse.error(401, "unauthorized_client", "Antispam token not validated")
        }
        var limits = JSONLimits()
        limits.bytes = 1 << 20
        limits.depth = 16
        let proof = attestation.usesChallenges ? "challenge" : "receipt-data"
        guard let json = try? JSONValue(parsing: request.body, limits: limits),
            let shown = json[proof]?.string
        else {
            return ReceiverResponse.error(
                400,
                "invalid_request",
                "The body is an object of JSON with the string \(proof)"
            )
        }
        if attestation.usesChallenges, try await !registry.redeem(challenge: shown) {
            return ReceiverResponse.error(
                401,
                "unauthorized_client",
                "The challenge was used, or is not one of the last five minutes; get another"
            )
        }
        if let objection = try await attestation.objection(to: json) {
            return ReceiverResponse.error(401, "unauthorized_client", objection)
        }
        let client = try await registry.register()
        return ReceiverResponse.json(
            201,
            [
                "client_id": JSONValue(client.id), "client_secret": JSONValue(client.secret),
                "client_secret_expires_at": 0,
                "grant_types": ["client_credentials"], "token_endpoint_auth_method": "client_secret_basic",
            ]
        )
    }

    /// Whether a request shows one of the study's anti-spam tokens.
    private func hasAntispam(_ request: Request) -> Bool {
        let shown = ClientRegistry.digest(request.header("Antispam") ?? "")
        return configuration.antispam.reduce(false) { ClientRegistry.digest($1.reveal()) == shown || $0 }
    }

    /// Bytes for which an app makes its proof, so that a proof is shown once.
    func challenge(_ request: Request) async throws -> Response {
        if let refusal = tooMany(request, 10) { return refusal }
        guard configuration.attestation?.usesChallenges == true else {
            return ReceiverResponse.error(404, "not_found", "The registration here needs no challenge")
        }
        guard hasAntispam(request) else {
            return ReceiverResponse.error(401, "unauthorized_client", "Antispam token not validated")
        }
        guard let challenge = try await registry.issueChallenge() else {
            return ReceiverResponse.tooMany(ClientRegistry.challengeLifetime)
        }
        return ReceiverResponse.json(
            200,
            ["challenge": JSONValue(challenge), "expires_in": JSONValue(ClientRegistry.challengeLifetime)]
        )
    }

    func token(_ request: Request) async throws -> Response {
        if let refusal = tooMany(request) { return refusal }
        guard let client = try await basicClient(request) else {
            // A wrong secret is dearer than a right one.
            _ = limiter.take(10, of: "address \(client(of: request))")
            let refusal = ReceiverResponse.json(
                401,
                ["error": isOriginal ? "unauthorized_client" : "invalid_client"]
            )
            return isOriginal ? refusal : refusal.adding("WWW-Authenticate", #"Basic realm="study""#)
        }
        let grant =
            FormParameters(decoding: request.body)["grant_type"]
            ?? FormParameters(decoding: request.rawQuery)["grant_type"]
        guard let grant else { return ReceiverResponse.error(400, "invalid_request", "Grant type is null") }
        guard grant.lowercased() == "client_credentials" else {
            return ReceiverResponse.error(400, "unsupported_grant_type", "Grant type not supported")
        }
        let token = try await registry.issueToken(to: client, lifetime: configuration.tokenLifetime)
        return ReceiverResponse.json(
            isOriginal ? 202 : 200,
            [
                "access_token": JSONValue(token), "expires_in": JSONValue(configuration.tokenLifetime),
                "token_type": "bearer",
            ]
        )
    }

    /// The client of an `Authorization: Basic` header. Id and secret may be form-encoded, as RFC 6749 (2.3.1)
    /// wants it, or not.
    private func basicClient(_ request: Request) async throws -> String? {
        guard case .basic(let name, let password)? = request.credentials else { return nil }
        if try await registry.isClient(name, secret: password) { return name }
        guard let id = try? PercentEncoding.decode(name, plusIsSpace: true),
            let secret = try? PercentEncoding.decode(password, plusIsSpace: true),
            try await registry.isClient(id, secret: secret)
        else { return nil }
        return id
    }

    /// Responds to a client with a token.
    func authorized(
        _ request: Request,
        _ body: (_ client: String) async throws -> Response
    ) async throws -> Response {
        guard case .bearer(let token)? = request.credentials,
            let id = try await registry.client(ofToken: token)
        else {
            if let refusal = tooMany(request) { return refusal }
            let refusal = ReceiverResponse.json(
                401,
                ["error": isOriginal ? "unauthorized_client" : "invalid_token"]
            )
            return isOriginal ? refusal : refusal.adding("WWW-Authenticate", #"Bearer error="invalid_token""#)
        }
        if let seconds = takeTokens(of: id, request) { return ReceiverResponse.tooMany(seconds) }
        return try await body(id)
    }

    // MARK: Resources

    /// A message of a client. Its id is the one that the client gave to the delivery, the same in each
    /// attempt, together with the client: nobody else's delivery has it.
    ///
    /// - Parameter other: The id where the client gave none.
    private func message(_ request: Request, of client: String, body: Data, id other: String) -> StudyMessage
    {
        let sender = StudyMessage.clientDigest(client)
        let key = request.header("Idempotency-Key").flatMap(UUID.init(uuidString:))?.uuidString.lowercased()
        // Only who knows the key can compare: of a resource in clear a digest alone would say something.
        let fingerprint = key.map { key in
            "fingerprint:"
                + ClientRegistry.digest("\(sender)\n\(key)\n\(StudyMessage.digest(of: request.body))")
        }
        return StudyMessage(
            id: key.map { "delivery:" + ClientRegistry.digest("\(sender)\n\($0)") } ?? other,
            content: .envelope,
            received: received,
            client: sender,
            fingerprint: fingerprint,
            body: body
        )
    }

    /// Queues a message of a client.
    ///
    /// - Returns: A refusal; `nil` when the message is in the queue, now or since before.
    private func enqueueOwn(_ message: StudyMessage) async throws -> Response? {
        do {
            return try await enqueue(message)
        } catch is OtherMessage {
            return ReceiverResponse.error(
                409,
                "already_delivered",
                "Another body came with this Idempotency-Key before, and is what counts"
            )
        }
    }

    /// An envelope, which is checked without decrypting it.
    func envelope(_ request: Request, of client: String) async throws -> Response {
        do {
            _ = try C3ProEnvelope(parsing: request.body)
        } catch {
            return ReceiverResponse.error(400, "invalid_request", "\(error)")
        }
        let message = message(
            request,
            of: client,
            body: request.body,
            id: StudyMessage.digest(of: request.body)
        )
        return try await enqueueOwn(message) ?? Response(type: "application/json")
    }

    private static let created = ["Consent", "Contract", "Observation", "QuestionnaireResponse"]

    /// What a client with a token asks for below `/c3pro/fhir`.
    private typealias Interaction =
        @Sendable (
            ReceiverService, Request, _ id: String, _ client: String
        ) async throws -> Response

    private static let interactions = RouteTable<Interaction>(
        [
            .get("/metadata") { service, _, _, _ in service.capabilities },
            .get("/Questionnaire/{id}") { service, _, id, _ in
                guard let questionnaire = service.configuration.questionnaires[id] else {
                    return ReceiverResponse.fhir(404, "not-found", "There is no such questionnaire")
                }
                return Response(type: "application/fhir+json", body: questionnaire)
            },
            .put("/Patient/{id}") { service, request, id, client in
                try await service.seal(request, "Patient", id: id, of: client)
            },
        ]
            + created.map { type in
                .post("/\(type)") { service, request, _, client in
                    try await service.seal(request, type, id: nil, of: client)
                }
            }
    )

    func resource(_ request: Request, _ path: [String], of client: String) async throws -> Response {
        switch Self.interactions.match(request.method, path) {
        case .found(let interaction, let captures):
            return try await interaction(self, request, captures["id"] ?? "", client)
        case .otherMethod(let allowed, _):
            return ReceiverResponse.fhir(405, "not-supported", "The interaction is not supported")
                .adding("Allow", allowed)
        case .nothing: return ReceiverResponse.fhir(404, "not-found", "There is nothing here")
        }
    }

    /// A resource that came in clear: encrypted before it goes anywhere.
    private func seal(_ request: Request, _ type: String, id: String?, of client: String) async throws
        -> Response
    {
        guard let sealing = configuration.sealing else {
            return ReceiverResponse.fhir(
                403,
                "forbidden",
                "This receiver takes encrypted resources alone, at /c3pro/encfhir"
            )
        }
        let json: JSONValue
        do {
            var limits = JSONLimits()
            limits.depth = 128
            json = try JSONValue(parsing: request.body, limits: limits)
        } catch {
            return ReceiverResponse.fhir(400, "structure", "The body is no JSON, at \(error.location)")
        }
        guard json["resourceType"]?.string == type, id == nil || json["id"]?.string == id else {
            return ReceiverResponse.fhir(
                400,
                "invalid",
                "The resource is not of the type, or has not the id, that the URL has"
            )
        }
        if let id, UUID(uuidString: id) == nil {
            return ReceiverResponse.fhir(400, "invalid", "A participant is known by a UUID")
        }
        let made = id ?? json["id"]?.string ?? UUID().uuidString.lowercased()
        let envelope: C3ProEnvelope
        do {
            envelope = try C3ProEnvelope(
                sealing: request.body,
                json,
                for: sealing.certificate,
                keyID: sealing.keyID,
                version: isOriginal ? "1.0.2" : "4.0.1",
                form: isOriginal ? .first : .second
            )
        } catch let error as StudyError {
            guard case .tooLarge = error else { throw error }
            return ReceiverResponse.fhir(413, "too-long", "The resource is too large")
        }
        let message = message(
            request,
            of: client,
            body: envelope.data,
            id: "delivery:\(UUID().uuidString.lowercased())"
        )
        if let refusal = try await enqueueOwn(message) { return refusal }
        if let id, let state = ParticipationMap.state(of: json) {
            try await registry.count(participant: id, state: state)
        }
        guard id == nil else { return Response(type: "application/fhir+json") }
        // An id from the network never becomes a part of a header that it could end.
        let shown = UUID(uuidString: made) == nil ? UUID().uuidString.lowercased() : made
        return Response(status: 201, type: "application/fhir+json").adding(
            "Location",
            "\(base)/c3pro/fhir/\(type)/\(shown)"
        )
    }

    private var capabilities: Response {
        func interaction(_ code: String) -> JSONValue { [["code": JSONValue(code)]] }
        let resources: [JSONValue] =
            [
                ["type": "Patient", "interaction": interaction("update")],
                ["type": "Questionnaire", "interaction": interaction("read")],
            ] + Self.created.map { ["type": JSONValue($0), "interaction": interaction("create")] }
        let statement: JSONValue = [
            "resourceType": "CapabilityStatement", "status": "active", "date": "2026-01-01",
            "kind": "instance",
            "fhirVersion": "4.0.1",
            "format": ["json"], "implementation": ["description": "A study's receiver"],
            "rest": [["mode": "server", "resource": JSONValue(resources)]],
        ]
        return Response(type: "application/fhir+json", text: statement.text())
    }

    // MARK: The map

    func map(_ request: Request) async throws -> Response {
        if let refusal = tooMany(request) { return refusal }
        let map = ParticipationMap(try await registry.states())
        return Response(type: isOriginal ? "image/svg-xml" : "image/svg+xml", text: map.svg).adding(
            "Cache-Control",
            "max-age=60"
        )
    }
}
