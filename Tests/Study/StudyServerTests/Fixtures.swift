import FHIR
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON
import StudyDelivery
import StudyServer
import StudyWarehouse

/// The study's key; made once, since that takes a while.
enum StudyKeys {
    static let key = made()
    static let other = made()
    static let id = known("key-1")

    static func known(_ text: String) -> KeyID {
        do { return try KeyID(text) } catch { fatalError("\(error)") }
    }

    static func certificate(of key: StudyPrivateKey = key) throws -> StudyCertificate {
        try key.certificate(subject: "CN=Study", days: 30)
    }

    private static func made() -> StudyPrivateKey {
        do { return try StudyPrivateKey(bits: 2048) } catch { fatalError("\(error)") }
    }
}

/// A folder of one test.
final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "study-server-\(UUID().uuidString)")
    init() throws {
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }
    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appending(path: name) }

    /// Whether any file has a text in it, whatever its case.
    func contains(_ text: String) throws -> Bool {
        for path in FileManager.default.enumerator(atPath: url.path)?.compactMap({ $0 as? String }) ?? [] {
            guard let data = FileManager.default.contents(atPath: url.appending(path: path).path) else {
                continue
            }
            let lower = Data(data.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 })
            if lower.range(of: Data(text.lowercased().utf8)) != nil { return true }
        }
        return false
    }
}

/// A phone, as C3-PRO's framework speaks.
struct Phone {
    let url: URL
    /// What the paths of its study begin with, as in `/sleep`.
    var base = ""

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: [String: String] = [:],
        _ body: String = ""
    ) async throws -> (status: Int, json: JSONValue?, fields: HTTPFields, text: String) {
        try await send(method, path, fields, Data(body.utf8))
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: [String: String],
        _ body: Data
    ) async throws -> (status: Int, json: JSONValue?, fields: HTTPFields, text: String) {
        var request = HTTPRequest(
            method: method,
            scheme: "http",
            authority: "\(url.host() ?? ""):\(url.port ?? 0)",
            path: base + path
        )
        for (name, value) in fields { HTTPField.Name(name).map { request.headerFields[$0] = value } }
        let transport: any HTTPTransport = .system
        let answer = try await transport.send(request, body: method == .get ? nil : body)
        return (
            answer.response.status.code, try? JSONValue(parsing: answer.body), answer.response.headerFields,
            String(decoding: answer.body, as: UTF8.self)
        )
    }

    /// Registers as `OAuth2DynRegAppStore` does, and gets a token as its OAuth library does.
    func token(antispam: String = "spam-secret", receipt: String = "NO-APP-RECEIPT") async throws -> String? {
        let registration = """
            {"sandbox":false,"receipt-data":"\(receipt)","grant_types":["client_credentials",\
            "refresh_token"],\
            "token_endpoint_auth_method":"none","client_name":"C3-PRO"}
            """
        let client = try await send(
            .post,
            "/c3pro/register",
            ["Antispam": antispam, "Content-Type": "application/json; charset=utf-8"],
            registration
        )
        guard client.status == 201, let id = client.json?["client_id"]?.string,
            let secret = client.json?["client_secret"]?.string
        else { return nil }
        func encoded(_ text: String) -> String {
            text.addingPercentEncoding(
                withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._"))
            ) ?? ""
        }
        let basic = Data("\(encoded(id)):\(encoded(secret))".utf8).base64EncodedString()
        let answer = try await send(
            .post,
            "/c3pro/oauth",
            [
                "Authorization": "Basic \(basic)",
                "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
            ],
            "grant_type=client_credentials"
        )
        return answer.json?["access_token"]?.string
    }
}

extension ReceiverConfiguration {
    /// A receiver that everybody may register at, on a free port.
    static func open(_ change: (inout ReceiverConfiguration) -> Void = { _ in }) -> ReceiverConfiguration {
        var configuration = ReceiverConfiguration()
        configuration.port = 0
        configuration.antispam = ["spam-secret"]
        configuration.attestation = NoAttestation()
        change(&configuration)
        return configuration
    }
}

/// What participants give.
enum Given {
    static func contract(
        _ participant: UUID,
        status: String? = "executed",
        signed: String = "2026-02-01T09:00:00Z",
        version: String = "1"
    ) -> String {
        let status = status.map { #""status": "\#($0)","# } ?? ""
        return """
            {"resourceType": "Contract", \(status) "applies": {"start": "\(signed)"}, \
            "version": "\(version)", "signer": [{
             "type": {"system": "http://hl7.org/fhir/ValueSet/contract-signer-type", "code": "CONSENTER"},
             "party": {"reference": "Patient/\(participant.uuidString)"},
             "signature": [{"type": [{"code": "1.2.840.10065.1.12.1.7"}], "when": "\(signed)", "who": \
            {"reference": "Patient/\(participant.uuidString)"}}]}]}
            """
    }

    static func response(
        _ participant: UUID,
        _ number: Int = 1,
        text: String = "a private thought",
        authored: String = "2026-03-01T10:00:00Z"
    ) -> String {
        """
        {"resourceType": "QuestionnaireResponse", "identifier": {"system": "urn:x", "value": \
        "\(participant.uuidString)-\(number)"},
         "questionnaire": "http://example.org/Questionnaire/diary", "status": "completed", "authored": \
        "\(authored)",
         "subject": {"reference": "Patient/\(participant.uuidString)"}, "item": [
          {"linkId": "score", "answer": [{"valueInteger": \(number)}]}, {"linkId": "note", "answer": \
        [{"valueString": "\(text)"}]}]}
        """
    }

    static func envelope(
        _ resource: String,
        key: StudyPrivateKey = StudyKeys.key,
        id: KeyID = StudyKeys.id,
        form: C3ProEnvelope.Form = .first
    ) throws -> Data {
        try C3ProEnvelope(
            sealing: Data(resource.utf8),
            for: StudyKeys.certificate(of: key),
            keyID: id,
            form: form
        ).data
    }

    /// The app on the phone of all participants.
    static let client = StudyMessage.clientDigest("the app on the phone")

    static func bundle(_ resources: [String]) -> String {
        let entries = resources.map { #"{"resource": \#($0)}"# }.joined(separator: ", ")
        return #"{"resourceType": "Bundle", "type": "collection", "entry": [\#(entries)]}"#
    }

    static func message(
        _ resource: String,
        id: String? = nil,
        received: String = "2026-03-02T00:00:00Z",
        client: String? = client
    ) throws -> StudyMessage {
        let body = try envelope(resource)
        return StudyMessage(
            id: id ?? StudyMessage.digest(of: body),
            content: .envelope,
            received: received,
            client: client,
            body: body
        )
    }
}

extension [Consumer] {
    /// Has all take messages at once until there are none.
    func drainTogether() async throws -> [Consumer.Report] {
        try await withThrowingTaskGroup(of: Consumer.Report.self) { group in
            for consumer in self { group.addTask { try await consumer.drain() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
