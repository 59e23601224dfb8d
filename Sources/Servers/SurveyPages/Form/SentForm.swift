import IndivoBase
import WebServing

/// The fields and files of a form, by name.
struct SentForm {
    /// The most fields of a form.
    static let maximumFields = 10_000

    private var fields: [String: [String]] = [:]
    private(set) var files: [String: [MultipartForm.Part]] = [:]

    /// Reads the body of a request; nil where it is not a form, or has too many fields.
    init?(_ request: Request) {
        let type = request.header("Content-Type") ?? ""
        if type.lowercased().hasPrefix("multipart/form-data") {
            guard let form = MultipartForm(request.body, contentType: type, limit: Self.maximumFields) else {
                return nil
            }
            for part in form.parts {
                if part.fileName != nil {
                    // A file field that was left empty.
                    if part.fileName?.isEmpty == false || !part.content.isEmpty {
                        files[part.name, default: []].append(part)
                    }
                } else if let text = String(validating: part.content, as: UTF8.self) {
                    fields[part.name, default: []].append(Self.withPlainLineEnds(text))
                } else {
                    return nil
                }
            }
        } else {
            guard request.body.count <= 4 << 20 else { return nil }
            let pairs = FormParameters(decoding: request.body)
            guard pairs.count <= Self.maximumFields else { return nil }
            for pair in pairs { fields[pair.name, default: []].append(Self.withPlainLineEnds(pair.value)) }
        }
    }

    /// The text with a line feed for each line end of a browser. By bytes: `replacing` takes many times as
    /// long.
    private static func withPlainLineEnds(_ text: String) -> String {
        guard text.utf8.contains(0x0D) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == 0x0A, bytes.last == 0x0D { bytes.removeLast() }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The name that the form got when it was shown.
    var name: String { String((self["form"] ?? "").prefix(40)) }
    /// The response's revision when the form was shown.
    var revision: Int { self["revision"].flatMap { Int($0) } ?? 0 }
    /// The names of the questions that it asks.
    var asked: Set<String> { Set(values("asked")) }

    /// Whether it adds, removes or clears a repetition.
    var isAboutRepetitions: Bool { self["action"]?.contains(" ") == true }

    /// Whether something was entered or chosen for a question.
    func hasEntry(for question: String) -> Bool {
        fields.contains { name, values in
            (name == question || name.hasPrefix(question + ".")) && values.contains { !$0.isEmpty }
        }
    }

    /// A digest of all fields and files: equal where the same form was sent twice.
    var fingerprint: String {
        var bytes: [UInt8] = []
        func append(_ content: some Collection<UInt8>) {
            bytes += Array("\(content.count):".utf8)
            bytes += content
        }
        for (name, values) in fields.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            append(name.utf8)
            values.forEach { append($0.utf8) }
        }
        for (name, parts) in files.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            append(name.utf8)
            for part in parts {
                append((part.fileName ?? "").utf8)
                append(part.content)
            }
        }
        return SHA256Sum.hex(bytes)
    }

    subscript(name: String) -> String? { fields[name]?.first }

    func values(_ name: String) -> [String] { fields[name] ?? [] }
}
