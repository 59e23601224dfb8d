/// The head of a request to the loopback listener.
///
/// Whoever is on the machine, and every page in its browser, can send one: it is believed only as far as a browser that
/// was sent here by the server would send it.
struct LoopbackRequest {
    /// Path and query.
    let target: String
    /// Values by the field's name in lower case.
    private let fields: [String: [String]]

    /// The head of a `GET`; `nil` for any other request, for what is no HTTP, and for a target with control characters.
    init?(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, words[0].elementsEqual("GET".utf8), words[1].first == UInt8(ascii: "/"),
            words[2].starts(with: "HTTP/1.".utf8), words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        var fields: [String: [String]] = [:]
        for line in lines.dropFirst().prefix(while: { !$0.isEmpty }) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { return nil }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? value.startIndex
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            fields[name, default: []].append(String(decoding: value[..<end], as: UTF8.self))
        }
        target = String(decoding: words[1], as: UTF8.self)
        self.fields = fields
    }

    /// The part of the target before a query.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// Whether the request is for this listener, and is one that a person's browser makes when it goes to a page.
    ///
    /// Another `Host` is that of a page elsewhere whose name was made to lead here. Scripts, images, frames and what a
    /// browser fetches ahead of time say so in `Sec-Fetch-Mode`, `Sec-Fetch-Dest` and `Sec-Purpose` (W3C, Fetch Metadata
    /// Request Headers); a browser too old for these names the page of a script in `Origin`. Where a navigation comes
    /// from (`Sec-Fetch-Site`) does not help: it comes from the server, which is another site.
    func isNavigation(to port: UInt16) -> Bool {
        guard let host = only("host")?.lowercased() else { return false }
        let names = ["127.0.0.1", "localhost"]
        guard names.contains(where: { host == "\($0):\(port)" || (port == 80 && host == $0) }) else { return false }
        guard fields["sec-purpose"] == nil, fields["purpose"] == nil else { return false }
        guard fields["sec-fetch-mode"] != nil || fields["sec-fetch-dest"] != nil else { return fields["origin"] == nil }
        return only("sec-fetch-mode") == "navigate" && (fields["sec-fetch-dest"] == nil || only("sec-fetch-dest") == "document")
    }

    /// A field's value, where the field stands once.
    private func only(_ name: String) -> String? { fields[name].flatMap { $0.count == 1 ? $0[0] : nil } }
}
