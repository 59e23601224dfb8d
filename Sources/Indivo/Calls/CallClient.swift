import Foundation
import HTTPTypes
import IndivoXML
import Logging
import OAuth1

/// Signs calls, sends them and makes errors of what is no success.
struct CallClient: Sendable {
    let base: URL
    let transport: any HTTPTransport
    let logger: Logger

    /// A call's body, in the one content type that both the server and the signature take.
    enum Body {
        case xml(Data)
        case text(String)
        case form(FormParameters)
        case data(Data, type: String)

        var contentType: String {
            switch self {
            case .xml: "application/xml"
            case .text: "text/plain"
            case .form: FormParameters.contentType
            case .data(_, let type): type
            }
        }

        var data: Data {
            switch self {
            case .xml(let data): data
            case .text(let text): Data(text.utf8)
            case .form(let form): Data(form.encoded.utf8)
            case .data(let data, _): data
            }
        }
    }

    /// Sends a call.
    ///
    /// - Parameters:
    ///   - call: Which.
    ///   - credentials: Whom it is signed for; `nil` leaves it unsigned.
    ///   - path: The values of the path's variables.
    ///   - query: For `GET` only, since a server leaves it out of what it signs otherwise.
    ///
    /// A `GET` whose answer is lost is sent once more, signed anew.
    /// - Throws: ``IndivoError``, or `CancellationError`.
    func send(
        _ call: IndivoCall, as credentials: OAuthCredentials?, path variables: [String: String] = [:],
        query: FormParameters = [:], body: Body? = nil, signing options: OAuthSigner.Options = .init()
    ) async throws -> Answer {
        func sent() async throws -> Answer {
            try await sendOnce(call, as: credentials, path: variables, query: query, body: body, signing: options)
        }
        do {
            return try await sent()
        } catch let error as IndivoError {
            // A kept-alive connection that the server had closed loses the first request sent on it. To read again does
            // no harm; anything else may, and is for the caller to repeat.
            guard call.method == .get, case .transport(let failure) = error.reason, failure.kind == .answerLost else {
                throw error
            }
            return try await sent()
        }
    }

    private func sendOnce(
        _ call: IndivoCall, as credentials: OAuthCredentials?, path variables: [String: String],
        query: FormParameters, body: Body?, signing options: OAuthSigner.Options
    ) async throws -> Answer {
        var target = (base.path(percentEncoded: true).hasSuffix("/") ? "" : base.path(percentEncoded: true))
        target += try CallPath.fill(call, variables)
        if !query.isEmpty { target += "?" + query.encoded }
        var request = HTTPRequest(
            method: call.method, scheme: base.scheme?.lowercased() ?? "", authority: try authority(call), path: target)
        request.headerFields[.contentType] = body?.contentType
        if let credentials {
            let signed = OAuthRequest(
                method: call.method.rawValue, scheme: request.scheme ?? "", authority: request.authority ?? "",
                target: target, contentType: body?.contentType, body: body.map { Array($0.data) })
            do {
                request.headerFields[.authorization] =
                    try OAuthSigner(credentials: credentials).authorization(for: signed, options: options).headerValue
            } catch {
                throw IndivoError(.badArgument("\(error)"), call: call)
            }
        }
        let answer: HTTPAnswer
        do {
            answer = try await transport.send(request, body: body?.data)
        } catch let error as HTTPTransportError {
            logger.debug("\(call.name): \(error.kind)")
            throw IndivoError(.transport(error), call: call)
        }
        logger.debug("\(call.name): \(answer.response.status.code)")
        return try Answer(answer, to: call)
    }

    /// Host and port as both signature rules write them: in lower case, without the scheme's own port.
    private func authority(_ call: IndivoCall) throws -> String {
        guard let scheme = base.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = base.host(percentEncoded: true)?.lowercased(), !host.isEmpty
        else {
            throw IndivoError(
                .badArgument("“\(base)” is no address of an API; it looks like https://indivo.example.org:8000"), call: call)
        }
        let bracketed = host.contains(":") ? "[\(host)]" : host
        guard let port = base.port, port != (scheme == "http" ? 80 : 443) else { return bracketed }
        return "\(bracketed):\(port)"
    }
}

/// A successful answer to a call.
struct Answer: Sendable {
    let call: IndivoCall
    let contentType: String
    let body: Data

    /// - Throws: ``IndivoError`` unless the status is 2xx.
    init(_ answer: HTTPAnswer, to call: IndivoCall) throws {
        self.call = call
        contentType = answer.response.headerFields[.contentType] ?? ""
        body = answer.body
        switch answer.response.status.code {
        case 200..<300: return
        case 400: throw IndivoError(.invalid(serverWords), call: call)
        case 403: throw IndivoError(.refused, call: call)
        case 404: throw IndivoError(.notFound, call: call)
        case let status: throw IndivoError(.status(status, serverWords), call: call)
        }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The root element. The white space that some answers have before their declaration does not hurt.
    func xml() throws -> XMLNode {
        let content = body.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        do {
            return try XMLNode(parsing: Data(content))
        } catch {
            throw IndivoError(.unexpectedAnswer("it should be XML, and is “\(contentType)”: \(error)."), call: call)
        }
    }

    /// The answer as a value that is read by reflection.
    func value<Value: CompoundValue>(_ type: Value.Type, root: String) throws -> Value {
        do {
            return try Value.read(from: xml(), root: root)
        } catch let error as DocumentError {
            throw IndivoError(.unexpectedAnswer("\(error)."), call: call)
        }
    }

    /// What the server said, without markup and cut short.
    private var serverWords: String {
        let plain = text.replacing(#/<[^>]*>/#, with: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return plain.count > 300 ? plain.prefix(300) + "…" : plain
    }
}
