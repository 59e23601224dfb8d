import Foundation
import OrderedJSON

/// What a terminology server said, in memory and in a file of one answer a line.
struct AnswerCache: Sendable {
    struct Answer: Sendable, Hashable {
        var isValid: Bool
        var text: String?
        /// Seconds since 1970.
        var at: Double
    }

    /// The most answers that are kept.
    static let maximumAnswers = 200_000

    private let file: URL?
    private let maximumAge: Double
    private var answers: [CodeQuestion: Answer] = [:]

    /// Reads the file; lines that are torn or too old are left out.
    init(file: URL?, maximumAge: Double, now: Double) {
        self.file = file
        self.maximumAge = maximumAge
        guard let file, let data = try? Data(contentsOf: file) else { return }
        for line in data.split(separator: UInt8(ascii: "\n")).suffix(Self.maximumAnswers) {
            guard let json = try? JSONValue(parsing: line), let code = json["code"]?.string,
                let isValid = json["valid"]?.boolean, let at = json["at"]?.double, now - at < maximumAge
            else { continue }
            let question = CodeQuestion(code, system: json["system"]?.string, in: json["valueSet"]?.string)
            answers[question] = Answer(isValid: isValid, text: json["text"]?.string, at: at)
        }
    }

    func answer(_ question: CodeQuestion, now: Double) -> Answer? {
        answers[question].flatMap { now - $0.at < maximumAge ? $0 : nil }
    }

    /// Keeps an answer.
    ///
    /// - Throws: what the file system says.
    mutating func keep(_ answer: Answer, _ question: CodeQuestion) throws {
        if answers.count >= Self.maximumAnswers {
            // The file is begun anew.
            answers = [:]
            if let file { try? FileManager.default.removeItem(at: file) }
        }
        answers[question] = answer
        guard let file else { return }
        var json: JSONValue = ["code": JSONValue(question.code), "valid": JSONValue(answer.isValid)]
        if let system = question.system { json["system"] = JSONValue(system) }
        if let valueSet = question.valueSet { json["valueSet"] = JSONValue(valueSet) }
        if let text = answer.text { json["text"] = JSONValue(text) }
        json["at"] = JSONValue(Int(answer.at))
        if !file.path.fileExists {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            _ = FileManager.default.createFile(
                atPath: file.path,
                contents: nil,
                attributes: [.posixPermissions: 0o600]
            )
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.seekToEnd()
        // A line feed first: what was torn before does not spoil this line.
        try handle.write(contentsOf: Data("\n\(json.text())".utf8))
    }
}
