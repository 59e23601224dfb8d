import FHIR
import Foundation
import HealthSamples
import IndivoBase
import IndivoXML
import Testing

/// Exports read in the quick way, beside the slow one and beside libxml2.
@Suite struct PlainTagTests {
    /// Random exports that are XML, with much that XML allows and Apple does not write.
    private struct Writer {
        var random: SeededGenerator
        var text = ""

        init(_ seed: Int) { random = SeededGenerator(seed: 21, part: seed) }

        mutating func pick(_ texts: String...) -> String { texts.randomElement(using: &random) ?? "" }

        mutating func space() -> String { pick(" ", " ", " ", "\n", "\t", "  \r\n ") }

        /// An attribute's value in either quotation mark.
        mutating func attribute(_ name: String, _ value: String) -> String {
            let quote = pick("\"", "'")
            var written = ""
            for character in value {
                switch character {
                case "&": written += pick("&amp;", "&#38;", "&#x26;")
                case "<": written += pick("&lt;", "&#60;")
                case ">": written += pick("&gt;", ">")
                case "\"" where quote == "\"": written += pick("&quot;", "&#34;")
                case "'" where quote == "'": written += pick("&apos;", "&#39;")
                default:
                    written +=
                        random.happens(0.02)
                        ? "&#\(character.unicodeScalars.first?.value ?? 32);" : "\(character)"
                }
            }
            return
                "\(name)\(random.happens(0.1) ? " " : "")=\(random.happens(0.1) ? "\n" : "")\(quote)\(written)\(quote)"
        }

        mutating func element(_ name: String, _ attributes: [(String, String)], _ children: [String])
            -> String
        {
            var tag = "<\(name)"
            for (name, value) in attributes.shuffled(using: &random) {
                tag += space() + attribute(name, value)
            }
            if random.happens(0.3) { tag += space() }
            if children.isEmpty, random.happens(0.8) { return tag + "/>" + filling() }
            return tag + ">" + filling() + children.joined() + "</\(name)\(random.happens(0.2) ? " " : "")>"
                + filling()
        }

        /// What may stand between elements.
        mutating func filling() -> String {
            guard random.happens(0.3) else { return pick("", "\n", " ", "\r\n") }
            return pick(
                "<!-- <Record type=\"x\"/> > ' \" -->",
                "<?pi <Correlation ?>",
                "<!---->",
                "\n\n",
                "<![CDATA[ <Record/> ]] > ]]>"
            )
        }

        mutating func date() -> String {
            func two(_ range: ClosedRange<Int>) -> String {
                let number = Int.random(in: range, using: &random)
                return number < 10 ? "0\(number)" : "\(number)"
            }
            return
                "20\(two(10...29))-\(two(1...12))-\(two(1...28)) \(two(0...23)):\(two(0...59)):\(two(0...59)) "
                + pick("+0000", "+0100", "-0800", "+0530")
        }

        mutating func number() -> String {
            pick("0", "-1", "62", "0.50", "1e2", "123456789012345678901", "-0.001", "7.0", "100000000000000")
        }

        mutating func record(_ type: String? = nil) -> String {
            let start = date()
            var attributes = [
                ("type", type ?? "HKQuantityTypeIdentifier" + pick("HeartRate", "StepCount", "BodyMass")),
                ("sourceName", pick("Watch", "Anna’s “Watch” & 'Phone'", "a<b>c", "時計", "x\u{A0}y")),
                ("creationDate", start), ("startDate", start), ("endDate", start), ("value", number()),
                ("unit", pick("count/min", "count", "kg")),
            ]
            if random.happens(0.5) { attributes.append(("sourceVersion", pick("1", "10.1"))) }
            if random.happens(0.5) {
                attributes.append(
                    ("device", "<<HKDevice: 0x1>, name:Watch, model:W, A, software:\(pick("1", "2"))>")
                )
            }
            let metadata = (0..<Int.random(in: 0...2, using: &random)).map { index in
                element("MetadataEntry", [("key", "k\(index)"), ("value", pick("a", "b & c", "é"))], [])
            }
            return element("Record", attributes, metadata)
        }

        mutating func export() -> String {
            var text = pick("", "\u{FEFF}") + pick("", "<?xml version='1.0' encoding=\"UTF-8\"?>\n")
            text += pick("", "<!DOCTYPE HealthData [\n<!-- ]> ' -->\n<!ELEMENT HealthData ANY>\n]>\n")
            text += "<HealthData locale='en_DE'>"
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                text += filling()
                switch Int.random(in: 0..<10, using: &random) {
                case 0:
                    let start = date()
                    let members = [
                        record("HKQuantityTypeIdentifierBodyMass"), record("HKQuantityTypeIdentifierHeight"),
                    ]
                    text += random.happens(0.5) ? members.joined() : ""
                    let dates = [("startDate", start), ("endDate", start), ("sourceName", "Cuff")]
                    text += element(
                        "Correlation",
                        [("type", "HKCorrelationTypeIdentifierFood")] + dates,
                        members
                    )
                case 1: text += element("Other", [("a", pick("1", "</Record>"))], [element("Inner", [], [])])
                default: text += record()
                }
            }
            return text + "</HealthData>" + pick("", "\n", "<!-- -->")
        }
    }

    private func items(_ bytes: [UInt8], pieces: Int = 1 << 20, plain: Bool) throws -> [SampleItem] {
        var reader = SampleReader(name: "x", export: bytes, pieces: pieces, usesFastTagPath: plain)
        var items: [SampleItem] = []
        while let item = try reader.next() { items.append(item) }
        return items
    }

    @Test("both ways give the same samples, problems and lines, whatever the pieces", arguments: 0..<40)
    func bothWays(_ seed: Int) throws {
        var writer = Writer(seed)
        var bytes = Array(writer.export().utf8)
        for round in 0..<12 {
            let slow = try items(bytes, plain: false)
            for pieces in [1 << 20, 61, 7, 1] {
                #expect(try items(bytes, pieces: pieces, plain: true) == slow, "\(seed) \(round)")
            }
            if round == 0 { #expect(!slow.isEmpty) }
            // Then with something wrong in it.
            for _ in 0..<Int.random(in: 1...3, using: &writer.random) {
                let index = Int.random(in: bytes.indices, using: &writer.random)
                let byte = Array("<>\"'/=&; \n!-?[]CRx\u{0}".utf8).randomElement(using: &writer.random) ?? 0
                switch Int.random(in: 0..<3, using: &writer.random) {
                case 0: bytes[index] = byte
                case 1: bytes.insert(byte, at: index)
                default: bytes.remove(at: index)
                }
            }
        }
    }

    @Test(
        "what is unusual about a tag is no plain tag's",
        arguments: [
            "sourceName=\"a<b\"", "sourceName='a<b>c'", "sourceName=\"a>b\"", "sourceName = \"a\"",
            "sourceName=a",
            "sourceName", "sourceName=\"a", "sourceName=\"a\"b", "sourceName='a\"'", "=\"a\"", "a.b=\"1\"",
            "sourceName=\"a\"sourceVersion=\"1\"", "sourceName=\"a\" sourceName=\"b\"", "/", "/ /", "<",
            "é=\"1\"",
            "sourceName=\"a\u{0}\"", "sourceName=\"\"",
            (0..<101).map { "a\($0)=\"1\"" }.joined(separator: " "),
        ]
    )
    func hostileTags(_ attribute: String) throws {
        let dates = "startDate=\"2026-03-01 08:00:00 +0100\" endDate=\"2026-03-01 08:00:00 +0100\""
        func record(_ more: String) -> String {
            "<Record type=\"HKQuantityTypeIdentifierStepCount\" unit=\"count\" value=\"1\" \(dates) \(more)/>\n"
        }
        let good = record("sourceName=\"W\"")
        for end in ["", "</Record \(attribute)>", "</Record/>"] {
            let bytes = Array("<HealthData>\(good)\(record(attribute))\(end)\(good)</HealthData>".utf8)
            let slow = try items(bytes, plain: false)
            #expect(slow.count >= 2)
            for pieces in [1 << 20, 7, 1] {
                #expect(try items(bytes, pieces: pieces, plain: true) == slow)
            }
        }
    }

    /// What libxml2 says of a record.
    private struct Facts: Hashable {
        var type: String?
        var start: String?
        var value: String?
        var unit: String?
        var source: String?
        var version: String?
        var software: String?
        var metadata: [String: String]
    }

    private func facts(_ record: XMLNode) -> Facts {
        let date = record.attr("startDate") ?? ""
        let start =
            "\(date.prefix(10))T\(date.dropFirst(11).prefix(8))\(date.dropFirst(20).prefix(3)):\(date.suffix(2))"
        var metadata: [String: String] = [:]
        for entry in record.find("> MetadataEntry") {
            metadata[entry.attr("key") ?? ""] = entry.attr("value")
        }
        return Facts(
            type: record.attr("type"),
            start: start,
            value: record.attr("value"),
            unit: record.attr("unit"),
            source: record.attr("sourceName"),
            version: record.attr("sourceVersion"),
            software: record.attr("device").flatMap {
                $0.split(separator: ":").last.map { String($0.dropLast()) }
            },
            metadata: metadata
        )
    }

    private func facts(_ sample: Sample) -> Facts {
        var facts = Facts(type: sample.type, start: sample.start.description, metadata: [:])
        if case .quantity(let quantity) = sample.value {
            facts.value = quantity.value.description
            facts.unit = quantity.unit.text
        }
        facts.source = sample.source?.name
        facts.version = sample.source?.version
        facts.software = sample.device?.softwareVersion
        for (name, value) in sample.metadata {
            if case .text(let text) = value { facts.metadata[name] = text }
        }
        return facts
    }

    @Test("a tag whose name is too long is a problem, and what follows it is read")
    func longNames() throws {
        let name = String(repeating: "A", count: 101)
        let record = """
            <Record type="HKQuantityTypeIdentifierStepCount" unit="count" value="1" sourceName="W" \
            startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:00:00 +0100"/>
            """
        for tag in ["<\(name)/>", "<\(name)>", "</\(name)>", "<Correlation\(name)/>"] {
            let bytes = Array("<HealthData>\(record)\(tag)\(record)</HealthData>".utf8)
            let found = try items(bytes, plain: true)
            #expect(try found == items(bytes, plain: false))
            #expect(found.count >= 3, "\(found)")
        }
    }

    @Test("samples have what libxml2 reads from their elements", arguments: 0..<40)
    func besideLibXML2(_ seed: Int) throws {
        var writer = Writer(1000 + seed)
        let text = writer.export()
        let given = try items(Array(text.utf8), plain: true)
        let document = try XMLNode(parsing: Data(text.utf8))
        let root = document.find("HealthData").first ?? document
        // Records that a correlation repeats are left out beside it.
        let members = root.find("> Correlation > Record").map { facts($0) }
        let records = root.find("> Record").map { facts($0) }.filter { record in
            !members.contains {
                $0.type == record.type && $0.start == record.start && $0.source == record.source
            }
        }
        var found: [Facts] = []
        var foundMembers: [Facts] = []
        for item in given {
            guard case .sample(let sample, _) = item else {
                Issue.record("\(item)")
                continue
            }
            if sample.members.isEmpty {
                found.append(facts(sample))
            } else {
                foundMembers += sample.members.map(facts)
            }
        }
        #expect(foundMembers == members)
        #expect(found == records || Set(records).isSubset(of: Set(found)), "\(seed)")
    }
}
