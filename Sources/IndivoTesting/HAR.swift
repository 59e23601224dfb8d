import Foundation

/// The parts of an HTTP Archive, version 1.2, as its JSON has them.
///
/// What HAR has no field for stands under names that begin with `_`, as the format wants it.
struct HAR: Codable {
    var log: Log

    struct Log: Codable {
        var version = "1.2"
        var creator = Creator()
        var entries: [Entry]
    }

    struct Creator: Codable {
        var name = "swift-indivo"
        var version = "1"
    }

    struct Entry: Codable {
        /// ISO 8601.
        var startedDateTime: String
        /// Milliseconds from the beginning to the end of the response.
        var time: Double
        var request: Request
        var response: Response
        var cache = Cache()
        var timings: Timings
        /// Why this exchange is here.
        var comment: String?
        var _name: String?
        /// The server's name for the call.
        var _call: String?
        /// Why there was no response.
        var _failure: Failure?
    }

    struct Cache: Codable {}

    /// Milliseconds; -1 where it was not measured.
    struct Timings: Codable {
        var send = 0.0
        var wait: Double
        var receive = 0.0
    }

    struct Pair: Codable {
        var name: String
        var value: String
    }

    struct Request: Codable {
        var method: String
        var url: String
        var httpVersion = "HTTP/1.1"
        var cookies: [Pair] = []
        var headers: [Pair]
        var queryString: [Pair]
        var postData: PostData?
        var headersSize = -1
        var bodySize: Int
    }

    struct PostData: Codable {
        var mimeType: String
        /// The fields of a form; `text` is left out then.
        var params: [Pair]?
        var text: String?
        /// `base64` for a body that is no text.
        var _encoding: String?
    }

    struct Response: Codable {
        /// 0 where there was no response.
        var status = 0
        var statusText = ""
        var httpVersion = "HTTP/1.1"
        var cookies: [Pair] = []
        var headers: [Pair] = []
        var content = Content()
        var redirectURL = ""
        var headersSize = -1
        var bodySize = -1
    }

    struct Content: Codable {
        var size = 0
        var mimeType = "x-unknown"
        var text: String?
        /// `base64` for a body that is no text.
        var encoding: String?
    }

    struct Failure: Codable {
        var kind: String
        var detail: String?
        var mayHaveReachedServer: Bool
    }
}
