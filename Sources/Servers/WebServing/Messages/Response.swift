import Foundation

/// A response, before it is put on the wire.
package struct Response: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Data

    package init(status: Int = 200, type: String? = nil, body: Data = Data()) {
        self.status = status
        headers = type.map { [("Content-Type", $0)] } ?? []
        self.body = body
    }

    package init(status: Int = 200, type: String, text: String) {
        self.init(status: status, type: type, body: Data(text.utf8))
    }

    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    package func adding(_ name: String, _ value: String) -> Response {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }

    /// After a form was taken: the browser gets `location`, so that a reload does not send the form again.
    package static func seeOther(_ location: String) -> Response { redirect(to: location, status: 303) }

    package static func redirect(to location: String, status: Int = 302) -> Response {
        Response(status: status, type: "text/html; charset=utf-8").adding("Location", location)
    }
}
