import Foundation
import IndivoBase

/// Fills a call's path template.
enum CallPath {
    /// What an Indivo server verifies in a path, which it signs decoded: it fails on anything beyond ASCII,
    /// takes an escaped `/` for the end of a segment, and leaves out of the signature what follows `?`, `#`
    /// or `;`.
    private static func isVerified(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && !"/?#;".utf8.contains(byte)
    }

    /// A text as it goes into the request line: what a path may hold (RFC 3986, section 3.3) stays, but for
    /// `;`.
    private static func escaped(_ text: String) -> String {
        PercentEncoding.encode(text, keeping: "!$&'()*+,=:@/")
    }

    /// - Throws: ``IndivoError`` when a variable has no value, or one that cannot stand in a path.
    static func fill(_ call: IndivoCall, _ variables: [String: String]) throws(IndivoError) -> String {
        try call.path.split(separator: "/", omittingEmptySubsequences: false).map {
            (part) throws(IndivoError) in
            guard part.hasPrefix("{") else { return String(part) }
            let name = String(part.dropFirst().dropLast())
            guard let value = variables[name] else {
                throw call.refused("the path needs a value for “\(name)”")
            }
            let noun = nouns[name] ?? name + " id"
            try call.require(
                !["", ".", ".."].contains(value),
                "the \(noun) is \(value.isEmpty ? "empty" : "“\(value)”"), which cannot stand in a path; "
                    + "give one with other characters"
            )
            try check(value, noun, of: call, isVerified)
            return escaped(value)
        }.joined(separator: "/")
    }

    /// A whole path, given with nothing escaped, as it goes into the request line.
    static func escape(_ path: String, of call: IndivoCall) throws(IndivoError) -> String {
        try check(path, "path", of: call) { isVerified($0) || $0 == UInt8(ascii: "/") }
        return escaped(path)
    }

    private static func check(_ text: String, _ noun: String, of call: IndivoCall, _ isGood: (UInt8) -> Bool)
        throws(IndivoError)
    {
        let scalars = text.unicodeScalars
        guard let index = scalars.firstIndex(where: { !$0.isASCII || !isGood(UInt8($0.value)) }) else {
            return
        }
        // No more than one character is named: the text may come from a response, and break a log's lines.
        throw call.refused(
            "the \(noun) has at position \(scalars.distance(from: scalars.startIndex, to: index) + 1) "
                + "a character (U+\(String(format: "%04X", scalars[index].value))) that cannot be signed "
                + "for an Indivo server in a path; use ASCII without /, ?, #, ; and control characters"
        )
    }

    /// What a variable of a path is called in an error, where that is not its name and “id”.
    private static let nouns = [
        "code": "measurement code", "model": "model's name", "function": "function's name",
        "relation": "relation",
        "number": "attachment's number", "other": "related document's id",
    ]
}
