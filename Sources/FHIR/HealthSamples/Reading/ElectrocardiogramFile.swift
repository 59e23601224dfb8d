import FHIR
import Foundation
import IndivoBase

/// An electrocardiogram of Apple's export: a head of names and values, then a voltage a line. The names are
/// in the phone's language, so the values are recognized by their form, and by their order: the date is
/// followed by classification, symptoms, version of the software, device, sampling frequency, lead and unit.
enum ElectrocardiogramFile {
    /// Half an hour at 512 measurements a second; the watch takes 30 seconds.
    private static let maximumLength = 1 << 20
    /// Ten rows are usual.
    private static let headLimit = 100

    static func sample(_ lines: inout LineReader, _ file: String) throws -> SampleItem {
        var head: [(name: String, value: String)] = []
        var voltages: [FHIRDecimal] = []
        func problem(_ reason: String) -> SampleItem {
            .problem(SampleProblem(file: file, line: lines.number, reason: reason))
        }
        while let line = try lines.next() {
            guard case .bytes(let bytes) = line, bytes.count <= 1000,
                let text = String(validating: bytes, as: UTF8.self)
            else {
                return problem("a line is too long or not UTF-8")
            }
            let plain = text.trimmingCharacters(in: CharacterSet(charactersIn: "\u{FEFF} \t\""))
            if plain.isEmpty { continue }
            if let number = FHIRDecimal(normalized(plain)) {
                guard voltages.count < maximumLength else {
                    return problem("more than \(maximumLength) voltages")
                }
                voltages.append(number)
            } else if voltages.isEmpty {
                guard head.count < headLimit else {
                    return problem("no voltage in the first \(headLimit) rows")
                }
                let parts = plain.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
                let value =
                    parts.count == 2 ? parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \"")) : ""
                head.append((String(parts[0]), value))
            } else {
                return problem("'\(plain.prefix(40))' is not a voltage")
            }
        }
        func date(_ text: String) -> FHIRDateTime? {
            Array(text.utf8).withUnsafeBufferPointer { ExportDate.read($0) }
        }
        guard let dated = head.firstIndex(where: { date($0.value) != nil }),
            let start = date(head[dated].value)
        else {
            return problem("no date")
        }
        /// The value of the row with a name, else of the row at an offset from the date's.
        func value(_ name: String, _ offset: Int) -> String? {
            let row =
                head.first { $0.name == name } ?? (dated + offset < head.count ? head[dated + offset] : nil)
            return row.flatMap { $0.value.isEmpty ? nil : $0.value }
        }
        if let unit = value("Unit", 7), !["µV", "\u{3BC}V", "uV"].contains(unit) {
            return problem("the unit is '\(unit.prefix(40))' instead of µV")
        }
        let inItsRow = value("Sample Rate", 5).flatMap(leadingNumber)
        guard let rate = inItsRow ?? head.lazy.compactMap({ rate($0.value) }).first,
            let perSecond = rate.decimal,
            Electrocardiogram.frequencies.contains(perSecond)
        else {
            return problem("no sampling frequency")
        }
        guard !voltages.isEmpty, let from = start.microseconds, let offset = start.offset else {
            return problem("no voltages")
        }
        let seconds = Decimal(voltages.count) * 1_000_000 / perSecond
        let end =
            FHIRDateTime(microseconds: from + NSDecimalNumber(decimal: seconds).intValue, offset: offset)
            ?? start
        let heart = Electrocardiogram(
            classification: value("Classification", 1),
            symptoms: value("Symptoms", 2),
            samplingFrequency: SampleQuantity(value: rate, unit: .healthKit("Hz")),
            voltages: voltages
        )
        var sample = Sample(
            type: "HKElectrocardiogram",
            start: start,
            end: end,
            value: .electrocardiogram(heart)
        )
        if let device = value("Device", 4) {
            sample.device = SampleDevice(name: device.replacingOccurrences(of: "\"", with: ""))
        }
        return .sample(sample, line: 1)
    }

    /// A decimal comma as a point.
    private static func normalized(_ text: String) -> String {
        text.utf8.filter { $0 == UInt8(ascii: ",") }.count == 1
            ? text.replacingOccurrences(of: ",", with: ".") : text
    }

    /// The number of `512 hertz`, `512ヘルツ` or `512,4 Гц`, whatever the word is.
    private static func leadingNumber(_ text: String) -> FHIRDecimal? {
        FHIRDecimal(normalized(String(text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") })))
    }

    /// `512 hertz`, `512,4 Hz`: where rows are missing or more.
    private static func rate(_ text: String) -> FHIRDecimal? {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "\u{A0}" })
        guard parts.count == 2, parts[1].lowercased().hasPrefix("h") else { return nil }
        return FHIRDecimal(normalized(String(parts[0])))
    }
}

extension SampleDevice {
    fileprivate init(name: String) {
        self.init()
        self.name = name
    }
}
