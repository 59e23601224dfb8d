import Foundation
import URLCoding

/// The fields of a query string or a form, in order; where a name occurs twice the last one counts.
struct FormFields: Sendable {
    private(set) var pairs: [(name: String, value: String)] = []

    init(_ pairs: [(String, String)] = []) {
        self.pairs = pairs.map { (name: $0.0, value: $0.1) }
    }

    /// Reads `application/x-www-form-urlencoded` text: parts split at `&` and, as the real server does, at `;`;
    /// blank values are kept, a part without `=` is skipped.
    init(parsing text: String) {
        let pieces = FormParameters.decodedPairs(Array(text.utf8), separators: Array("&;".utf8), keepsNamesAlone: false)
        for (name, value) in pieces {
            // Bytes that are not UTF-8 cannot match any name the server knows.
            guard let name = String(validating: name, as: UTF8.self), let value = String(validating: value, as: UTF8.self)
            else { continue }
            pairs.append((name, value))
        }
    }

    /// Reads the plain fields of a `multipart/form-data` body.
    init(multipart body: Data, contentType: String) {
        guard let marker = contentType.range(of: "boundary=") else { return }
        let boundary =
            contentType[marker.upperBound...].split(separator: ";").first
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\" ")) } ?? ""
        guard !boundary.isEmpty else { return }
        let text = String(decoding: body, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
        for part in text.components(separatedBy: "--" + boundary) {
            guard let blank = part.range(of: "\n\n") else { continue }
            let head = part[..<blank.lowerBound]
            guard let start = head.range(of: "name=\"") else { continue }
            let name = head[start.upperBound...].prefix { $0 != "\"" }
            var value = String(part[blank.upperBound...])
            if value.hasSuffix("\n") { value.removeLast() }
            pairs.append((String(name), value))
        }
    }

    subscript(name: String) -> String? { pairs.last { $0.name == name }?.value }

    /// The names, each once, in the order of their first occurrence.
    var names: [String] {
        var seen: Set<String> = []
        return pairs.map(\.name).filter { seen.insert($0).inserted }
    }

    /// The fields as `application/x-www-form-urlencoded` text.
    static func encode(_ pairs: [(String, String)]) -> String {
        FormParameters(pairs.map { FormParameters.Element(name: $0.0, value: $0.1) }).encoded
    }
}
