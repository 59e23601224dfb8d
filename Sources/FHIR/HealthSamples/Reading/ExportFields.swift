import FHIR
import Foundation
import IndivoBase

/// Reads the attributes of Apple's export. Texts that are repeated often are decoded once.
struct ExportFields {
    /// By the address of the attribute's name, which is a literal.
    private var texts: [Int: RecentTexts] = [:]
    private var devices: [(text: String, device: SampleDevice?)] = []
    private var categories: [String: [String: Int?]] = [:]
    private var lastDate: (bytes: [UInt8], date: FHIRDateTime)?

    /// The last different values of an attribute.
    private struct RecentTexts {
        var values: [(bytes: [UInt8], text: String)] = []
        var next = 0
    }

    mutating func optionalText(_ name: StaticString, _ scanner: ExportScanner) throws(SampleError) -> String?
    {
        let key = Int(bitPattern: name.utf8Start)
        let recent = texts[key]
        var failure: SampleError?
        var isNew: [UInt8]?
        let text: String? = scanner.bytes(name) { bytes in
            for (known, text) in recent?.values ?? []
            where known.count == bytes.count && bytes.elementsEqual(known) { return text }
            isNew = Array(bytes)
            do throws(SampleError) { return try ExportText.decode(bytes, name) } catch { failure = error }
            return nil
        }
        if let failure { throw failure }
        if let isNew, let text {
            var recent = recent ?? RecentTexts()
            if recent.values.count < 8 {
                recent.values.append((isNew, text))
            } else {
                recent.values[recent.next] = (isNew, text)
            }
            recent.next = (recent.next + 1) % 8
            texts[key] = recent
        }
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    mutating func text(_ name: StaticString, _ scanner: ExportScanner) throws(SampleError) -> String {
        guard let text = try optionalText(name, scanner) else { throw .missing("\(name)") }
        return text
    }

    /// `2026-03-01 08:00:00 +0100`, as a date of FHIR.
    mutating func date(_ name: StaticString, _ scanner: ExportScanner) throws(SampleError) -> FHIRDateTime {
        var failure: SampleError?
        let last = lastDate
        var isNew: [UInt8]?
        let date: FHIRDateTime? = scanner.bytes(name) { bytes in
            // Most samples end when they begin.
            if let last, bytes.elementsEqual(last.bytes) { return last.date }
            if let date = ExportDate.read(bytes) {
                isNew = Array(bytes)
                return date
            }
            failure = .date(name: "\(name)", text: String(decoding: bytes.prefix(60), as: UTF8.self))
            return nil
        }
        if let failure { throw failure }
        guard let date else { throw .missing("\(name)") }
        if let isNew { lastDate = (isNew, date) }
        return date
    }

    func optionalNumber(_ name: StaticString, _ scanner: ExportScanner) throws(SampleError) -> FHIRDecimal? {
        var failure: SampleError?
        let number: FHIRDecimal? = scanner.bytes(name) { bytes in
            do throws(SampleError) {
                return try SampleNumber.read(String(decoding: bytes.prefix(100), as: UTF8.self), "\(name)")
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { throw failure }
        return number
    }

    func number(_ name: StaticString, _ scanner: ExportScanner) throws(SampleError) -> FHIRDecimal {
        guard let number = try optionalNumber(name, scanner) else { throw .missing("\(name)") }
        return number
    }

    /// A number whose unit the export does not write.
    func optionalQuantity(_ name: StaticString, in unit: String, _ scanner: ExportScanner) throws(SampleError)
        -> SampleQuantity?
    {
        try optionalNumber(name, scanner).map { SampleQuantity(value: $0, unit: .healthKit(unit)) }
    }

    mutating func optionalBoolean(_ name: StaticString, _ scanner: ExportScanner) throws(SampleError) -> Bool?
    {
        switch try optionalText(name, scanner)?.lowercased() {
        case nil: return nil
        case "1", "true", "yes": return true
        case "0", "false", "no": return false
        default: throw .malformed(name: "\(name)", expected: "1 or 0")
        }
    }

    mutating func optionalQuantity(
        _ name: StaticString,
        _ unitName: StaticString,
        _ scanner: ExportScanner
    ) throws(SampleError) -> SampleQuantity? {
        guard let value = try optionalNumber(name, scanner) else { return nil }
        return SampleQuantity(value: value, unit: .healthKit(try text(unitName, scanner)))
    }

    mutating func optionalDate(_ name: StaticString, _ scanner: ExportScanner) throws(SampleError)
        -> FHIRDateTime?
    {
        try optionalText(name, scanner) == nil ? nil : date(name, scanner)
    }

    mutating func source(_ scanner: ExportScanner) throws(SampleError) -> SampleSource? {
        guard let name = try optionalText("sourceName", scanner) else { return nil }
        var source = SampleSource(name: name)
        source.version = try optionalText("sourceVersion", scanner)
        return source
    }

    /// The number of a category's value.
    mutating func category(_ type: String, _ names: ExportCategory, _ scanner: ExportScanner)
        throws(SampleError) -> Int?
    {
        guard let text = try optionalText("value", scanner) else { return nil }
        if let known = categories[type]?[text] { return known }
        let value = try names.value(text, of: type)
        if categories.count < 1000, (categories[type]?.count ?? 0) < 100 {
            categories[type, default: [:]][text] = .some(value)
        }
        return value
    }

    mutating func device(_ scanner: ExportScanner) throws(SampleError) -> SampleDevice? {
        guard let text = try optionalText("device", scanner) else { return nil }
        if let known = devices.first(where: { $0.text == text }) { return known.device }
        let device = Self.device(of: text)
        if devices.count >= 16 { devices.removeFirst() }
        devices.append((text, device))
        return device
    }

    /// `<<HKDevice: 0x28>, name:Apple Watch, manufacturer:Apple Inc., …>`. The address of memory differs in
    /// every export.
    private static func device(of text: String) -> SampleDevice? {
        guard let start = text.range(of: ">, ")?.upperBound else { return nil }
        let names: [(String, WritableKeyPath<SampleDevice, String?>)] = [
            ("name:", \.name), ("manufacturer:", \.manufacturer), ("model:", \.model),
            ("hardware:", \.hardwareVersion),
            ("firmware:", \.firmwareVersion), ("software:", \.softwareVersion),
            ("localIdentifier:", \.localIdentifier),
            ("UDIDeviceIdentifier:", \.udi), ("creation date:", \.self.creationDate),
        ]
        // Values may have commas; the next known name ends one.
        let parts = text[start...].split(separator: ", ", omittingEmptySubsequences: true)
        var device = SampleDevice()
        var last: WritableKeyPath<SampleDevice, String?>?
        for part in parts {
            if let (name, path) = names.first(where: { part.hasPrefix($0.0) }) {
                device[keyPath: path] = String(part.dropFirst(name.count))
                last = path
            } else if let last {
                device[keyPath: last] = (device[keyPath: last] ?? "") + ", " + part
            }
        }
        if let last, let value = device[keyPath: last], value.hasSuffix(">") {
            device[keyPath: last] = String(value.dropLast())
        }
        return device == SampleDevice() ? nil : device
    }
}

extension SampleDevice {
    /// The date at which HealthKit made the object: it says nothing about the device.
    fileprivate var creationDate: String? {
        get { nil }
        set {}
    }
}

/// Dates as Apple's export writes them.
enum ExportDate {
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> FHIRDateTime? {
        // 2026-03-01 08:00:00 +0100
        guard bytes.count == 25, bytes[10] == 32, bytes[19] == 32 else { return nil }
        var text = [UInt8](bytes[0..<19])
        text[10] = UInt8(ascii: "T")
        text += bytes[20..<23]
        text.append(UInt8(ascii: ":"))
        text += bytes[23..<25]
        return FHIRDateTime(text: String(decoding: text, as: UTF8.self))
    }
}
