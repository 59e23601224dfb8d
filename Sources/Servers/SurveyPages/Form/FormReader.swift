import FHIR
import Foundation
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
        /// Texts that are no answers, by the name of their field, so that they can be shown again.
        var unreadable: [String: String] = [:]
    }

    /// Why a text is no answer.
    func read(_ formItem: FormItem) -> Reading {
        var reading = Reading()
        let name = formItem.name
        switch formItem.control {
        case .yesNo:
            reading.answers =
                form[name].flatMap { ["true": true, "false": false][$0] }.map { [.boolean($0)] } ?? []
        case .radios, .list, .checkboxes: readOptions(formItem, &reading)
        case .file: readFiles(formItem, &reading)
        case .date, .dateTime:
            for index in 0..<fieldCount(formItem) { readDate(formItem, "\(name).\(index)", &reading) }
        case .text, .lines, .number, .quantity, .time:
            for index in 0..<fieldCount(formItem) {
                let field = "\(name).\(index)"
                guard let text = form[field], text.utf8.contains(where: { $0 > 0x20 }) else { continue }
                if let answer = answer(text, formItem, field) {
                    reading.answers.append(answer)
                } else {
                    reading.unreadable[field] = text
                }
            }
        }
        return reading
    }

    /// How many fields the question has in a form: its answers and an empty one.
    private func fieldCount(_ formItem: FormItem) -> Int {
        formItem.item.repeats ? formItem.answers.count + 1 : 1
    }

    // MARK: Options

    private func readOptions(_ formItem: FormItem, _ reading: inout Reading) {
        let tokens = form.values(formItem.name).filter { !$0.isEmpty }
        if !tokens.isEmpty {
            let known = Dictionary(
                (formItem.options.map(\.value) + formItem.answers).map { (Self.token($0), $0) },
                uniquingKeysWith: { first, _ in first }
            )
            var seen: Set<String> = []
            for token in tokens where seen.insert(token).inserted {
                if let answer = known[token] {
                    reading.answers.append(answer)
                } else {
                    reading.unreadable[formItem.name] = token
                }
            }
        }
        guard formItem.item.format.isOpen else { return }
        let others = form.values(formItem.name + ".other").map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        reading.answers += others.filter { !$0.isEmpty }.map { .string($0) }
    }

    /// What stands for an option in a form.
    static func token(_ answer: SurveyAnswer) -> String {
        if case .coding(let coding) = answer, let code = coding.code {
            return "\(coding.system?.rawValue ?? "")|\(code)"
        }
        return answer.content.tree.text()
    }

    // MARK: Texts

    private func answer(_ text: String, _ formItem: FormItem, _ field: String) -> SurveyAnswer? {
        let item = formItem.item
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch formItem.control {
        case .number: return Self.number(trimmed).flatMap { item.answer(for: $0) }
        case .quantity:
            guard let number = Self.number(trimmed), let value = FHIRDecimal(tree: number) else { return nil }
            let unit = (form[field + ".unit"] ?? "").trimmingCharacters(in: .whitespaces)
            if let listed = item.format.units.first(where: { ($0.code ?? $0.display) == unit })
                ?? (unit.isEmpty ? item.format.units.first : nil)
            {
                var quantity = Quantity(
                    value: value,
                    unit: listed.display ?? listed.code,
                    system: listed.system
                )
                quantity.code = listed.code
                return .quantity(quantity)
            }
            return .quantity(Quantity(value: value, unit: unit.isEmpty ? nil : unit))
        case .time: return item.answer(for: JSONValue(trimmed))
        // The text as it was written, without space around a line.
        case .lines: return .string(text)
        default: return item.answer(for: JSONValue(trimmed))
        }
    }

    /// A number as people write it. A comma is a decimal point, but where it may separate thousands: `1,000`
    /// is refused.
    static func number(_ text: String) -> JSONValue? {
        var digits = text.replacing("\u{2212}", with: "-")
        if digits.hasPrefix("+") { digits.removeFirst() }
        if !digits.contains("."), let comma = digits.firstIndex(of: ",") {
            let whole = digits[..<comma]
            let fraction = digits[digits.index(after: comma)...]
            guard fraction.utf8.count != 3 || whole == "0" || whole == "-0" else { return nil }
            digits = whole + "." + fraction
        }
        // JSON has no zeros before a number, and none is missing before a point.
        let isNegative = digits.hasPrefix("-")
        var rest = digits.dropFirst(isNegative ? 1 : 0)
        guard !rest.hasPrefix("-") else { return nil }
        while rest.hasPrefix("0"), rest.dropFirst().first?.isNumber == true { rest = rest.dropFirst() }
        if rest.hasPrefix(".") { rest = "0" + rest }
        guard rest.utf8.count <= 400 else { return nil }
        return JSONValue(number: (isNegative ? "-" : "") + rest)
    }

    // MARK: Dates

    private func readDate(_ formItem: FormItem, _ field: String, _ reading: inout Reading) {
        let parts = ["day", "month", "year", "time"].map {
            (form["\(field).\($0)"] ?? "").trimmingCharacters(in: .whitespaces)
        }
        guard parts.contains(where: { !$0.isEmpty }) else { return }
        if let answer = Self.date(parts, formItem, zone) {
            reading.answers.append(answer)
        } else {
            for (name, text) in zip(["day", "month", "year", "time"], parts) {
                reading.unreadable["\(field).\(name)"] = text
            }
        }
    }

    private static func date(_ parts: [String], _ formItem: FormItem, _ zone: TimeZone) -> SurveyAnswer? {
        let numbers = parts.prefix(3).map {
            $0.utf8.count <= 4 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil
        }
        guard let year = numbers[2], parts[2].utf8.count == 4, (parts[1].isEmpty) == (numbers[1] == nil),
            (parts[0].isEmpty) == (numbers[0] == nil), numbers[0] == nil || numbers[1] != nil,
            let date = FHIRDate(year: year, month: numbers[1], day: numbers[0])
        else { return nil }
        guard formItem.control == .dateTime else { return parts[3].isEmpty ? .date(date) : nil }
        guard !parts[3].isEmpty else { return FHIRDateTime(text: date.description).map { .dateTime($0) } }
        guard date.day != nil,
            let time = FHIRTime(text: parts[3].utf8.count == 5 ? parts[3] + ":00" : parts[3])
        else { return nil }
        // What is there already keeps its zone.
        for case .dateTime(let old) in formItem.answers
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

    private func readFiles(_ formItem: FormItem, _ reading: inout Reading) {
        let removed = Set(form.values(formItem.name + ".remove"))
        let kept = formItem.answers.enumerated().filter { !removed.contains(String($0.offset)) }.map(
            \.element
        )
        let sent = (form.files[formItem.name] ?? []).map { part -> SurveyAnswer in
            var attachment = Attachment()
            attachment.contentType = Self.mediaType(part)
            attachment.data = part.content.base64EncodedString()
            attachment.size = part.content.count
            attachment.title = part.fileName.map { String($0.prefix(200)) }
            return .attachment(attachment)
        }
        // A file replaces another where there can only be one.
        reading.answers = formItem.item.repeats ? kept + sent : sent.last.map { [$0] } ?? kept
    }

    private static func mediaType(_ part: MultipartForm.Part) -> String {
        let type = (part.contentType ?? "").prefix { $0 != ";" }.lowercased()
        let isType =
            type.utf8.count <= 100 && type.split(separator: "/").count == 2
            && type.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isType ? type : "application/octet-stream"
    }
}
