import FHIR

extension FactFields {
    /// A date or time, with the precision that it has. A time without a zone is not one of FHIR: its day is.
    func dateTime(_ names: String...) -> FHIRDateTime? { dateTime(names) }

    func dateTime(_ names: [String]) -> FHIRDateTime? {
        value(names) { text in
            DateText(text).dateTime.map { dateTime, isExact in (dateTime, isExact) }
        }.map { dateTime, isExact in
            if !isExact { for name in names { report(.inexact, name) } }
            return dateTime
        }
    }

    /// A date, or what is written instead of one.
    enum DateOrWords {
        case dateTime(FHIRDateTime)
        case words(String)
    }

    /// A date or time; other texts are words, for elements that take them.
    func dateOrWords(_ name: String) -> DateOrWords? {
        if let date = dateTime(name) { return .dateTime(date) }
        return text(name).map { .words($0) }
    }

    /// A calendar day, month or year. A time of day is left out.
    func date(_ names: String...) -> FHIRDate? {
        dateTime(names).map { dateTime in
            if dateTime.time != nil { for name in names { report(.inexact, name) } }
            return dateTime.date
        }
    }

    /// A point in time; a mere day counts as none.
    func instant(_ names: String...) -> FHIRInstant? {
        value(names) { DateText($0).dateTime.flatMap { FHIRInstant(text: $0.0.description) } }
    }
}

/// A date or time as Indivo's documents have it: xs:dateTime, xs:date, or a part of a date.
struct DateText {
    private let text: String

    init(_ text: String) { self.text = text.trimmed }

    /// The same in FHIR, and whether nothing was left out; `nil` for what is not a date.
    var dateTime: (FHIRDateTime, isExact: Bool)? {
        if let dateTime = FHIRDateTime(text: text) { return (dateTime, true) }
        // A day with a zone, which FHIR's days have not.
        for zone in ["Z"] + (text.utf8.count > 6 ? [String(text.suffix(6))] : []) where text.hasSuffix(zone) {
            let day = String(text.dropLast(zone.count))
            if zone == "Z" || zone.contains(":"), !day.contains("T"), let dateTime = FHIRDateTime(text: day) {
                return (dateTime, zone == "Z" || zone.hasSuffix("00:00"))
            }
        }
        // A time without a zone.
        if FHIRDateTime(text: text + "Z") != nil, let separator = text.firstIndex(of: "T"),
            let day = FHIRDateTime(text: String(text[..<separator]))
        {
            return (day, false)
        }
        return nil
    }
}

extension String {
    /// Without white space around it.
    var trimmed: String {
        let bytes = Array(utf8)
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}
