import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import Surveys
import WebServing

/// Reads what a form says about one question.
struct FormReader {
    let form: SentForm
    /// The zone of the person's browser, for dates with times.
    let zone: TimeZone
    let now: Date

    init(_ form: SentForm, now: Date) {
        self.form = form
        self.now = now
        zone = form["zone"].flatMap { $0.utf8.count <= 64 ? TimeZone(identifier: $0) : nil } ?? .current
    }

    /// What was entered.
    struct Reading {
        var answers: [SurveyAnswer] = []
        /// Texts that are not answers, by the name of their field, so that they can be shown again.
        var unreadable: [String: String] = [:]
    }

    /// Why a text is not an answer.
    func read(_ item: PresentedItem) -> Reading {
        var reading = Reading()
        let name = item.id
        switch item.control {
        case .yesNo:
            reading.answers =
                form[name].flatMap { ["true": true, "false": false][$0] }.map { [.boolean($0)] } ?? []
        case .radioButtons, .menu, .checkboxes, .search: readOptions(item, &reading)
        case .attachment: readFiles(item, &reading)
        case .date, .dateTime:
            for index in 0..<fieldCount(item) { readDate(item, "\(name).\(index)", &reading) }
        case .text, .textArea, .number, .quantity, .time:
            for index in 0..<fieldCount(item) {
                let field = "\(name).\(index)"
                guard let text = form[field], text.utf8.contains(where: { $0 > 0x20 }) else { continue }
                if let answer = item.answer(for: text, unit: form[field + ".unit"] ?? "") {
                    reading.answers.append(answer)
                } else {
                    reading.unreadable[field] = text
                }
            }
        case nil: break
        }
        return reading
    }

    /// How many fields the question has in a form: its answers and an empty one.
    private func fieldCount(_ item: PresentedItem) -> Int {
        item.item.repeats ? item.answers.count + 1 : 1
    }

    // MARK: Options

    private func readOptions(_ item: PresentedItem, _ reading: inout Reading) {
        let tokens = form.values(item.id).filter { !$0.isEmpty }
        if !tokens.isEmpty {
            let known = Dictionary(
                firstOf: (item.options.map(\.value) + item.answers).map { ($0.choiceID, $0) }
            )
            var seen: Set<String> = []
            for token in tokens where seen.insert(token).inserted {
                if let answer = known[token] {
                    reading.answers.append(answer)
                } else {
                    reading.unreadable[item.id] = token
                }
            }
        }
        let others = form.values(item.id + ".other").map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        for text in others where !text.isEmpty {
            if let answer = item.other(text) {
                reading.answers.append(answer)
            } else {
                reading.unreadable[item.id] = text
            }
        }
    }

    // MARK: Dates

    private func readDate(_ item: PresentedItem, _ field: String, _ reading: inout Reading) {
        let parts = ["day", "month", "year", "time"].map {
            (form["\(field).\($0)"] ?? "").trimmingCharacters(in: .whitespaces)
        }
        guard parts.contains(where: { !$0.isEmpty }) else { return }
        if let answer = Self.date(parts, item, zone) {
            reading.answers.append(answer)
        } else {
            for (name, text) in zip(["day", "month", "year", "time"], parts) {
                reading.unreadable["\(field).\(name)"] = text
            }
        }
    }

    private static func date(_ parts: [String], _ item: PresentedItem, _ zone: TimeZone) -> SurveyAnswer? {
        let numbers = parts.prefix(3).map {
            $0.utf8.count <= 4 && $0.isASCIIDigits ? Int($0) : nil
        }
        guard let year = numbers[2], parts[2].utf8.count == 4, (parts[1].isEmpty) == (numbers[1] == nil),
            (parts[0].isEmpty) == (numbers[0] == nil), numbers[0] == nil || numbers[1] != nil,
            let date = FHIRDate(year: year, month: numbers[1], day: numbers[0])
        else { return nil }
        guard item.control == .dateTime else { return parts[3].isEmpty ? .date(date) : nil }
        guard !parts[3].isEmpty else { return FHIRDateTime(text: date.description).map { .dateTime($0) } }
        guard date.day != nil,
            let time = FHIRTime(text: parts[3].utf8.count == 5 ? parts[3] + ":00" : parts[3])
        else { return nil }
        // What is there already keeps its zone.
        for case .dateTime(let old) in item.answers
        where old.date == date && old.time?.hour == time.hour && old.time?.minute == time.minute {
            return .dateTime(old)
        }
        guard let instant = FHIRDateTime(text: "\(date)T\(time)Z")?.instant else { return nil }
        // The zone's offset at that wall-clock time: what it is at the instant that this offset leads to.
        let first = zone.secondsFromGMT(for: instant)
        let offset = zone.secondsFromGMT(for: instant.addingTimeInterval(-Double(first))) / 60
        let sign = offset < 0 ? "-" : "+"
        let text = [abs(offset) / 60, abs(offset) % 60].map { $0 < 10 ? "0\($0)" : String($0) }.joined(
            separator: ":"
        )
        return FHIRDateTime(text: "\(date)T\(time)\(sign)\(text)").map { .dateTime($0) }
    }

    // MARK: Files

    private func readFiles(_ item: PresentedItem, _ reading: inout Reading) {
        let removed = Set(form.values(item.id + ".remove"))
        let kept = item.answers.enumerated().filter { !removed.contains(String($0.offset)) }.map(
            \.element
        )
        let sent = (form.files[item.id] ?? []).map { part -> SurveyAnswer in
            var attachment = Attachment()
            attachment.contentType = Self.mediaType(part)
            attachment.data = part.content.base64EncodedString()
            attachment.size = part.content.count
            attachment.title = part.fileName.map { String($0.prefix(200)) }
            return .attachment(attachment)
        }
        // A file replaces another where there can only be one.
        reading.answers = item.item.repeats ? kept + sent : sent.last.map { [$0] } ?? kept
    }

    private static func mediaType(_ part: MultipartForm.Part) -> String {
        let type = (part.contentType ?? "").prefix { $0 != ";" }.lowercased()
        let isType =
            type.utf8.count <= 100 && type.split(separator: "/").count == 2
            && type.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isType ? type : "application/octet-stream"
    }
}
