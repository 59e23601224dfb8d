import OrderedJSON

/// Something that is wrong with a file of a study, or worth a remark.
public struct StudyFormatProblem: Sendable, Hashable, CustomStringConvertible {
    /// Where, as in `tasks[2].repeats`.
    public let path: String
    /// Line and column; `nil` when the JSON was not parsed from a text.
    public let location: JSONLocation?
    /// What is wrong, as a sentence without a full stop.
    public let text: String
    /// Whether the file cannot be used.
    public let isError: Bool

    public var description: String {
        (location.map { "\($0): " } ?? "")
            + "\(isError ? "error" : "warning"): \(path.isEmpty ? "" : path + ": ")\(text)"
    }
}

/// Why a file of a study cannot be used: all its problems, the warnings too.
public struct StudyFormatError: Error, Sendable, CustomStringConvertible {
    /// At least one of them is an error.
    public let problems: [StudyFormatProblem]

    package init(problems: [StudyFormatProblem]) { self.problems = problems }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Reads the members of an object, and reports those that are missing, wrong or unknown.
package struct ObjectReader {
    package let json: JSONValue
    package let path: String
    private var known: Set<String> = []

    /// Reports and collects; at most ``maximumCount`` problems.
    package struct Problems {
        package static let maximumCount = 100
        package private(set) var all: [StudyFormatProblem] = []

        package init() {}

        package mutating func add(_ text: String, _ path: String, _ json: JSONValue?, isError: Bool = true) {
            guard all.count < Self.maximumCount else { return }
            all.append(StudyFormatProblem(path: path, location: json?.location, text: text, isError: isError))
        }

        package var hasErrors: Bool { all.contains(where: \.isError) }

        /// - Throws: ``StudyFormatError`` when there are errors.
        package func check() throws(StudyFormatError) {
            if hasErrors { throw StudyFormatError(problems: all) }
        }
    }

    /// `nil`, with a problem, when it is not an object.
    package init?(_ json: JSONValue, _ path: String, _ problems: inout Problems) {
        self.json = json
        self.path = path
        guard json.kind == .object else {
            problems.add("an object is expected", path, json)
            return nil
        }
    }

    package func path(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    package mutating func value(_ name: String) -> JSONValue? {
        known.insert(name)
        return json[name].flatMap { $0.isNull ? nil : $0 }
    }

    /// A text of at most so many UTF-8 bytes, not empty.
    package mutating func text(_ name: String, limit: Int, required: Bool = false, _ problems: inout Problems)
        -> String?
    {
        guard let value = value(name) else {
            if required { problems.add("\(name) is missing", path, json) }
            return nil
        }
        guard let text = value.string, !text.isEmpty else {
            problems.add("a text is expected", path(name), value)
            return nil
        }
        guard text.utf8.count <= limit else {
            problems.add("the text is longer than \(limit) bytes", path(name), value)
            return nil
        }
        guard
            !text.unicodeScalars.contains(where: {
                $0.value < 0x20 && ![0x09, 0x0A, 0x0D].contains($0.value)
            })
        else {
            problems.add("the text has control characters", path(name), value)
            return nil
        }
        guard text.allSatisfy({ $0.unicodeScalars.count <= TextLimits.scalarsOfCharacter }) else {
            problems.add(
                "a character has more than \(TextLimits.scalarsOfCharacter - 1) combining marks",
                path(name),
                value
            )
            return nil
        }
        return text
    }

    package mutating func flag(_ name: String, required: Bool = false, _ problems: inout Problems) -> Bool? {
        guard let value = value(name) else {
            if required { problems.add("\(name) is missing", path, json) }
            return nil
        }
        if value.boolean == nil { problems.add("true or false is expected", path(name), value) }
        return value.boolean
    }

    /// The elements of an array of at most so many; none when it is missing.
    package mutating func list(_ name: String, limit: Int, _ problems: inout Problems) -> [(
        json: JSONValue, path: String
    )] {
        guard let value = value(name) else { return [] }
        guard let elements = value.elements else {
            problems.add("an array is expected", path(name), value)
            return []
        }
        guard elements.count <= limit else {
            problems.add("there are more than \(limit) elements", path(name), value)
            return []
        }
        return elements.enumerated().map { ($1, "\(path(name))[\($0)]") }
    }

    /// Warns of members that nobody asked for.
    package func reportUnknown(_ problems: inout Problems) {
        for member in json.members ?? [] where !known.contains(member.name) {
            problems.add(
                "the member “\(member.name.prefix(60))” is not known and was ignored",
                path,
                member.nameValue,
                isError: false
            )
        }
    }
}

extension JSONLimits {
    /// Those of a study's consent document and schedule.
    package static let studyFile: JSONLimits = {
        var limits = JSONLimits()
        limits.bytes = 4 << 20
        limits.nodes = 200_000
        limits.depth = 64
        return limits
    }()
}

/// Bounds of texts in consent documents.
package enum TextLimits {
    /// Bytes of a title, an id, a name.
    package static let title = 600
    /// Bytes of a section or question.
    package static let body = 100_000
    /// Bytes of all texts of a document together.
    package static let document = 500_000
    /// Unicode scalars of one character: a base and its marks.
    package static let scalarsOfCharacter = 32
}
