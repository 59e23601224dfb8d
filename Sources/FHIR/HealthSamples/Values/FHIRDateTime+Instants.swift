import FHIR
import Foundation
import IndivoBase

extension FHIRDateTime {
    /// Microseconds since 1970 in UTC, without going through a `Double`; finer digits are cut. Nil without a
    /// time.
    package var microseconds: Int? {
        guard let time, let offset, let month = date.month, let day = date.day else { return nil }
        let days = CivilCalendar.days(fromCivil: date.year, month, day)
        // Years have four digits, so that this fits easily.
        let seconds = days * 86_400 + time.hour * 3_600 + (time.minute - offset) * 60 + time.second
        var fraction = 0
        let digits = time.fraction.utf8.prefix(6)
        for digit in digits { fraction = fraction * 10 + Int(digit & 15) }
        for _ in digits.count..<6 { fraction *= 10 }
        return seconds * 1_000_000 + fraction
    }

    /// A point in time with the offset of a zone, in minutes. Nil outside the years 1 to 9999.
    package init?(microseconds: Int, offset: Int) {
        let (local, isOver) = microseconds.addingReportingOverflow(offset * 60_000_000)
        guard !isOver, abs(offset) <= 840 else { return nil }
        let day = local.flooredQuotient(by: 86_400_000_000)
        let rest = local - day * 86_400_000_000
        let civil = CivilCalendar.civil(fromDays: day)
        guard 1...9999 ~= civil.year else { return nil }
        let date = CivilTime.date(civil.year, civil.month, civil.day)
        let seconds = rest / 1_000_000
        let clock = CivilTime.clock(seconds / 3600, seconds / 60 % 60, seconds % 60)
        var fraction = rest % 1_000_000 == 0 ? "" : "." + CivilTime.padded(rest % 1_000_000, 6)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        let sign = offset < 0 ? "-" : "+"
        let zone =
            offset == 0
            ? "Z" : "\(sign)\(CivilTime.padded(abs(offset) / 60, 2)):\(CivilTime.padded(abs(offset) % 60, 2))"
        self.init(text: "\(date)T\(clock)\(fraction)\(zone)")
    }

    /// The form that Indivo takes: in UTC, with six digits of fraction at most.
    /// - Throws: ``SampleError`` without a time, and for one before 1900: an Indivo server stores it, and
    ///   cannot report it.
    package func indivoText(_ name: String) throws(SampleError) -> String {
        guard let text = microseconds.flatMap({ FHIRDateTime(microseconds: $0, offset: 0) })?.description
        else {
            throw .date(name: name, text: description)
        }
        guard text >= "1900" else { throw .beforeIndivo(name: name, text: description) }
        return text
    }

    /// The same point in time as a clock in a zone shows it. Itself where that is not possible.
    package func moved(to zone: TimeZone) -> FHIRDateTime {
        guard let microseconds else { return self }
        // The offset changes at whole seconds, which a Double has exactly.
        let second = microseconds.flooredQuotient(by: 1_000_000)
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
        guard offset % 60 == 0, offset / 60 != self.offset else { return self }
        return FHIRDateTime(microseconds: microseconds, offset: offset / 60) ?? self
    }
}

extension Sample {
    /// The zone that the metadata name; else the offset of the start, which knows no summer time.
    package var timeZone: TimeZone {
        if case .text(let name)? = metadata["HKTimeZone"], let zone = TimeZone(identifier: name) {
            return zone
        }
        return start.offset.flatMap { TimeZone(secondsFromGMT: $0 * 60) } ?? .gmt
    }
}
