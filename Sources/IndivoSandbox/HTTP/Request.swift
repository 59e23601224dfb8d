import Foundation

/// One HTTP request, as the calls and the pages see it: nothing in it is decoded that the signature needs as it was
/// sent.
struct Request: Sendable {
    /// The method in capitals.
    var method: String
    /// The path of the request line, percent-escapes and all.
    var rawPath: String
    /// What follows the first `?` of the request line, "" for nothing.
    var rawQuery: String
    /// Header values by lower-case name.
    var headers: [String: String]
    var body: Data
    /// The address of the client.
    var peer: String

    init(
        method: String, target: String, headers: [String: String] = [:], body: Data = Data(), peer: String = "127.0.0.1"
    ) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            method: method, rawPath: String(parts[0]), rawQuery: parts.count > 1 ? String(parts[1]) : "",
            headers: headers, body: body, peer: peer)
    }

    init(
        method: String, rawPath: String, rawQuery: String, headers: [String: String], body: Data, peer: String
    ) {
        self.method = method
        self.rawPath = rawPath
        self.rawQuery = rawQuery
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    func header(_ name: String) -> String? { headers[name.lowercased()] }

    /// Whether the Host header is an address or `localhost`, with any port. A page elsewhere whose name was made to lead
    /// here (DNS rebinding) sends its own name, and could read what it gets.
    var namesThisMachine: Bool {
        guard let host = header("Host")?.lowercased() else { return false }
        let name: Substring
        if host.hasPrefix("[") {
            name = host.prefix { $0 != "]" }.dropFirst()
            return !name.isEmpty && name.utf8.allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
        }
        name = host.prefix { $0 != ":" }
        guard host.dropFirst(name.count + 1).utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return name == "localhost" || numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil && $0.first != "+" }
    }

    /// The path with its percent-escapes decoded once; nil when what comes out is not UTF-8.
    var path: String? { PercentCoding.decode(rawPath, plusIsSpace: false) }

    var query: FormFields { FormFields(parsing: rawQuery) }

    /// The fields of a form body, as the real server's framework reads them: every body that is not multipart is taken
    /// for a URL-encoded form, whatever its type.
    var form: FormFields {
        let type = header("Content-Type") ?? ""
        if type.lowercased().hasPrefix("multipart/form-data") {
            return FormFields(multipart: body, contentType: type)
        }
        return FormFields(parsing: String(decoding: body, as: UTF8.self))
    }

    /// The value of a cookie.
    func cookie(_ name: String) -> String? {
        for pair in (header("Cookie") ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name {
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }
}
