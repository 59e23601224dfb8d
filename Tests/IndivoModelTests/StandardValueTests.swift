import Foundation
import IndivoModel
import Testing

@Suite("Plain values")
struct StandardValueTests {
    @Test("numbers read XML Schema's forms and write them back", arguments: ["0", "-1.5", "1e3", "+7", " 5 ", "INF", "-INF", ".5"])
    func numbers(text: String) throws {
        let value = try Double(lexical: text)
        #expect(try Double(lexical: value.lexical) == value)
    }

    @Test("what is no number is refused", arguments: ["", "five", "0x10", "1,5", "1.5.2", "infinity", "nan"])
    func noNumbers(text: String) {
        #expect(throws: LexicalError.self) { try Double(lexical: text) }
    }

    @Test("booleans read four words, and in data models any case of two")
    func booleans() throws {
        #expect(try ["true", "1"].allSatisfy { try Bool(lexical: $0) })
        #expect(try !["false", "0"].contains { try Bool(lexical: $0) })
        #expect(throws: LexicalError.self) { try Bool(lexical: "TRUE") }
        #expect(try Bool.fromField("TRUE"))
    }

    @Test("decimals keep their digits", arguments: ["12345678901234567890.123456789", "-0.001", "5"])
    func decimals(text: String) throws {
        #expect(try Decimal(lexical: text).lexical == text)
    }

    @Test("an enumeration's error lists its values")
    func enumerations() throws {
        let error = try #require(throws: LexicalError.self) { try DocumentStatus(lexical: "gone") }
        #expect(error.description.contains("“archived”") && error.description.contains("“gone”"))
    }
}
