import FHIR
import Foundation
import IndivoBase

/// Reads the attributes of Apple's export. Texts that are repeated often are decoded once.
struct ExportFields {
    private var texts: [RecentTexts] = []
    private var devices: [(text: String, device: SampleDevice?)] = []
    private var sources: [SampleSource] = []
    private var categories: [String: [String: Int?]] = [:]
    private var lastDate: (bytes: [UInt8], date: FHIRDateTime)?

    /// The last different values of an attribute.
    private struct RecentTexts {
        /// The address of the attribute's name, which is a literal.
        var name: UnsafePointer<UInt8>
        var values: [(bytes: [UInt8], text: String)] = []
        var next = 0

        func text(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
            values.first { $0.bytes.withUnsafeBufferPointer { $0.hasSameBytes(as: bytes) } }?.text
        }

        mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ text: String) {
            if values.count < 8 {
                values.append((Array(bytes), text))
            } else {
                values[next] = (Array(bytes), text)
            }
            next = (next + 1) % 8
        }
    }

    mutating func optionalText(_ name: StaticString, _ scanner: ExportScanner) throws(SampleError) -> String?
    {
        let address = name.utf8Start
        let slot: Int
        if let known = texts.firstIndex(where: { $0.name == address }) {
            slot = known
        } else {
            slot = texts.count
            texts.append(RecentTexts(name: address))
        }
        var failure: SampleError?
        let text: String? = scanner.bytes(name) { bytes in
            if let known = texts[slot].text(of: bytes) { return known }
            do throws(SampleError) {
                let text = try ExportText.decode(bytes, name)
                texts[slot].add(bytes, text)
                return text
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { throw failure }
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
            if let last, last.bytes.withUnsafeBufferPointer({ $0.hasSameBytes(as: bytes) }) {
                return last.date
            }
            if let date = ExportDate.read(bytes) ?? ExportDate.readEscaped(bytes, name) {
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
            if let plain = SampleNumber.plain(bytes) { return plain }
            do throws(SampleError) {
                // Only what is written unlike Apple's numbers has a character reference.
                let text =
                    bytes.contains(UInt8(ascii: "&")) && bytes.count <= 1000
                    ? try ExportText.decode(bytes, name) : String(decoding: bytes.prefix(100), as: UTF8.self)
                return try SampleNumber.read(text, "\(name)")
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
        let version = try optionalText("sourceVersion", scanner)
        if let known = sources.first(where: { $0.name == name && $0.version == version }) { return known }
        var source = SampleSource(name: name)
        source.version = version
        if sources.count >= 16 { sources.removeFirst() }
        sources.append(source)
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
    /// A date with references to characters, which XML allows and Apple does not write.
    static func readEscaped(_ bytes: UnsafeBufferPointer<UInt8>, _ name: StaticString) -> FHIRDateTime? {
        guard bytes.count <= 1000, bytes.contains(UInt8(ascii: "&")),
            let text = try? ExportText.decode(bytes, name)
        else { return nil }
        return Array(text.utf8).withUnsafeBufferPointer { read($0) }
    }

    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> FHIRDateTime? {
        // 2026-03-01 08:00:00 +0100
        guard bytes.count == 25, bytes[10] == 32, bytes[19] == 32 else { return nil }
        // The same length, with a T and a colon for the blanks.
        let text = String(unsafeUninitializedCapacity: 25) { text in
            _ = text.initialize(from: bytes)
            text[10] = UInt8(ascii: "T")
            text[19] = bytes[20]
            text[20] = bytes[21]
            text[21] = bytes[22]
            text[22] = UInt8(ascii: ":")
            return 25
        }
        return FHIRDateTime(text: text)
    }
}
