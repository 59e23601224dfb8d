import BoundedRegex
import Foundation

/// Functions of strings (FHIRPath section 5.6). Positions count characters as Unicode scalars.
extension FHIRPathEvaluation {
    mutating func text(_ call: Call) throws(FHIRPathError) -> Items {
        if call.function == .join { return try joined(call) }
        guard let text = try string(call.input, at: call.node) else { return [] }
        try spend(text.utf8.count / 64, at: call.node)
        switch call.function {
        case .length: return [FHIRPathItem(text.unicodeScalars.count)]
        case .upper: return [FHIRPathItem(text.uppercased())]
        case .lower: return [FHIRPathItem(text.lowercased())]
        case .trim: return [FHIRPathItem(text.trimmingCharacters(in: .whitespacesAndNewlines))]
        case .toChars: return try checked(text.unicodeScalars.map { FHIRPathItem(String($0)) }, at: call.node)
        case .substring:
            guard let start = try integerArgument(0, of: call) else { return [] }
            let length = try integerArgument(1, of: call)
            let scalars = text.unicodeScalars
            guard start >= 0, start < scalars.count else { return [] }
            let rest = scalars.dropFirst(start)
            return [FHIRPathItem(String(length.map { rest.prefix(max(0, $0)) } ?? rest))]
        default: break
        }
        guard let argument = try stringArgument(0, of: call) else { return [] }
        switch call.function {
        case .indexOf, .lastIndexOf:
            let found = Self.index(of: argument, in: text, isLast: call.function == .lastIndexOf)
            return [FHIRPathItem(found ?? -1)]
        case .startsWith: return [FHIRPathItem(text.utf8.starts(with: argument.utf8))]
        case .endsWith: return [FHIRPathItem(text.utf8.reversed().starts(with: argument.utf8.reversed()))]
        case .contains: return [FHIRPathItem(Self.index(of: argument, in: text, isLast: false) != nil)]
        case .split: return try split(text, by: argument, at: call.node)
        case .replace:
            guard let replacement = try stringArgument(1, of: call) else { return [] }
            return [FHIRPathItem(try replacing(argument, in: text, with: replacement, at: call.node))]
        case .encode: return Self.encode(text, argument).map { [FHIRPathItem($0)] } ?? []
        case .decode: return Self.decode(text, argument).map { [FHIRPathItem($0)] } ?? []
        case .escape: return Self.escape(text, argument).map { [FHIRPathItem($0)] } ?? []
        case .unescape: return Self.unescape(text, argument).map { [FHIRPathItem($0)] } ?? []
        default: return try match(text, argument, call)
        }
    }

    private mutating func match(_ text: String, _ pattern: String, _ call: Call) throws(FHIRPathError) -> Items {
        let flags = try stringArgument(call.function == .replaceMatches ? 2 : 1, of: call) ?? ""
        // `.` matches a line break, as the standard's single-line mode has it.
        var options: BoundedRegex.Options = [.dotMatchesNewlines]
        if flags.contains("i") { options.insert(.ignoresCase) }
        if flags.contains("m") { options.insert(.anchorsMatchLines) }
        do {
            let regex = try BoundedRegex(pattern, options: options)
            switch call.function {
            case .matches: return [FHIRPathItem(try regex.isFound(in: text))]
            case .matchesFull: return [FHIRPathItem(try regex.matchesWhole(text))]
            default:
                guard let replacement = try stringArgument(1, of: call) else { return [] }
                if pattern.isEmpty { return [FHIRPathItem(text)] }
                return [FHIRPathItem(try checked(regex.replacingMatches(in: text, with: replacement), at: call.node))]
            }
        } catch let error as FHIRPathError {
            throw error
        } catch {
            throw failure("\(error)", at: call.node)
        }
    }

    private mutating func joined(_ call: Call) throws(FHIRPathError) -> Items {
        let separator = try stringArgument(0, of: call) ?? ""
        var parts: [String] = []
        for item in call.input {
            if let part = try string([item], at: call.node) { parts.append(part) }
        }
        return call.input.isEmpty ? [] : [FHIRPathItem(try checked(parts.joined(separator: separator), at: call.node))]
    }

    /// The index of a part in scalars. By bytes: a part matches as it is written, not by canonical equivalence.
    private static func index(of part: String, in text: String, isLast: Bool) -> Int? {
        let bytes = Array(text.utf8)
        let wanted = Array(part.utf8)
        guard wanted.count <= bytes.count else { return nil }
        let last = bytes.count - wanted.count
        let starts = isLast ? Array((0...last).reversed()) : Array(0...last)
        guard let start = starts.first(where: { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }) else { return nil }
        return String(decoding: bytes[..<start], as: UTF8.self).unicodeScalars.count
    }

    private mutating func split(
        _ text: String, by separator: String, at node: FHIRPathSyntax.Node
    ) throws(FHIRPathError) -> Items {
        if text.isEmpty { return [] }
        if separator.isEmpty { return text.unicodeScalars.map { FHIRPathItem(String($0)) } }
        return try checked(text.components(separatedBy: separator).map { FHIRPathItem($0) }, at: node)
    }

    private mutating func replacing(
        _ part: String, in text: String, with replacement: String, at node: FHIRPathSyntax.Node
    ) throws(FHIRPathError) -> String {
        // The length is known before the text is made.
        let pieces = part.isEmpty ? text.unicodeScalars.map { String($0) } : text.components(separatedBy: part)
        let (length, overflow) = replacement.utf8.count.multipliedReportingOverflow(by: pieces.count + 1)
        guard !overflow, length + text.utf8.count <= context.limits.stringLength else {
            throw FHIRPathError(
                .limit, "A string is longer than \(context.limits.stringLength) bytes.", at: Int(node.offset))
        }
        if part.isEmpty { return replacement + pieces.map { $0 + replacement }.joined() }
        return try checked(pieces.joined(separator: replacement), at: node)
    }

    // MARK: Encodings

    private static func encode(_ text: String, _ format: String) -> String? {
        switch format {
        case "hex": text.utf8.map { hexadecimal($0) }.joined()
        case "base64": Data(text.utf8).base64EncodedString()
        case "urlbase64":
            Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_")
        default: nil
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }

    private static func decode(_ text: String, _ format: String) -> String? {
        switch format {
        case "hex":
            let digits = Array(text.utf8)
            guard digits.count.isMultiple(of: 2) else { return nil }
            var bytes: [UInt8] = []
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard digits[index] != UInt8(ascii: "+"), digits[index] != UInt8(ascii: "-"),
                    let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(byte)
            }
            return String(bytes: bytes, encoding: .utf8)
        case "base64", "urlbase64":
            let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            return Data(base64Encoded: format == "base64" ? text : plain).flatMap { String(data: $0, encoding: .utf8) }
        default: return nil
        }
    }

    private static let htmlEscapes = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")]
    private static let jsonEscapes = [
        ("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\u{08}", "\\b"), ("\u{0C}", "\\f"),
    ]

    private static func escape(_ text: String, _ target: String) -> String? {
        guard let escapes = target == "html" ? htmlEscapes : target == "json" ? jsonEscapes : nil else { return nil }
        return text.unicodeScalars.map { scalar in
            escapes.first { $0.0.unicodeScalars.first == scalar }?.1 ?? String(scalar)
        }.joined()
    }

    private static func unescape(_ text: String, _ target: String) -> String? {
        guard let escapes = target == "html" ? htmlEscapes : target == "json" ? jsonEscapes : nil else { return nil }
        var result = ""
        var rest = Substring(text)
        while !rest.isEmpty {
            if let (plain, escaped) = escapes.first(where: { rest.utf8.starts(with: $0.1.utf8) }) {
                result += plain
                rest = rest[rest.utf8.index(rest.startIndex, offsetBy: escaped.utf8.count)...]
            } else {
                let next = rest.unicodeScalars.removeFirst()
                result.unicodeScalars.append(next)
            }
        }
        return result
    }
}
