import Foundation
import HTTPServing
import URLCoding

/// The fields and files of a form, by name.
struct SentForm {
    /// The most fields of a form.
    static let mostFields = 50_000

    private var fields: [String: [String]] = [:]
    private(set) var files: [String: [MultipartForm.Part]] = [:]

    /// Reads the body of a request; nil where it is no form, or has too many fields.
    init?(_ request: Request) {
        let type = request.header("Content-Type") ?? ""
        if type.lowercased().hasPrefix("multipart/form-data") {
            guard let form = MultipartForm(request.body, contentType: type, limit: Self.mostFields) else { return nil }
            for part in form.parts {
                if part.fileName != nil {
                    // A file field that was left empty.
                    if part.fileName?.isEmpty == false || !part.content.isEmpty { files[part.name, default: []].append(part) }
                } else if let text = String(validating: part.content, as: UTF8.self) {
                    fields[part.name, default: []].append(text.replacing("\r\n", with: "\n"))
                } else {
                    return nil
                }
            }
        } else {
            guard request.body.count <= 4 << 20 else { return nil }
            let pairs = FormParameters(decoding: request.body)
            guard pairs.count <= Self.mostFields else { return nil }
            for pair in pairs { fields[pair.name, default: []].append(pair.value.replacing("\r\n", with: "\n")) }
        }
    }

    subscript(name: String) -> String? { fields[name]?.first }

    func values(_ name: String) -> [String] { fields[name] ?? [] }
}
