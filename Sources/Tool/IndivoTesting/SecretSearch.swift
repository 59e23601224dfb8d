import Foundation
import OAuth1

/// Searches the output of a program for values that must not be seen: logs, errors, files, arguments of
/// processes.
///
/// ```swift
/// let search = SecretSearch(["consumer secret": "kd94hf93k423kf44", "patient": "Ana Lopes"])
/// #expect(search.found(in: log).isEmpty)
/// ```
/// A value is searched for as it is, percent-encoded, as a form has it, in base64 at any position of a longer
/// text, and in hexadecimal digits. A finding is reported by the value's name, so that a failing test does
/// not spread it further.
public struct SecretSearch: Sendable {
    private let forms: [(name: String, bytes: Data)]

    /// - Parameter values: The values by names of their own. One of fewer than six bytes would be found by
    ///   chance, and is left out.
    public init(_ values: [String: String]) {
        forms = values.filter { $0.value.utf8.count >= 6 }.sorted { $0.key < $1.key }.flatMap { name, value in
            Self.forms(of: value).map { (name: "\(name), \($0.key)", bytes: $0.value) }
        }
    }

    /// The values that were found: each by its name and form, such as `consumer secret, base64`.
    public func found(in data: Data) -> [String] {
        forms.filter { data.range(of: $0.bytes) != nil }.map(\.name)
    }

    /// What is there of the values; see ``found(in:)-(Data)``.
    public func found(in text: String) -> [String] { found(in: Data(text.utf8)) }

    private static func forms(of value: String) -> [String: Data] {
        var forms = ["plain": Data(value.utf8)]
        let encoded = PercentEncoding.encode(value)
        if encoded != value {
            forms["percent-encoded"] = Data(encoded.utf8)
            forms["percent-encoded in small letters"] = Data(encoded.lowercased().utf8)
            forms["as in a form"] = Data(encoded.replacing("%20", with: "+").utf8)
        }
        forms["hexadecimal"] = Data(value.utf8.map { String(format: "%02x", $0) }.joined().utf8)
        // In base64 a value looks three ways, by how many bytes stand before it; what its neighbours change
        // is left out.
        for before in 0..<3 {
            let text = (Data(repeating: 0, count: before) + Data(value.utf8)).base64EncodedString()
            let whole = (before + value.utf8.count) * 8 / 6
            let core = text.prefix(whole).dropFirst((before * 8 + 5) / 6)
            forms["base64 behind \(before)"] = Data(core.utf8)
        }
        return forms
    }
}
