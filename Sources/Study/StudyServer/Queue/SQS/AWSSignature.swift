import Crypto
import Foundation
import HTTPTypes
import IndivoBase
import StudyFormats

/// Signatures of requests to Amazon's services: Signature Version 4, with all fields of the request in it.
struct AWSSignature: Sendable {
    let credentials: AWSCredentials
    let region: String
    let service: String

    /// Signs a request; nothing of it may be changed afterwards.
    ///
    /// - Parameter payload: The digest of the body.
    func sign(_ request: inout HTTPRequest, payload: String, at date: Date) throws {
        let time = StudyTime(date).description.filter { $0 != "-" && $0 != ":" }
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        request.headerFields[try Self.name("x-amz-date")] = time
        if let token = credentials.sessionToken {
            request.headerFields[try Self.name("x-amz-security-token")] = token.reveal()
        }
        let (canonical, names) = Self.canonical(request, payload: payload)
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(Self.digest(of: Data(canonical.utf8)))"
        let signature = Hexadecimal.encode(Self.code(of: text, with: key(day: String(time.prefix(8)))))
        request.headerFields[.authorization] =
            """
            AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), \
            Signature=\(signature)
            """
    }

    /// What is signed of a request, and the names of its fields.
    static func canonical(_ request: HTTPRequest, payload: String) -> (text: String, names: String) {
        let parts = (request.path ?? "/").split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let query = parts.dropFirst().flatMap { $0.split(separator: "&") }.map {
            $0.contains("=") ? String($0) : "\($0)="
        }.sorted()
        var fields = request.headerFields.map { field in
            (name: field.name.canonicalName, value: field.value.trimmingCharacters(in: .whitespaces))
        }
        fields.append((name: "host", value: request.authority ?? ""))
        fields.sort { $0.name < $1.name }
        let names = fields.map(\.name).joined(separator: ";")
        let lines = [request.method.rawValue, String(parts[0]), query.joined(separator: "&")]
        return (
            (lines + fields.map { "\($0.name):\($0.value)" } + ["", names, payload]).joined(separator: "\n"),
            names
        )
    }

    private func key(day: String) -> SymmetricKey {
        let first = SymmetricKey(data: Data("AWS4".utf8) + credentials.secret.withBytes { Data($0) })
        return [day, region, service, "aws4_request"].reduce(first) {
            SymmetricKey(data: Self.code(of: $1, with: $0))
        }
    }

    private static func code(of text: String, with key: SymmetricKey) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }

    static func digest(of data: Data) -> String { Hexadecimal.encode(SHA256.hash(data: data)) }

    static func name(_ name: String) throws -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { throw AWSError.badInput("a field has no valid name") }
        return name
    }
}
