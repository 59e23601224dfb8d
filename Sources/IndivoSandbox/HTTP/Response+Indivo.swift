/// The real server's responses.
extension Response {
    static let xmlDeclaration: Markup = "<?xml version=\"1.0\" encoding=\"utf-8\" ?>"

    /// An XML response. Some of the real server's templates begin with a declaration and some do not.
    static func xml(_ markup: Markup, declaration: Bool = true) -> Response {
        Response(
            type: "application/xml",
            text: declaration ? (xmlDeclaration + markup + "\n").description : markup.description)
    }

    /// The acknowledgement of most calls that change something: `<ok/>`.
    static let ok = xml("<ok/>")

    static func json(_ text: String) -> Response { Response(type: "application/json", text: text) }

    /// Sentences and fragments: the real server labels them all as HTML.
    static func html(_ text: String, status: Int = 200) -> Response {
        Response(status: status, type: "text/html; charset=utf-8", text: text)
    }

    /// Every refusal: a bad signature, an unknown token, the wrong record and all the rest are the same.
    static let permissionDenied = html("<h4>Permission Denied</h4>", status: 403)

    static let notFound = html(
        """
        <h4>We're sorry. You have reached a page that has been disconnected or is no longer in service, \
        if you feel like you've reached this page in error, please check the url and try your connection again.</h4>

        """, status: 404)

    static func methodNotAllowed(_ allowed: [String]) -> Response {
        html("", status: 405).adding("Allow", allowed.joined(separator: ", "))
    }

    static let tooLarge = html("<h4>Request Entity Too Large</h4>", status: 413).adding("Connection", "close")

    static let internalError = html("<h4>Internal Server Error</h4>\n", status: 500)
}

/// Why a call was not done, with the response the client gets.
enum Refusal: Error {
    /// 403. `why` is for the developer's home page and the log; the client does not see it.
    case permissionDenied(why: String)
    case notFound
    /// 400 with a sentence, which may be empty.
    case badRequest(String)

    var response: Response {
        switch self {
        case .permissionDenied: .permissionDenied
        case .notFound: .notFound
        case .badRequest(let sentence): .html(sentence, status: 400)
        }
    }

    /// For the developer: why the request was refused.
    var reason: String {
        switch self {
        case .permissionDenied(let why): why
        case .notFound: "nothing of that id here"
        case .badRequest(let sentence): sentence.isEmpty ? "a required parameter is missing" : sentence
        }
    }
}
