import Foundation
import IndivoBase

/// Functions of strings (FHIRPath section 5.6). Positions count characters as Unicode scalars.
extension FHIRPathEvaluation {
    mutating func text(_ call: Call) throws(FHIRPathError) -> Items {
        if call.function == .join { return try joined(call) }
        guard let text = try string(call.input, at: call.node) else { return [] }
        try spend(text.utf8.count / 64, at: call.node)
        switch call.function {
        case .length: return [FHIRPathItem(text.unicodeScalars.count)]
        case .upper: return [FHIRPathItem(try checked(text.uppercased(), at: call.node))]
        case .lower: return [FHIRPathItem(try checked(text.lowercased(), at: call.node))]
        case .trim:
            return [try make(.string(text.trimmingCharacters(in: .whitespacesAndNewlines)), at: call.node)]
        case .toChars: return try characters(of: text, at: call.node)
        case .substring:
            guard let start = try integerArgument(0, of: call) else { return [] }
            let length = try integerArgument(1, of: call)
            let scalars = text.unicodeScalars
            guard start >= 0, start < scalars.count else { return [] }
            let rest = scalars.dropFirst(start)
            return [try make(.string(String(length.map { rest.prefix(max(0, $0)) } ?? rest)), at: call.node)]
        default: break
        }
        guard let argument = try stringArgument(0, of: call) else { return [] }
        try spend(argument.utf8.count / 64, at: call.node)
        switch call.function {
        case .indexOf: return [FHIRPathItem(Self.index(of: argument, in: text) ?? -1)]
        case .lastIndexOf: return [FHIRPathItem(Self.lastIndex(of: argument, in: text) ?? -1)]
        case .startsWith: return [FHIRPathItem(text.utf8.starts(with: argument.utf8))]
        case .endsWith: return [FHIRPathItem(text.utf8.reversed().starts(with: argument.utf8.reversed()))]
        case .contains: return [FHIRPathItem(Self.index(of: argument, in: text) != nil)]
        case .split: return try split(text, by: argument, at: call.node)
        case .replace:
            guard let replacement = try stringArgument(1, of: call) else { return [] }
            return [FHIRPathItem(try replacing(argument, in: text, with: replacement, at: call.node))]
        case .encode: return try converted(Self.encode(text, argument), at: call.node)
        case .decode: return try converted(Self.decode(text, argument), at: call.node)
        case .escape: return try converted(Self.escape(text, argument), at: call.node)
        case .unescape: return try converted(Self.unescape(text, argument), at: call.node)
        default: return try match(text, argument, call)
        }
    }

    private mutating func converted(_ text: String?, at node: Node) throws(FHIRPathError)
        -> Items
    {
        guard let text else { return [] }
        return [FHIRPathItem(try checked(text, at: node))]
    }

    private mutating func characters(of text: String, at node: Node) throws(FHIRPathError)
        -> Items
    {
        let count = text.unicodeScalars.count
        try checkCount(count, at: node)
        try countMade(text.utf8.count, collected: count, at: node)
        return text.unicodeScalars.map { FHIRPathItem(String($0)) }
    }

    private mutating func match(_ text: String, _ pattern: String, _ call: Call) throws(FHIRPathError)
        -> Items
    {
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
                let result = try regex.replacingMatches(
                    in: text,
                    with: replacement,
                    limit: context.limits.stringLength
                )
                return [FHIRPathItem(try checked(result, at: call.node))]
            }
        } catch let error as FHIRPathError {
            throw error
        } catch BoundedRegexError.tooManySteps, BoundedRegexError.tooLong {
            throw failure(
                "Matching takes too many steps, or its result is too long.",
                .limit,
                at: call.node
            )
        } catch {
            throw failure("\(error)", at: call.node)
        }
    }

    private mutating func joined(_ call: Call) throws(FHIRPathError) -> Items {
        let separator = try stringArgument(0, of: call) ?? ""
        var parts: [String] = []
        // The length is known before the text is made.
        var length = 0
        for item in call.input {
            try spend(at: call.node)
            guard let part = try string([item], at: call.node) else { continue }
            length += part.utf8.count + separator.utf8.count
            try checkLength(length - separator.utf8.count, at: call.node)
            parts.append(part)
        }
        return call.input.isEmpty
            ? [] : [FHIRPathItem(try checked(parts.joined(separator: separator), at: call.node))]
    }

    /// The index of a part in scalars; a part matches as it is written, not by canonical equivalence.
    private static func index(of part: String, in text: String) -> Int? {
        var found: Int?
        ByteSearch(part).forEachStart(in: text, overlapping: false) { start in
            found = start
            return false
        }
        return found.map { text.utf8.prefix($0).count { $0 & 0xC0 != 0x80 } }
    }

    private static func lastIndex(of part: String, in text: String) -> Int? {
        if part.isEmpty { return text.unicodeScalars.count }
        var found: Int?
        ByteSearch(part).forEachStart(in: text, overlapping: true) { start in
            found = start
            return true
        }
        return found.map { text.utf8.prefix($0).count { $0 & 0xC0 != 0x80 } }
    }

    /// The text between occurrences of a separator.
    private mutating func pieces(
        of text: String,
        by separator: String,
        at node: Node
    ) throws(FHIRPathError) -> [Substring] {
        var starts: [Int] = []
        ByteSearch(separator).forEachStart(in: text, overlapping: false) { start in
            starts.append(start)
            return starts.count < context.limits.items
        }
        try checkCount(starts.count + 1, at: node)
        try spend(starts.count, at: node)
        var pieces: [Substring] = []
        var begin = text.utf8.startIndex
        var offset = 0
        for start in starts {
            let end = text.utf8.index(begin, offsetBy: start - offset)
            pieces.append(text[begin..<end])
            begin = text.utf8.index(end, offsetBy: separator.utf8.count)
            offset = start + separator.utf8.count
        }
        return pieces + [text[begin...]]
    }

    private mutating func split(
        _ text: String,
        by separator: String,
        at node: Node
    ) throws(FHIRPathError) -> Items {
        if text.isEmpty { return [] }
        if separator.isEmpty { return try characters(of: text, at: node) }
        let pieces = try pieces(of: text, by: separator, at: node)
        try countMade(text.utf8.count, collected: pieces.count, at: node)
        return pieces.map { FHIRPathItem(String($0)) }
    }

    private mutating func replacing(
        _ part: String,
        in text: String,
        with replacement: String,
        at node: Node
    ) throws(FHIRPathError) -> String {
        // The length is known before the text is made.
        if part.isEmpty {
            let count = text.unicodeScalars.count
            try checkLength(replacement.utf8.count, times: count + 1, and: text.utf8.count, at: node)
            var result = replacement
            for scalar in text.unicodeScalars {
                result.unicodeScalars.append(scalar)
                result += replacement
            }
            return try checked(result, at: node)
        }
        let pieces = try pieces(of: text, by: part, at: node)
        try checkLength(
            replacement.utf8.count,
            times: pieces.count - 1,
            and: text.utf8.count - part.utf8.count * (pieces.count - 1),
            at: node
        )
        return try checked(pieces.joined(separator: replacement), at: node)
    }

    func checkLength(
        _ length: Int,
        times count: Int = 1,
        and rest: Int = 0,
        at node: Node
    ) throws(FHIRPathError) {
        let (product, overflow) = length.multipliedReportingOverflow(by: count)
        guard !overflow, product <= context.limits.stringLength - rest else {
            throw failure("A string is longer than \(context.limits.stringLength) bytes.", .limit, at: node)
        }
    }

    // MARK: Encodings

    private static func encode(_ text: String, _ format: String) -> String? {
        switch format {
        case "hex": Hexadecimal.encode(text.utf8)
        case "base64": Data(text.utf8).base64EncodedString()
        case "urlbase64":
            Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_")
        default: nil
        }
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
            return Data(base64Encoded: format == "base64" ? text : plain).flatMap {
                String(data: $0, encoding: .utf8)
            }
        default: return nil
        }
    }

    private static let htmlEscapes = [
        ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;"),
    ]
    private static let jsonEscapes = [
        ("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\u{08}", "\\b"),
        ("\u{0C}", "\\f"),
    ]

    private static let escapes = ["html": htmlEscapes, "json": jsonEscapes]

    private static func escape(_ text: String, _ target: String) -> String? {
        guard let escapes = escapes[target] else { return nil }
        return text.unicodeScalars.map { scalar in
            escapes.first { $0.0.unicodeScalars.first == scalar }?.1 ?? String(scalar)
        }.joined()
    }

    private static func unescape(_ text: String, _ target: String) -> String? {
        guard let escapes = escapes[target] else { return nil }
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
