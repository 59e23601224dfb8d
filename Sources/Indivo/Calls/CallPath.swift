/// Fills a call's path template.
enum CallPath {
    /// What a path segment may hold as it is (RFC 3986, section 3.3), but for `;`, at which an Indivo server cuts the
    /// path it signs. Anything that would have to be escaped is refused: the server signs the path decoded, RFC 5849
    /// signs it as sent, and only without escapes do both agree.
    private static func isLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~!$&'()*+,=:@".utf8.contains(byte)
        }
    }

    static func isLiteral(_ character: Character) -> Bool { character.utf8.allSatisfy(isLiteral) }

    /// - Throws: ``IndivoError`` when a variable has no value, or one that cannot stand in a path.
    static func fill(_ call: IndivoCall, _ variables: [String: String]) throws -> String {
        var path = ""
        var rest = call.path[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            path += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = variables[name] else {
                throw IndivoError(.badArgument("the path needs a value for “\(name)”"), call: call)
            }
            path += try segment(value, name, of: call)
            rest = rest[rest.index(after: close)...]
        }
        return path + rest
    }

    /// How long a path may be that goes to a server, without its query. An Indivo server notes each in a column of this
    /// length after it has done what was asked, and answers 500 where it does not fit.
    private static let longest = 200

    /// - Throws: ``IndivoError`` for a path that is too long for a server.
    static func checkLength(of path: String, _ call: IndivoCall) throws {
        let count = path.utf8.count
        guard count > longest else { return }
        throw IndivoError(
            .badArgument(
                "the path has \(count) characters, and a server fails on more than \(longest); use shorter ids"),
            call: call)
    }

    private static func segment(_ value: String, _ name: String, of call: IndivoCall) throws -> String {
        guard !value.isEmpty, value != ".", value != ".." else {
            throw IndivoError(
                .badArgument("an empty text, . or .. cannot be a \(name) id; give one with other characters"), call: call)
        }
        // The id may come from an answer, and is not repeated: it may break a log's lines.
        guard let place = value.unicodeScalars.firstIndex(where: { !isLiteral(Character($0)) }) else { return value }
        let character = value.unicodeScalars[place]
        let number = value.unicodeScalars.distance(from: value.unicodeScalars.startIndex, to: place) + 1
        throw IndivoError(
            .badArgument(
                "the \(name) id has at place \(number) a character (U+\(Self.hexadecimal(character))) that an Indivo "
                    + "server cannot take in a path; use letters, digits and -._~@:,=+"), call: call)
    }

    private static func hexadecimal(_ character: Unicode.Scalar) -> String {
        let digits = String(character.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
