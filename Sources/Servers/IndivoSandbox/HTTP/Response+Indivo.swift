import Foundation

extension Response {
    /// An XML response. Some of the real server's templates begin with a declaration and some do not.
    static func xml(_ markup: Markup, declaration: Bool = true) -> Response {
        let text: Markup = declaration ? "<?xml version=\"1.0\" encoding=\"utf-8\" ?>\(markup)\n" : markup
        return Response(type: "application/xml", text: text.description)
    }

    /// The acknowledgement of most calls that change something: `<ok/>`.
    static let ok = xml("<ok/>")

    static func json(_ text: String) -> Response { Response(type: "application/json", text: text) }

    static func manifests(_ apps: [AppRow]) -> Response {
        json("[" + apps.map(\.manifest).joined(separator: ", ") + "]")
    }

    /// Sentences and fragments: the real server labels them all as HTML.
    static func html(_ text: String, status: Int = 200) -> Response {
        Response(status: status, type: "text/html; charset=utf-8", text: text)
    }

    /// Every refusal: a bad signature, an unknown token, the wrong record and all the rest are the same.
    static let permissionDenied = html("<h4>Permission Denied</h4>", status: 403)

    static let notFound = html(
        """
        <h4>We're sorry. You have reached a page that has been disconnected or is no longer in service, \
        if you feel like you've reached this page in error, please check the url and try your \
        connection again.</h4>

        """,
        status: 404
    )

    static let tooLarge = html("<h4>Request Entity Too Large</h4>", status: 413).adding("Connection", "close")

    static let internalError = html("<h4>Internal Server Error</h4>\n", status: 500)
}

/// Why a call was not done: the response that the client gets, and words for the developer's home page and
/// the log.
struct Refusal: Error {
    let response: Response
    /// Never holds a secret or a document. The client does not see it.
    let reason: String

    static func permissionDenied(why: String) -> Refusal { Refusal(response: .permissionDenied, reason: why) }

    static let notFound = Refusal(response: .notFound, reason: "nothing of that id here")

    /// 500, where the real server fails: it gives no reason, but the developer is told.
    static func serverFails(why: String) -> Refusal {
        Refusal(response: .internalError, reason: why + "; the real server fails on that")
    }

    /// As the real server sends it: it fails on a sentence of its own that repeats what is not ASCII.
    var asServerSends: Refusal { reason.isASCII ? self : .serverFails(why: reason) }

    /// 400 with a sentence, which may be empty.
    static func badRequest(_ sentence: String = "") -> Refusal {
        Refusal(
            response: .html(sentence, status: 400),
            reason: sentence.isEmpty ? "a required parameter is missing" : sentence
        )
    }
}

extension Refusal {
    /// Refuses what a column of the real server's database has no room for, which counts code points.
    static func check(_ name: String, _ text: String, hasAtMost count: Int) throws {
        let isShort = text.unicodeScalars.count <= count
        try require(isShort, .serverFails(why: "a \(name) has at most \(count) characters"))
    }

    /// Refuses bytes that are no text, for its database.
    static func checkUTF8(_ data: Data) throws {
        let isText = String(validating: data, as: UTF8.self) != nil
        try require(isText, .serverFails(why: "the text is not UTF-8"))
    }
}

func require(_ condition: Bool, _ refusal: @autoclosure () -> Refusal) throws {
    if !condition { throw refusal() }
}

func require(_ condition: Bool, sentence: @autoclosure () -> String) throws {
    if !condition { throw ContentError(sentence: sentence()) }
}

extension String {
    var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
    /// Whether it holds the one character that the real server's database takes in no text.
    var hasZeroByte: Bool { utf8.contains(0) }
}

extension Optional {
    func orThrow(_ refusal: @autoclosure () -> Refusal) throws -> Wrapped {
        guard let self else { throw refusal() }
        return self
    }

    func orNotFound() throws -> Wrapped { try orThrow(.notFound) }
}

extension Markup.StringInterpolation {
    mutating func appendInterpolation(_ markup: Markup?) { appendInterpolation(markup ?? .empty) }
}
