import Foundation
import OrderedJSON
import StudyFormats

/// JSON as C3-PRO's receiver writes it: with a comma behind an object's last member.
enum C3ProJSON {
    /// Reads an object; `nil` for anything else.
    static func read(_ body: Data) -> JSONValue? {
        let limits = {
            var limits = JSONLimits()
            limits.bytes = 1 << 20
            return limits
        }()
        if let json = try? JSONValue(parsing: body, limits: limits) {
            return json.kind == .object ? json : nil
        }
        func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        var bytes = [UInt8](body.prefix(limits.bytes + 1))
        // When a registration could not be stored, the receiver writes two documents: the first, the error,
        // counts. Its end is looked for outside of strings.
        var depth = 0
        var isString = false
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
                continue
            }
            if byte == UInt8(ascii: "\\"), isString { isEscaped = true }
            if byte == UInt8(ascii: "\"") { isString.toggle() }
            guard !isString else { continue }
            if byte == UInt8(ascii: "{") { depth += 1 }
            if byte == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 {
                    bytes = Array(bytes[...index])
                    break
                }
            }
        }
        if let last = bytes.indices.dropLast().last(where: { !isBlank(bytes[$0]) }),
            bytes[last] == UInt8(ascii: ",")
        {
            bytes.remove(at: last)
        }
        guard let json = try? JSONValue(parsing: bytes, limits: limits), json.kind == .object else {
            return nil
        }
        return json
    }

    /// `error: error_description` of OAuth (RFC 6749, 5.2), or FHIR's first issue; `nil` without either.
    static func problem(_ json: JSONValue?) -> String? {
        if let error = json?["error"]?.string {
            return String(
                ([error] + [json?["error_description"]?.string].compactMap { $0 }).joined(separator: ": ")
                    .prefix(300)
            )
        }
        guard let issue = json?["issue"]?.elements?.first else { return nil }
        return (issue["details"]?["text"] ?? issue["diagnostics"] ?? issue["code"])?.string.map {
            String($0.prefix(300))
        }
    }
}
