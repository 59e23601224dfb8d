import Foundation
import IndivoXML
import Testing

/// The classic attacks. Texts are bounded to 1 MB here, so that breaking the limit takes no time to prepare.
@Suite("Attacks")
struct AttackTests {
    private static let attacks: [(name: String, expected: XMLError.Kind, text: @Sendable () -> String)] = [
        ("a million levels", .limit(.depth), { String(repeating: "<a>", count: 1_000_000) }),
        (
            "a hundred thousand attributes", .limit(.attributes),
            {
                "<a " + (0..<100_000).map { "a\($0)='1'" }.joined(separator: " ") + "/>"
            }
        ),
        (
            "a name of a million characters", .limit(.nameBytes),
            { "<" + String(repeating: "n", count: 1_000_000) + "/>" }
        ),
        (
            "a prefix of a million characters", .limit(.nameBytes),
            {
                "<" + String(repeating: "p", count: 1_000_000) + ":a/>"
            }
        ),
        (
            "an attribute of three million characters", .limit(.textBytes),
            {
                "<a b='" + String(repeating: "x", count: 3 << 20) + "'/>"
            }
        ),
        (
            "an attribute of line feeds, which are collected anew", .limit(.textBytes),
            {
                "<a b='" + String(repeating: "\n", count: 3 << 20) + "'/>"
            }
        ),
        (
            "a comment of three million characters", .limit(.textBytes),
            {
                "<a><!--" + String(repeating: "<", count: 3 << 20) + "--></a>"
            }
        ),
        (
            "a text of three million characters", .limit(.textBytes),
            {
                "<a>" + String(repeating: "x", count: 3 << 20) + "</a>"
            }
        ),
        (
            "parameter entities that multiply", .limit(.entityExpansionBytes),
            {
                let large = String(repeating: " ", count: 60_000)
                return "<!DOCTYPE r [<!ENTITY % p \"\(large)\">" + String(repeating: "%p;", count: 1_000)
                    + "]><r/>"
            }
        ),
        (
            "entities of elements", .limit(.entityExpansionBytes),
            {
                let many = String(repeating: "<b/>", count: 20_000)
                return "<!DOCTYPE r [<!ENTITY e \"\(many)\">]><r>" + String(repeating: "&e;", count: 1_000)
                    + "</r>"
            }
        ),
        (
            "empty attribute defaults", .limit(.entityExpansionBytes),
            {
                let defaults = (0..<2_000).map { "a\($0) CDATA ''" }.joined(separator: " ")
                return "<!DOCTYPE r [<!ATTLIST a \(defaults)>]><r>"
                    + String(repeating: "<a/>", count: 100_000) + "</r>"
            }
        ),
    ]

    @Test("each ends in the error of its limit", arguments: attacks.indices)
    func attack(number: Int) throws {
        let attack = AttackTests.attacks[number]
        var options = XMLParseOptions()
        options.limits.textBytes = 1 << 20
        let error = try #require(throws: XMLError.self, "\(attack.name)") {
            try XMLNode(parsing: attack.text(), options: options)
        }
        #expect(error.kind == attack.expected, "\(attack.name)")
    }

    @Test("there are attacks to run") func notEmpty() { #expect(AttackTests.attacks.count >= 9) }

    @Test("a text that references make long is measured as it is read")
    func references() throws {
        var options = XMLParseOptions()
        options.limits.textBytes = 100_000
        let text = "<a>" + String(repeating: "&#65;", count: 99_999) + "</a>"
        #expect(try XMLNode(parsing: text, options: options).text().utf8.count == 99_999)
        #expect(throws: XMLError.self) {
            try XMLNode(parsing: text.replacing("<a>", with: "<a>xx"), options: options)
        }
    }

    @Test("a document of more than 10 MB is read")
    func large() throws {
        let text =
            "<r>"
            + String(
                repeating: "<a b=\"c\">" + String(repeating: "text ", count: 24) + "</a>\n",
                count: 100_000
            ) + "</r>"
        #expect(text.utf8.count > 12_000_000)
        #expect(try XMLNode(parsing: text).children().count == 100_000)
    }
}
