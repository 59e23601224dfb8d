import FHIR
import Foundation
import OrderedJSON
import RecordCommands
import Surveys

/// Asks a survey's questions line by line. What is typed answers the question; a few signs lead through the
/// survey.
struct SurveyConversation {
    private var form: SurveyForm
    /// Finds codes of value sets that are too large to be listed.
    private let search: OptionSearch.Function?
    /// The question that is asked: its index on the page.
    private var position = 0
    private var isDone = false

    init(session: SurveySession, language: String?, search: OptionSearch.Function? = nil) {
        self.search = search
        form = SurveyForm(session, phrases: .phrases(in: language))
    }

    /// The answers.
    var session: SurveySession { form.session }

    private static let help = """
        Type an answer and press Return. Of options type the number; \
        of several, numbers with commas between them.
        Return alone keeps the answer that is there, or leaves the question out.
        A question with several answers takes one a line, until Return alone.
        Where there is a search, type what you look for, then the number of what was found; "in quotes" is
        an answer of your own, where there may be one.
          <  the question before     <<  the page before     >>  the next page
          -  take the answer away    +   one more repetition of the group
          !  stop here; what was answered is kept            ?   this help
          \\  before an answer that is one of these signs

        """

    /// Asks until everything is answered, or somebody stops.
    ///
    /// - Parameters:
    ///   - read: Returns a line; `nil` at the end.
    ///   - write: Shows a text.
    ///   - save: Stores the answers, after each one.
    mutating func hold(
        read: () -> String?,
        write: (String) -> Void,
        save: (SurveySession) throws -> Void
    ) async {
        if let title = form.page.title { write("\(title.onOneLine)\n") }
        write(Self.help)
        if let open = form.resume() {
            position = form.page.allItems.firstIndex { $0.id == open } ?? 0
        }
        while !isDone {
            showPage(write)
            await askPage(read, write, save)
        }
    }

    // MARK: Pages

    private func showPage(_ write: (String) -> Void) {
        let page = form.page
        guard page.count > 0 else { return }
        let progress = page.progress
        let filled = Int(progress.fraction * 20)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 20 - filled)
        write(
            """
            \n\(bar) \(progress.answered) of \(progress.questions)   page \
            \(page.index + 1) of \(page.count)\n
            """
        )
    }

    private mutating func askPage(
        _ read: () -> String?,
        _ write: (String) -> Void,
        _ save: (SurveySession) throws -> Void
    ) async {
        let page = session.pageIndex
        var shown = 0
        while !isDone, session.pageIndex == page {
            let items = form.page.allItems
            // Texts and headings before the question.
            while shown < items.count, !items[shown].item.isQuestion {
                show(items[shown], write)
                shown += 1
            }
            guard position < items.count else { break }
            guard items[position].control != nil else {
                if items[position].kind == .output { show(items[position], write) }
                position += 1
                shown = max(shown, position)
                continue
            }
            show(items[position], write)
            write("> ")
            guard let line = read() else { return isDone = true }
            await take(line.trimmingCharacters(in: .whitespaces), items, write)
            shown = max(0, position)
            do {
                try save(session)
            } catch {
                write("The answers cannot be saved: \("\(error)".onOneLine)\n")
            }
        }
        if !isDone, session.pageIndex == page { leavePage(write) }
    }

    /// At the end of a page: goes to the first question with a problem that prevents leaving it, else to the
    /// next page.
    private mutating func leavePage(_ write: (String) -> Void) {
        let index = session.pageIndex
        switch form.advance() {
        case .completed: isDone = true
        case .moved: position = 0
        case .stopped:
            let items = form.page.allItems
            if let open = items.firstIndex(where: { $0.control != nil && $0.isInvalid }) {
                position = open
                return
            }
            // Nothing that is asked can solve the problem.
            for item in items { showProblems(of: item, "", write) }
            position = 0
            if session.pageIndex == index, !form.page.isLast { form.go(to: index + 1) } else { isDone = true }
        }
    }

    // MARK: Questions

    private func showProblems(of item: PresentedItem, _ indent: String, _ write: (String) -> Void) {
        for problem in item.problems { write("\(indent)  ✗ \(problem.onOneLine)\n") }
    }

    private func show(_ item: PresentedItem, _ write: (String) -> Void) {
        let indent = String(repeating: "  ", count: item.depth)
        var label = item.label.onOneLine
        if item.kind == .group {
            if item.repetitions > 1 || item.item.repeats { label += " (\(item.repetition + 1))" }
            if !label.isEmpty { write("\n\(indent)\(label)\n") }
            return
        }
        write("\(indent)\(label)\(item.item.isRequired ? " *" : "")\n")
        for text in item.help { write("\(indent)  (\(text.onOneLine))\n") }
        guard item.item.isQuestion else { return }
        if item.control != .yesNo {
            for (number, choice) in item.choices.prefix(200).enumerated() {
                let mark = choice.isChosen ? "●" : "○"
                write("\(indent)  \(mark) \(number + 1)  \(choice.label.onOneLine)\n")
            }
        }
        for link in item.item.supportLinks.prefix(20) { write("\(indent)  (\(link.onOneLine))\n") }
        let hint = hint(item)
        if !hint.isEmpty { write("\(indent)  \(hint)\n") }
        if !item.answers.isEmpty { write("\(indent)  = \(item.answerText.onOneLine)\n") }
        showProblems(of: item, indent, write)
    }

    /// What may be entered.
    private func hint(_ item: PresentedItem) -> String {
        switch item.control {
        case .yesNo?: return "yes or no"
        case .date?: return "a date, as in 2026-11-22"
        case .dateTime?: return "a date and time, as in 2026-11-22T09:30:00+01:00"
        case .time?: return "a time, as in 09:30"
        case .number(isInteger: true, _)?: return "a whole number"
        case .number?: return "a number"
        case .quantity?:
            let units = item.item.format.units.map { SurveyText($0).text(in: form.phrases.language) }
            guard !units.isEmpty else { return "a number and a unit, as in 5 mg" }
            return "a number in " + units.map(\.onOneLine).joined(separator: ", ")
        case .attachment?: return "a file"
        case .text? where item.item.type == .reference: return "a reference, as in Patient/7"
        case .search?:
            return (search == nil ? "a code, as in system|code" : item.searchNote ?? "").onOneLine
        case .radioButtons?, .checkboxes?, .menu?:
            return item.item.format.allowsOpenChoice ? item.otherLabel.onOneLine : ""
        default: return (item.placeholder ?? "").onOneLine
        }
    }

    private mutating func take(_ line: String, _ items: [PresentedItem], _ write: (String) -> Void) async {
        let current = items[position]
        switch line {
        case "":
            for problem in session.problems(of: current.occurrence)
            where problem.occurrence == current.occurrence {
                write("  ✗ \(problem.text(in: form.phrases).onOneLine)\n")
            }
            position += 1
        case "?": write(Self.help)
        case "!": isDone = true
        case "<<":
            form.back()
            position = 0
        case ">>": position = items.count
        case "<":
            if let before = items[..<position].lastIndex(where: { $0.control != nil }) {
                position = before
            } else {
                form.back()
                position = 0
            }
        case "-": form.clear(current.id)
        case "+":
            let group = items[..<position].last { $0.kind == .group && $0.item.repeats }
            if group.flatMap({ form.addRepetition(after: $0.id) }) == nil {
                write("  ✗ There is no group here that can be repeated once more.\n")
            }
        default:
            let line = line.hasPrefix("\\") ? String(line.dropFirst()) : line
            if let search, current.control == .search {
                await find(line, current, search, write)
            } else {
                answer(line, current, write)
            }
        }
    }

    /// Chooses a result by its number, or else searches for what was typed.
    private mutating func find(
        _ line: String,
        _ current: PresentedItem,
        _ find: OptionSearch.Function,
        _ write: (String) -> Void
    ) async {
        let choices = current.choices
        let ownAnswer = line.count > 2 && line.hasPrefix("\"") && line.hasSuffix("\"")
        if ownAnswer, current.item.format.isOpen {
            let answer = SurveyAnswer.string(String(line.dropFirst().dropLast()))
            form.answer(current.id, with: (current.item.repeats ? current.answers : []) + [answer])
            if !current.item.repeats { position += 1 }
        } else if let number = Int(line), choices.indices.contains(number - 1) {
            form.choose(choices[number - 1].id, of: current.id)
            if !current.item.repeats { position += 1 }
        } else if let search = form.beginSearch(line, of: current.id) {
            do {
                form.endSearch(search, of: current.id, with: .success(try await find(search)))
            } catch {
                form.endSearch(search, of: current.id, with: .failure(error))
            }
        }
    }

    private mutating func answer(_ line: String, _ current: PresentedItem, _ write: (String) -> Void) {
        let isList = current.item.repeats && !current.options.isEmpty
        let parts =
            isList ? line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } : [line]
        // Without options, a question with several answers takes one more with each line.
        let isOneMore = current.item.repeats && current.options.isEmpty
        var answers = isOneMore ? current.answers : []
        for part in parts {
            guard let answer = value(part, current) else {
                write("  ✗ \(part.onOneLine): this is no answer here. ? shows help.\n")
                return
            }
            answers.append(answer)
        }
        form.answer(current.id, with: answers)
        let answered = form.page.item(current.id)
        if let answered { showProblems(of: answered, "", write) }
        if answered?.isInvalid != true, !isOneMore { position += 1 }
    }

    /// What was typed, as an answer: the number of a choice, yes or no, a code, the path of a file, a text.
    private func value(_ text: String, _ item: PresentedItem) -> SurveyAnswer? {
        let word = text.lowercased()
        switch item.control {
        case .yesNo?:
            if ["y", "yes", "true", "1"].contains(word) { return .boolean(true) }
            return ["n", "no", "false", "0"].contains(word) ? .boolean(false) : nil
        case .attachment?: return attachment(text)
        case .radioButtons?, .checkboxes?, .menu?:
            let choices = item.choices
            if let number = Int(text), choices.indices.contains(number - 1) {
                return choices[number - 1].answer
            }
            return item.item.answer(for: JSONValue(text), options: item.options) ?? item.answer(for: text)
        // Where nothing can be searched.
        case .search?: return item.item.answer(for: JSONValue(text)) ?? item.answer(for: text)
        case .quantity?:
            let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
            return item.answer(for: parts.first ?? "", unit: parts.count == 2 ? parts[1] : "")
        default: return item.answer(for: text)
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
