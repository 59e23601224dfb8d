import Foundation
import IndivoBase

/// The fields of a query string or a form, in order; where a name occurs twice the last one counts.
struct FormFields: Sendable {
    private(set) var pairs: [(name: String, value: String)] = []

    init() {}

    /// Splits at `&` and, as the real server does, at `;`; blank values are kept, a part without `=` is
    /// skipped.
    init(parsing text: String) {
        let pieces = FormParameters.decodedPairs(
            Array(text.utf8),
            separators: Array("&;".utf8),
            keepsNamesAlone: false
        )
        for (name, value) in pieces {
            // Bytes that are not UTF-8 cannot match any name the server knows.
            guard let name = String(validating: name, as: UTF8.self),
                let value = String(validating: value, as: UTF8.self)
            else { continue }
            pairs.append((name, value))
        }
    }

    init(multipart body: Data, contentType: String) {
        pairs = (MultipartForm(body, contentType: contentType, limit: 1000)?.parts ?? []).compactMap { part in
            part.fileName == nil ? (part.name, String(decoding: part.content, as: UTF8.self)) : nil
        }
    }

    subscript(name: String) -> String? { pairs.last { $0.name == name }?.value }

    /// A field that must be there, and not be empty.
    func required(_ name: String, _ sentence: String = "") throws -> String {
        try self[name].flatMap { $0.isEmpty ? nil : $0 }.orThrow(.badRequest(sentence))
    }

    static func encode(_ pairs: [(String, String)]) -> String {
        FormParameters(pairs.map { FormParameters.Element(name: $0.0, value: $0.1) }).encoded
    }
}

extension Request {
    /// The path with its percent-escapes decoded once; nil when what comes out is not UTF-8.
    var path: String? { PercentEncoding.decodeLeniently(rawPath, plusIsSpace: false) }

    var query: FormFields { FormFields(parsing: rawQuery) }

    /// As the real server's framework reads it: every body that is not multipart is taken for a URL-encoded
    /// form.
    var form: FormFields {
        let type = header("Content-Type") ?? ""
        return type.lowercased().hasPrefix("multipart/form-data")
            ? FormFields(multipart: body, contentType: type)
            : FormFields(parsing: String(decoding: body, as: UTF8.self))
    }
}
