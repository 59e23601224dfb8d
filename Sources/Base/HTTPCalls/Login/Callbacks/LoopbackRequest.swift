import Foundation

/// The head of a request to the loopback listener, which whoever is on the machine can send, and every page
/// in its browser.
package struct LoopbackRequest {
    /// Path and query.
    package let target: String
    /// Values by the field's name in lower case.
    private let fields: [String: [String]]

    /// The head of a `GET`; `nil` for any other request, for what is no HTTP, and for a target with control
    /// characters.
    package init?(_ bytes: [UInt8]) {
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
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            fields[String(decoding: line[..<colon], as: UTF8.self).lowercased(), default: []].append(
                value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
            )
        }
        target = String(decoding: words[1], as: UTF8.self)
        self.fields = fields
    }

    /// The part of the target before a query.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// Whether the request is for this listener, and is one that a person's browser makes when it goes to a
    /// page.
    ///
    /// Another `Host` belongs to a page elsewhere, whose name was made to resolve to this machine. Scripts,
    /// images, frames and what a browser fetches ahead of time are marked in `Sec-Fetch-Mode`,
    /// `Sec-Fetch-Dest` and `Sec-Purpose` (W3C, Fetch Metadata Request Headers); a browser too old for these
    /// names the page of a script in `Origin`. Where a navigation comes from (`Sec-Fetch-Site`) does not
    /// help: it comes from the server, which is another site.
    package func isNavigation(to port: UInt16) -> Bool {
        guard let host = only("host")?.lowercased() else { return false }
        let names = ["127.0.0.1", "localhost"]
        guard names.contains(where: { host == "\($0):\(port)" || (port == 80 && host == $0) }) else {
            return false
        }
        guard fields["sec-purpose"] == nil, fields["purpose"] == nil else { return false }
        guard fields["sec-fetch-mode"] != nil || fields["sec-fetch-dest"] != nil else {
            return fields["origin"] == nil
        }
        return only("sec-fetch-mode") == "navigate"
            && (fields["sec-fetch-dest"] == nil || only("sec-fetch-dest") == "document")
    }

    /// A field's value, if the field appears once.
    private func only(_ name: String) -> String? { fields[name].flatMap { $0.count == 1 ? $0[0] : nil } }
}
