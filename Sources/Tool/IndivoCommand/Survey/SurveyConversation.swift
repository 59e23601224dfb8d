import FHIR
import Foundation
import OrderedJSON
import Surveys

/// Asks a survey's questions line by line: what is typed answers the question, and a few words lead through
/// the survey.
struct SurveyConversation {
    private(set) var session: SurveySession
    let language: String?
    /// The question that is asked: its index on the page.
    private var position = 0
    private var isDone = false

    init(session: SurveySession, language: String?) {
        self.session = session
        self.language = language
    }

    /// The sentences about answers.
    private var phrases: SurveyPhrases { .phrases(in: language) }

    private static let help = """
        Type an answer and press Return. Of options type the number; \
        of several, numbers with commas between them.
        Return alone keeps the answer that is there, or leaves the question out.
        A question with several answers takes one a line, until Return alone.
          <  the question before     <<  the page before     >>  the next page
          -  take the answer away    +   one more repetition of the group
          !  stop here; what was answered is kept            ?   this help
          \\  before an answer that is one of these signs

        """

    /// Asks until everything is answered, or somebody stops.
    ///
    /// - Parameters:
    ///   - read: Gives a line; nil at the end.
    ///   - write: Shows text.
    ///   - save: Keeps what was answered, after each answer.
    mutating func hold(read: () -> String?, write: (String) -> Void, save: (SurveySession) throws -> Void) {
        if let title = session.survey.title { write("\(title.text(in: language).onOneLine)\n") }
        write(Self.help)
        resume()
        while !isDone {
            showPage(write)
            askPage(read, write, save)
        }
    }

    /// Goes to the first question without an answer, where others have some already.
    private mutating func resume() {
        guard session.progress.answered > 0 else { return }
        for (number, page) in session.pages.enumerated() {
            let visible = session.visibleItems(on: page)
            guard
                let index = visible.firstIndex(where: {
                    $0.item.isQuestion && !$0.item.isReadOnly && $0.answers.isEmpty
                })
            else {
                continue
            }
            session.go(to: number)
            position = index
            return
        }
    }

    // MARK: Pages

    private func showPage(_ write: (String) -> Void) {
        let pages = session.pages
        guard !pages.isEmpty else { return }
        let progress = session.progress
        let filled = Int(progress.fraction * 20)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 20 - filled)
        write(
            """
            \n\(bar) \(progress.answered) of \(progress.questions)   page \
            \(min(session.pageIndex, pages.count - 1) + 1) of \(pages.count)\n
            """
        )
    }

    private mutating func askPage(
        _ read: () -> String?,
        _ write: (String) -> Void,
        _ save: (SurveySession) throws -> Void
    ) {
        let page = session.pageIndex
        var shown = 0
        while !isDone, session.pageIndex == page {
            let visible = session.visibleItems
            // Texts and headings before the question.
            while shown < visible.count, !visible[shown].item.isQuestion {
                show(visible[shown], write); shown += 1
            }
            guard position < visible.count else { break }
            guard visible[position].item.isQuestion, !visible[position].item.isReadOnly else {
                if visible[position].item.isQuestion { show(visible[position], write) }
                position += 1
                shown = max(shown, position)
                continue
            }
            show(visible[position], write)
            write("> ")
            guard let line = read() else { return isDone = true }
            take(line.trimmingCharacters(in: .whitespaces), visible, write)
            shown = max(0, position)
            do { try save(session) } catch { write("The answers cannot be saved: \("\(error)".onOneLine)\n") }
        }
        if !isDone, session.pageIndex == page { leavePage(write) }
    }

    /// At the end of a page: to what is wrong on it, else on.
    private mutating func leavePage(_ write: (String) -> Void) {
        let problems = session.pageProblems.filter { $0.severity == .error }
        let visible = session.visibleItems
        if let problem = problems.first,
            let index = visible.firstIndex(where: { $0.occurrence == problem.occurrence }),
            visible[index].item.isQuestion, !visible[index].item.isReadOnly
        {
            position = index
            return
        }
        for problem in problems { write("  ✗ \(problem.text(in: phrases).onOneLine)\n") }
        if session.isOnLastPage { isDone = true } else { session.next() }
        position = 0
    }

    // MARK: Questions

    private func show(_ visible: VisibleItem, _ write: (String) -> Void) {
        let indent = String(repeating: "  ", count: visible.depth)
        let item = visible.item
        var label = item.label(in: language).onOneLine
        if item.isGroup {
            if visible.repetitions > 1 || item.repeats { label += " (\(visible.repetition + 1))" }
            if !label.isEmpty { write("\n\(indent)\(label)\n") }
            return
        }
        write("\(indent)\(label)\(item.isRequired ? " *" : "")\n")
        for text in item.help { write("\(indent)  (\(text.text(in: language).onOneLine))\n") }
        guard item.isQuestion else { return }
        for (number, option) in session.options(of: visible.occurrence).prefix(200).enumerated() {
            let isChosen = visible.answers.contains { $0.equals(option.value) }
            let prefix = option.prefix.map { "\($0.onOneLine) " } ?? ""
            write(
                """
                \(indent)  \(isChosen ? "●" : "○") \(number + 1)  \
                \(prefix)\(option.label.text(in: language).onOneLine)\n
                """
            )
        }
        for link in item.supportLinks.prefix(20) { write("\(indent)  (\(link.onOneLine))\n") }
        let form = form(item)
        if !form.isEmpty { write("\(indent)  \(form)\n") }
        if !visible.answers.isEmpty {
            write("\(indent)  = \(visible.answers.map(\.label.onOneLine).joined(separator: ", "))\n")
            for problem in session.problems(of: visible.occurrence) {
                write("\(indent)  ✗ \(problem.text(in: phrases).onOneLine)\n")
            }
        }
    }

    /// What may be entered.
    private func form(_ item: SurveyItem) -> String {
        switch item.type {
        case .boolean: "yes or no"
        case .date: "a date, as in 2026-11-22"
        case .dateTime: "a date and time, as in 2026-11-22T09:30:00+01:00"
        case .time: "a time, as in 09:30"
        case .integer: "a whole number"
        case .decimal: "a number"
        case .quantity:
            "a number"
                + (item.format.units.isEmpty
                    ? " and a unit, as in 5 mg" : " in " + units(item).joined(separator: ", "))
        case .openChoice: (item.format.openLabel?.text(in: language) ?? "or something else").onOneLine
        case .attachment: "a file"
        case .reference: "a reference, as in Patient/7"
        default: (item.format.placeholder?.text(in: language) ?? "").onOneLine
        }
    }

    private func units(_ item: SurveyItem) -> [String] {
        item.format.units.map { SurveyText($0).text(in: language).onOneLine }
    }

    private mutating func take(_ line: String, _ visible: [VisibleItem], _ write: (String) -> Void) {
        let current = visible[position]
        switch line {
        case "":
            for problem in session.problems(of: current.occurrence)
            where problem.occurrence == current.occurrence {
                write("  ✗ \(problem.text(in: phrases).onOneLine)\n")
            }
            position += 1
        case "?": write(Self.help)
        case "!": isDone = true
        case "<<":
            session.back()
            position = 0
        case ">>": position = visible.count
        case "<":
            if let before = visible[..<position].lastIndex(where: {
                $0.item.isQuestion && !$0.item.isReadOnly
            }) {
                position = before
            } else {
                session.back()
                position = 0
            }
        case "-": session.clear(current.occurrence)
        case "+": addRepetition(before: position, visible, write)
        default: answer(line.hasPrefix("\\") ? String(line.dropFirst()) : line, current, write)
        }
    }

    private mutating func addRepetition(
        before position: Int,
        _ visible: [VisibleItem],
        _ write: (String) -> Void
    ) {
        guard let group = visible[..<position].last(where: { $0.item.isGroup && $0.item.repeats }),
            (try? session.addRepetition(after: group.occurrence)) != nil
        else { return write("  ✗ There is no group here that can be repeated once more.\n") }
    }

    private mutating func answer(_ line: String, _ current: VisibleItem, _ write: (String) -> Void) {
        let options = session.options(of: current.occurrence)
        let isList = current.item.repeats && !options.isEmpty
        let parts =
            isList ? line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } : [line]
        // Without options, a question with several answers takes one more with each line.
        let isOneMore = current.item.repeats && options.isEmpty
        var answers = isOneMore ? current.answers : []
        for part in parts {
            guard let answer = value(part, current.item, options) else {
                write("  ✗ \(part.onOneLine): this is no answer here. ? shows help.\n")
                return
            }
            answers.append(answer)
        }
        do {
            try session.answer(current.occurrence, with: answers)
        } catch {
            return write("  ✗ \(error)\n")
        }
        let problems = session.problems(of: current.occurrence).filter {
            $0.severity == .error && $0.code != "required"
        }
        for problem in problems { write("  ✗ \(problem.text(in: phrases).onOneLine)\n") }
        if problems.isEmpty, !isOneMore { position += 1 }
    }

    /// What was typed, as an answer.
    private func value(_ text: String, _ item: SurveyItem, _ options: [SurveyOption]) -> SurveyAnswer? {
        if !options.isEmpty, let number = Int(text), options.indices.contains(number - 1) {
            return options[number - 1].value
        }
        let word = text.lowercased()
        switch item.type {
        case .boolean:
            if ["y", "yes", "true", "1"].contains(word) { return .boolean(true) }
            return ["n", "no", "false", "0"].contains(word) ? .boolean(false) : nil
        case .attachment: return attachment(text)
        case .integer, .decimal:
            return JSONValue(number: text).flatMap { item.answer(for: $0, options: options) }
        case .quantity: return item.answer(for: JSONValue(number: text) ?? JSONValue(text))
        default: return item.answer(for: JSONValue(text), options: options)
        }
    }

    private func attachment(_ path: String) -> SurveyAnswer? {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 20_000_000 else {
            return nil
        }
        var attachment = Attachment()
        attachment.title = URL(filePath: path).lastPathComponent
        attachment.size = data.count
        attachment.tree["data"] = JSONValue(data.base64EncodedString())
        let types = [
            "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "pdf": "application/pdf",
            "txt": "text/plain",
        ]
        attachment.contentType =
            types[URL(filePath: path).pathExtension.lowercased()] ?? "application/octet-stream"
        return .attachment(attachment)
    }
}
