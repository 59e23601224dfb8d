import FHIR
import Foundation
import OrderedJSON
import StudyFormats

/// What somebody answered to a consent document.
public struct ConsentAnswers: Sendable, Hashable {
    /// The participant's id.
    public var participant: UUID?
    /// The given name, for the form.
    public var givenName: String?
    /// The family name, for the form.
    public var familyName: String?
    /// When it was signed.
    public var signedAt: FHIRInstant?
    /// Whether the participant agrees to take part; missing is undecided.
    public var agrees: Bool?
    /// Yes and no to the criteria of eligibility, by id.
    public var eligibility: [String: Bool] = [:]
    /// Answers to the questions of comprehension, by id.
    public var comprehension: [String: String] = [:]
    /// Yes and no to what may be shared, by id.
    public var sharing: [String: Bool] = [:]
    /// The drawn signature, a PNG.
    public var signature: Data?
    /// Warnings about the file that they were read from.
    public internal(set) var warnings: [StudyFormatProblem] = []

    /// No answers.
    public init() {}

    /// Reads `answers.json`; see <doc:Formats>.
    ///
    /// - Throws: `JSONError`, ``/StudyFormats/StudyFormatError`` with all problems, including answers to
    ///   questions that the document does not ask.
    public init(parsing data: some Sequence<UInt8>, for document: ConsentDocument) throws {
        var limits = JSONLimits()
        limits.bytes = 4 << 20
        limits.nodes = 10_000
        limits.depth = 16
        let json = try JSONValue(parsing: data, limits: limits)
        var problems = ObjectReader.Problems()
        guard var reader = ObjectReader(json, "", &problems) else {
            throw StudyFormatError(problems: problems.all)
        }
        if let text = reader.text("participant", limit: 36, &problems) {
            participant = UUID(uuidString: text)
            if participant == nil { problems.add("a UUID is expected", "participant", json["participant"]) }
        }
        givenName = reader.text("givenName", limit: TextLimits.title, &problems)
        familyName = reader.text("familyName", limit: TextLimits.title, &problems)
        if let value = reader.value("signedAt") {
            signedAt = FHIRInstant(tree: value)
            if signedAt == nil {
                problems.add(
                    "a date and time with a zone is expected, as in 2026-11-22T09:30:00+01:00",
                    "signedAt",
                    value
                )
            }
        }
        agrees = reader.flag("agrees", &problems)
        eligibility = Self.answers("eligibility", document.eligibility.map(\.id), &reader, &problems) {
            $0.boolean
        }
        sharing = Self.answers("sharing", document.sharing.map(\.id), &reader, &problems) { $0.boolean }
        comprehension = Self.answers("comprehension", document.comprehension.map(\.id), &reader, &problems) {
            $0.string
        }
        for question in document.comprehension {
            if let answer = comprehension[question.id], !question.options.contains(answer) {
                problems.add(
                    "the answer is not one of the options",
                    "comprehension.\(question.id)",
                    json["comprehension"]?[question.id]
                )
            }
        }
        if let value = reader.value("signature") {
            signature = value.string.flatMap { Data(base64Encoded: $0) }
            let problem = signature.map(SignatureImage.problem) ?? "it is not base64"
            if let problem { problems.add(problem, "signature", value) }
        }
        reader.reportUnknown(&problems)
        try problems.check()
        warnings = problems.all
    }

    /// `answers.json`, as ``init(parsing:for:)`` reads it.
    public var json: JSONValue {
        func object<Value>(_ answers: [String: Value], _ value: (Value) -> JSONValue) -> JSONValue? {
            answers.isEmpty
                ? nil
                : JSONValue(
                    members: answers.sorted { $0.key < $1.key }.map {
                        JSONMember(name: $0.key, value: value($0.value))
                    }
                )
        }
        var json: JSONValue = [:]
        json["participant"] = participant.map { JSONValue($0.uuidString) }
        json["givenName"] = givenName.map { JSONValue($0) }
        json["familyName"] = familyName.map { JSONValue($0) }
        json["signedAt"] = signedAt?.tree
        json["agrees"] = agrees.map { JSONValue($0) }
        json["eligibility"] = object(eligibility) { JSONValue($0) }
        json["comprehension"] = object(comprehension) { JSONValue($0) }
        json["sharing"] = object(sharing) { JSONValue($0) }
        json["signature"] = signature.map { JSONValue($0.base64EncodedString()) }
        return json
    }

    private static func answers<Value>(
        _ name: String,
        _ ids: [String],
        _ reader: inout ObjectReader,
        _ problems: inout ObjectReader.Problems,
        _ read: (JSONValue) -> Value?
    ) -> [String: Value] {
        guard let json = reader.value(name) else { return [:] }
        guard let members = json.members else {
            problems.add("an object from ids to answers is expected", name, json)
            return [:]
        }
        let known = Set(ids)
        var answers: [String: Value] = [:]
        for member in members {
            let path = "\(name).\(member.name.prefix(60))"
            guard known.contains(member.name) else {
                problems.add("the document has no such id", path, member.nameValue)
                continue
            }
            guard answers[member.name] == nil else {
                problems.add("it is answered twice", path, member.nameValue)
                continue
            }
            answers[member.name] = read(member.value)
            if answers[member.name] == nil {
                problems.add("the answer is of another kind", path, member.value)
            }
        }
        return answers
    }
}

/// A drawn signature, a PNG of bounded size.
package enum SignatureImage {
    /// The most bytes.
    static let maximumBytes = 1 << 20
    /// The most pixels.
    static let maximumPixels = 4_000_000

    /// What is wrong with an image; `nil` for a PNG that can be printed.
    package static func problem(_ data: Data) -> String? {
        let bytes = [UInt8](data.prefix(24))
        guard data.count <= maximumBytes else { return "the image has more than \(maximumBytes) bytes" }
        guard bytes.count == 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            Array(bytes[12..<16]) == Array("IHDR".utf8)
        else { return "the image is not a PNG" }
        func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        let width = number(16)
        let height = number(20)
        guard (1...20_000).contains(width), (1...20_000).contains(height), width * height <= maximumPixels
        else {
            return "the image has more than \(maximumPixels) pixels, or none"
        }
        return nil
    }
}
