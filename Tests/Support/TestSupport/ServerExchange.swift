import Foundation
import OrderedJSON

/// One exchange with a real Indivo server.
package struct ServerExchange: Sendable, CustomStringConvertible {
    /// The keys of the credentials that signed the request.
    package struct Signer: Sendable {
        package var consumer: String
        package var token: String?
    }

    package var name: String
    /// The server's name for the call.
    package var call = ""
    /// The place in the order of time.
    package var seq: Int
    package var method: String
    /// The request's target as it was sent.
    package var path: String
    package var host = ""
    package var requestHeaders: [(String, String)]
    /// `nil` for none, and for one that the recording left out.
    package var requestBody: Data?
    /// What is known of a body that the recording left out; its SHA-1 in hexadecimal digits.
    package var omittedBody: (length: Int, sha1: String)?
    package var signedWith: Signer?
    /// What made the signature: a library, or code of the recording's own where it is wrong on purpose.
    package var signer: String?
    package var signatureBaseString: String?
    package var status: Int
    package var responseHeaders: [(String, String)]
    package var responseBody: Data

    package var description: String { "\(name) (\(method) \(path), \(status))" }

    package init(
        name: String,
        seq: Int,
        method: String,
        path: String,
        requestHeaders: [(String, String)],
        requestBody: Data?,
        status: Int,
        responseHeaders: [(String, String)],
        responseBody: Data
    ) {
        self.name = name
        self.seq = seq
        self.method = method
        self.path = path
        self.requestHeaders = requestHeaders
        self.requestBody = requestBody
        self.status = status
        self.responseHeaders = responseHeaders
        self.responseBody = responseBody
    }

    /// Reads a line of `exchanges.jsonl`.
    init(parsing line: Data) throws {
        let json = try JSONValue(parsing: line)
        func text(_ name: String) throws -> String {
            guard let text = json[name]?.string else {
                throw RecordingError("\(json["name"] ?? "a line") has no “\(name)”")
            }
            return text
        }
        func headers(_ name: String) -> [(String, String)] {
            (json[name]?.elements ?? []).compactMap { pair in
                pair[0]?.string.flatMap { name in pair[1]?.string.map { (name, $0) } }
            }
        }
        func body(_ name: String) throws -> Data? {
            if let text = json[name]?.string { return Data(text.utf8) }
            guard let encoded = json[name + "_b64"]?.string else { return nil }
            guard let data = Data(base64Encoded: encoded) else {
                throw RecordingError("\(name) is not base64")
            }
            return data
        }
        guard let status = json["status"]?.integer, let seq = json["seq"]?.integer else {
            throw RecordingError("a line has no “status” or no “seq”")
        }
        self.init(
            name: try text("name"),
            seq: seq,
            method: try text("method"),
            path: try text("path"),
            requestHeaders: headers("request_headers"),
            requestBody: try body("request_body"),
            status: status,
            responseHeaders: headers("response_headers"),
            responseBody: try body("response_body") ?? Data()
        )
        call = json["call"]?.string ?? ""
        host = json["host"]?.string ?? ""
        signer = json["signer"]?.string
        signatureBaseString = json["signature_base_string"]?.string
        if let signer = json["signed_with"], let consumer = signer["consumer"]?.string {
            signedWith = Signer(consumer: consumer, token: signer["token"]?.string)
        }
        if let omitted = json["request_body_omitted"], !omitted.isNull {
            omittedBody = (omitted["length"]?.integer ?? 0, omitted["sha1"]?.string ?? "")
            requestBody = nil
        }
    }

    package var requestText: String { String(decoding: requestBody ?? Data(), as: UTF8.self) }
    package var responseText: String { String(decoding: responseBody, as: UTF8.self) }

    package func requestHeader(_ name: String) -> String? { Self.value(of: name, in: requestHeaders) }
    package func responseHeader(_ name: String) -> String? { Self.value(of: name, in: responseHeaders) }

    private static func value(of name: String, in headers: [(String, String)]) -> String? {
        headers.first { $0.0.lowercased() == name.lowercased() }?.1
    }

    /// When the server answered.
    package var answeredAt: Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return responseHeader("Date").flatMap(format.date(from:))
    }
}

/// Why a recording cannot be read.
package struct RecordingError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
