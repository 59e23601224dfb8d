import Foundation

/// Comma-separated values (RFC 4180): a header, lines that end in CRLF, quotation marks where they are
/// needed.
package enum CSV {
    /// Lines of a table.
    package static func data(header: [String], rows: [[String]]) -> Data {
        Data(([header] + rows).map { $0.map(field).joined(separator: ",") + "\r\n" }.joined().utf8)
    }

    private static func field(_ text: String) -> String {
        // Bytes, since Swift takes CRLF for one character.
        let special: Set<UInt8> = [UInt8(ascii: "\""), UInt8(ascii: ","), 13, 10]
        guard text.utf8.contains(where: special.contains) else { return text }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"", options: .literal) + "\""
    }
}
