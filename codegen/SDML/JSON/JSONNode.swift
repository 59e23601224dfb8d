import OrderedJSON

/// A JSON value that knows where it stands in its file.
struct JSONNode {
    /// What kind of value it is.
    indirect enum Value {
        case object([Member])
        case array([JSONNode])
        case string(String)
        /// A number as it was written.
        case number(String)
        case boolean(Bool)
        case null
        /// Something that was no JSON: it has been reported already, and what follows from it is not worth a report.
        case damaged
    }

    /// One `"key": value` of an object.
    struct Member {
        /// The key, nil when it could not be read.
        var key: String?
        var keyLocation: SourceLocation
        var value: JSONNode
    }

    var value: Value
    var location: SourceLocation

    var isDamaged: Bool { if case .damaged = value { true } else { false } }

    /// What to call it in a message.
    var kind: String {
        switch value {
        case .object: "an object"
        case .array: "a list"
        case .string: "a string"
        case .number(let text): "the number \(text)"
        case .boolean(let flag): flag ? "true" : "false"
        case .null: "null"
        case .damaged: "damaged text"
        }
    }
}

extension JSONNode {
    /// The value in `file`, nil when there is none, and what was wrong.
    static func read(_ file: SourceFile, into diagnostics: inout Diagnostics) -> JSONNode? {
        let lines = SourceLines(file)
        let start = SourceLocation(path: file.path, line: 1, column: 1)
        if file.bytes.starts(with: [0xFF, 0xFE]) || file.bytes.starts(with: [0xFE, 0xFF]) {
            diagnostics.error(at: start, "The file is UTF-16. Save it as UTF-8.")
            return nil
        }
        if let index = firstInvalidByte(file.bytes) {
            diagnostics.error(
                at: lines.location(ofByte: index), "The file is not UTF-8 from here on. Save it as UTF-8.")
            return nil
        }
        if file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            diagnostics.warn(at: start, "The file starts with a byte order mark, which a server may refuse. Remove it.")
        }
        var mender = SlipMender(file, lines)
        let root = mender.read()
        diagnostics.add(mender.problems)
        return root.map { JSONNode($0, in: mender, lines) }
    }

    private init(_ json: JSONValue, in text: SlipMender, _ lines: SourceLines) {
        let origin = text.origin(of: json)
        location = lines.location(ofByte: origin)
        if text.damaged.contains(origin) {
            value = .damaged
        } else if let members = json.members {
            value = .object(
                members.map { member in
                    let name = text.origin(of: member.nameValue)
                    return Member(
                        key: text.damaged.contains(name) ? nil : member.name, keyLocation: lines.location(ofByte: name),
                        value: JSONNode(member.value, in: text, lines))
                })
        } else if let elements = json.elements {
            value = .array(elements.map { JSONNode($0, in: text, lines) })
        } else {
            value =
                json.string.map { .string($0) } ?? json.number.map { .number($0) } ?? json.boolean.map { .boolean($0) } ?? .null
        }
    }
    private static func firstInvalidByte(_ bytes: [UInt8]) -> Int? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var index = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): index += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return index
            }
        }
    }
}
