import FHIR
import Foundation
import IndivoBase

extension FHIRDateTime {
    /// A point in time with the offset of a zone, in minutes. Nil outside the years 1 to 9999.
    package init?(microseconds: Int, offset: Int) {
        guard abs(offset) <= 840 else { return nil }
        var civil = CivilDateTime(microseconds: microseconds, offset: offset)
        guard 1...9999 ~= civil.year else { return nil }
        civil.trimFraction()
        self.init(civil)
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
