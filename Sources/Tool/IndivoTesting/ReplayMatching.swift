import Foundation
import IndivoXML
import OAuth1

/// The parts of a request by which it is found in a recording; the method always counts.
///
/// Host and headers never count: a signature is another each time. What a recording leaves out as secret is
/// left out of the comparison as well, and an external id that the library made for one document (a UUID, in
/// full or in base64url) stands for any other.
public struct ReplayMatching: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let path = ReplayMatching(rawValue: 1)
    /// The names and values of the query, in any order.
    public static let query = ReplayMatching(rawValue: 2)
    /// The body: of a form its names and values in any order, of XML what it says (canonical XML), else its
    /// bytes.
    public static let body = ReplayMatching(rawValue: 4)
    /// Path, query and body.
    public static let all: ReplayMatching = [.path, .query, .body]

    func matches(_ request: RequestKey, _ recorded: RequestKey) -> Bool {
        request.method == recorded.method && (!contains(.path) || request.path == recorded.path)
            && (!contains(.query) || request.query == recorded.query)
            && (!contains(.body) || request.body == recorded.body)
    }
}

/// The parts of a request that count when a recording is searched for it.
struct RequestKey: Sendable {
    let method: String
    let path: String
    let query: [String]
    let body: Data

    init(_ exchange: RecordedExchange) {
        method = exchange.method
        let target = RecordingRedaction.masked(exchange.path)
        path = String(target.prefix { $0 != "?" }).replacing(Self.madeID) { "\($0.output.before)*" }
        query = Self.sorted(exchange.query)
        body = Self.comparable(exchange.requestBody ?? Data(), type: exchange.contentType)
    }

    /// An external id that was made: in base64url the version of a random UUID shows in the ninth character,
    /// and the last has two bits.
    private static var madeID: Regex<(Substring, before: Substring)> {
        #/
            (?<before> /external/[^/]+/ | /documents/external/ )
            (?:
                [0-9a-f]{8} (?: -[0-9a-f]{4} ){3} -[0-9a-f]{12}
                | [A-Za-z0-9_-]{8} [QRST] [A-Za-z0-9_-]{12} [AQgw]
            )
            (?= / | $ )
        /#
    }

    private static func sorted(_ parameters: FormParameters) -> [String] {
        parameters.map { RecordingRedaction.masked("\($0.name)=\($0.value)") }.sorted()
    }

    private static func comparable(_ body: Data, type: String?) -> Data {
        if type == FormParameters.contentType {
            return Data(sorted(FormParameters(decoding: body)).joined(separator: "&").utf8)
        }
        if type?.hasSuffix("xml") == true, let root = try? XMLNode(parsing: body),
            let canonical = try? root.canonical()
        {
            return Data(canonical)
        }
        return body
    }
}
