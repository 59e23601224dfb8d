/// A JSON value that knows where it stands in its file.
struct JSONNode {
    indirect enum Value {
        case object([Member])
        case array([JSONNode])
        case string(String)
        /// A number as it was written.
        case number(String)
        case boolean(Bool)
        case null
        /// Something that was not JSON: it has been reported already, and what follows from it is not worth a
        /// report.
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
