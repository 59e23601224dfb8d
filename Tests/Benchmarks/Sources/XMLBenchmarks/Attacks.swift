import Foundation
import IndivoXML
import Measuring

/// Documents that are made to harm whoever reads them, and what reading each of them takes with the default
/// limits.
enum Attacks {
    struct Attack: Sendable {
        let name: String
        let encoding: String?
        let make: @Sendable () -> [UInt8]

        init(_ name: String, encoding: String? = nil, _ make: @escaping @Sendable () -> [UInt8]) {
            self.name = name
            self.encoding = encoding
            self.make = make
        }

        init(_ name: String, _ text: String) { self.init(name) { Array(text.utf8) } }
    }

    static let all: [Attack] = [
        Attack("billion laughs") {
            var text = "<!DOCTYPE r [<!ENTITY l0 \"lol\">"
            for level in 1...10 {
                text += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
            }
            return Array((text + "]><r>&l10;</r>").utf8)
        },
        Attack("billion laughs in an attribute") {
            var text = "<!DOCTYPE r [<!ENTITY l0 \"lol\">"
            for level in 1...10 {
                text += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
            }
            return Array((text + "]><r a=\"&l10;\"/>").utf8)
        },
        Attack("quadratic blow-up") {
            let large = String(repeating: "A", count: 100_000)
            return Array(
                ("<!DOCTYPE r [<!ENTITY a \"\(large)\">]><r>" + String(repeating: "&a;", count: 100_000)
                    + "</r>").utf8
            )
        },
        Attack("parameter entities that multiply") {
            let large = String(repeating: " ", count: 60_000)
            return Array(
                ("<!DOCTYPE r [<!ENTITY % p \"\(large)\">" + String(repeating: "%p;", count: 10_000)
                    + "]><r/>").utf8
            )
        },
        Attack("empty attribute defaults, 65 kB") { defaults("", 2_000, elements: 10_000) },
        Attack("empty attribute defaults, 454 kB") { defaults("", 2_000, elements: 107_000) },
        Attack("namespaces by default") { defaults("xmlns:", 2_000, elements: 10_000) },
        Attack("a hundred thousand attributes in the DTD") { defaults("", 100_000, elements: 1) },
        Attack("a hundred thousand namespaces, each inside the other") {
            let levels = (0..<100).map { level in
                "<p:a xmlns:p='u'" + (0..<1_000).map { " xmlns:p\(level)_\($0)='u'" }.joined() + ">"
            }
            let text = levels.joined()
            return Array((text + String(repeating: "<p:a/>", count: 500_000)).utf8)
        },
        Attack(
            "an entity that holds itself",
            "<!DOCTYPE r [<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">]><r>&a;</r>"
        ),
        Attack("ten thousand entities inside each other") {
            var text = "<!DOCTYPE r [<!ENTITY e0 \"x\">"
            for level in 1...10_000 { text += "<!ENTITY e\(level) \"&e\(level - 1);\">" }
            return Array((text + "]><r>&e10000;</r>").utf8)
        },
        Attack("XXE by file", "<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><r>&x;</r>"),
        Attack("XXE by URL", "<!DOCTYPE r [<!ENTITY x SYSTEM \"http://127.0.0.1:9/x\">]><r>&x;</r>"),
        Attack(
            "XXE by parameter entity",
            "<!DOCTYPE r [<!ENTITY % x SYSTEM \"http://127.0.0.1:9/x.dtd\"> %x;]><r/>"
        ),
        Attack("a million levels") { Array(String(repeating: "<a>", count: 1_000_000).utf8) },
        Attack("a million attributes") {
            var text = "<a"
            for number in 0..<1_000_000 { text += " a\(number)='1'" }
            return Array((text + "/>").utf8)
        },
        Attack("an attribute of 1 GB") { around("<a b='", "'/>", 1 << 30) },
        Attack("an attribute of 400 MB") { around("<a b='", "'/>", 400 << 20) },
        Attack("an attribute of 400 MB of references") {
            Array("<a b='".utf8) + Array(repeatElement("&#65;".utf8, count: 80 << 20).joined())
                + Array("'/>".utf8)
        },
        Attack("a text of 400 MB") { around("<a>", "</a>", 400 << 20) },
        Attack("a comment of 400 MB") { around("<a><!--", "--></a>", 400 << 20) },
        Attack("a name of 400 MB") { around("<", "/>", 400 << 20) },
        Attack("an attribute's name of 400 MB") { around("<a ", "='1'/>", 400 << 20) },
        Attack("UTF-7, by declaration", "<?xml version='1.0' encoding='UTF-7'?>+ADw-r+AD4-x+ADw-/r+AD4-"),
        Attack("UTF-7, by transport", encoding: "utf-7") { Array("+ADw-r/+AD4-".utf8) },
        Attack("single bytes labelled UTF-16", "<?xml version='1.0' encoding='UTF-16'?><r/>"),
    ]

    private static func defaults(_ prefix: String, _ number: Int, elements: Int) -> [UInt8] {
        let declared = (0..<number).map { "\(prefix)a\($0) CDATA '\(prefix.isEmpty ? "" : "u")'" }
        return Array(
            ("<!DOCTYPE r [<!ATTLIST a \(declared.joined(separator: "\n"))>]><r>"
                + String(repeating: "<a/>", count: elements) + "</r>").utf8
        )
    }

    private static func around(_ start: String, _ end: String, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: count + start.utf8.count + end.utf8.count)
        bytes.replaceSubrange(0..<start.utf8.count, with: start.utf8)
        bytes.replaceSubrange(bytes.count - end.utf8.count..<bytes.count, with: end.utf8)
        return bytes
    }

    /// Reads one and prints what it took. Memory is asked of the system, so each wants a process of its own.
    static func run(_ attack: Attack) {
        var options = XMLParseOptions()
        options.encoding = attack.encoding
        // What the first parse of a process brings in is no part of it.
        _ = try? XMLNode(parsing: Documents.reports(bytes: 3_000))
        let bytes = attack.make()
        Memory.forgetPeak()
        let before = Memory.current()
        var result = "READ"
        let start = ProcessorTime.now()
        do {
            _ = try XMLNode(parsing: bytes, options: options)
        } catch {
            result = "\(error)"
        }
        let time = (ProcessorTime.now() - start) / 1e6
        let memory = Double(max(0, Memory.peak() - before)) / 1e6
        print("| \(attack.name) | " + String(format: "%.2f s | %.1f MB | ", time, memory) + "\(result) |")
    }
}
