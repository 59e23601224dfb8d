import IndivoBase

/// The request line and the header fields of a request (RFC 9112).
struct RequestHead: Equatable {
    /// How the end of a body is known.
    enum Body: Equatable {
        case length(Int)
        case chunked
    }

    var method: String
    var target: String
    /// Header values by lower-case name; several of a name are joined as RFC 9110 section 5.3 has it.
    var headers: [String: String]
    var body: Body
    /// Whether another request may follow on the connection.
    var keepsAlive: Bool

    /// Whether the client sends the body only when it is asked to.
    var expectsContinue: Bool

    /// Parses the lines of a head, their ends left out.
    init(lines: [ArraySlice<UInt8>]) throws(RequestError) {
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isToken), !words[1].isEmpty,
            words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw .malformed }
        // As it was sent: `get` is not the method GET (RFC 9110 section 9.1).
        method = String(decoding: words[0], as: UTF8.self)
        target = String(decoding: words[1], as: UTF8.self)
        let version = String(decoding: words[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw .unknownVersion }

        headers = [:]
        for line in lines.dropFirst() {
            let (name, value) = try Self.field(line)
            // Which of two counts, others on the way may see differently.
            guard headers[name] == nil || name != "host" && name != "content-length" else { throw .malformed }
            headers[name] = headers[name].map { $0 + (name == "cookie" ? "; " : ", ") + value } ?? value
        }

        let options = headers["connection"].map(Self.list) ?? []
        let isOld = version == "HTTP/1.0"
        keepsAlive = isOld ? options.contains("keep-alive") : !options.contains("close")
        // An old client may stand behind a proxy that knows no transfer codings (RFC 9112 section 6.1).
        if isOld, headers["transfer-encoding"] != nil { throw .malformed }
        let expectations = headers["expect"].map(Self.list) ?? []
        guard expectations.allSatisfy({ $0 == "100-continue" }) else { throw .unknownExpectation }
        // Of an old client it is overlooked (RFC 9110 section 10.1.1).
        expectsContinue = !isOld && !expectations.isEmpty
        body = try Self.body(headers)
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(RequestError) -> (name: String, value: String)
    {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed }
        let name = line[..<colon]
        // A space before the colon, and a line that goes on with the one before, are read differently by
        // others.
        guard !name.isEmpty, name.allSatisfy(\.isToken) else { throw .malformed }
        let value = line[(colon + 1)...]
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { throw .malformed }
        let trimmed = value.drop { $0.isBlank }.reversed().drop { $0.isBlank }.reversed()
        return (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: trimmed, as: UTF8.self))
    }

    private static func body(_ headers: [String: String]) throws(RequestError) -> Body {
        if let coding = headers["transfer-encoding"] {
            guard headers["content-length"] == nil else { throw .malformed }
            guard list(coding) == ["chunked"] else { throw .unknownCoding }
            return .chunked
        }
        guard let length = headers["content-length"] else { return .length(0) }
        guard length.isASCIIDigits, let number = Int(length) else { throw .malformed }
        return .length(number)
    }

    private static func list(_ value: String) -> [String] {
        value.utf8.split(separator: UInt8(ascii: ",")).map { item in
            String(decoding: item.filter { !$0.isBlank }, as: UTF8.self).lowercased()
        }
    }
}

/// Why no request can be read from what came, by the status of the response. What follows on the connection
/// has no meaning.
enum RequestError: Int, Error {
    case malformed = 400
    case unknownExpectation = 417
    case headTooLarge = 431
    case unknownCoding = 501
    case unknownVersion = 505
}

extension UInt8 {
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether names of methods and fields may have it (RFC 9110 section 5.6.2).
    fileprivate var isToken: Bool {
        isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
}
