import IndivoBase
import Testing

@Suite("Exact decimals")
struct ExactDecimalTests {
    @Test(
        "a number is written with the digits that it was read with, without an exponent",
        arguments: [
            "1.50": "1.50", "-0.0": "-0.0", "0": "0", "007": "7", "+5": "5", "1e3": "1000", "1.5e3": "1500",
            "1.50E-2": "0.0150", "120e-1": "12.0", "0e5": "0", "0.00e1": "0.0",
        ]
    )
    func digits(_ text: String, _ written: String) {
        #expect(ExactDecimal(text)?.description == written)
    }

    @Test("XML Schema's numbers may begin or end with the point")
    func points() {
        for (text, written) in [".5": "0.5", "5.": "5", "-.5": "-0.5"] {
            #expect(ExactDecimal(text) == nil)
            #expect(ExactDecimal(text, .xmlSchema)?.description == written)
        }
    }

    @Test(
        "what is not a number is not read",
        arguments: [
            "", ".", "-", "1,5", "--1", "1.2.3", "1 2", "e5", "1e", "1e1001", "1e-1001", "1e\(Int.min)", "١",
            "INF",
        ]
    )
    func refused(_ text: String) { #expect(ExactDecimal(text, .xmlSchema) == nil) }

    @Test("halves are rounded away from zero, and nines carry")
    func rounding() {
        for (text, scale, rounded) in [
            ("1.25", 1, "1.3"), ("-1.25", 1, "-1.3"), ("1.24", 1, "1.2"), ("9.99", 1, "10.0"),
            ("0.05", 1, "0.1"),
            ("0.04", 1, "0.0"), ("0.5", 0, "1"), ("0.0005", 1, "0.0"), ("1.5", 3, "1.5"), ("12", 0, "12"),
        ] {
            #expect(ExactDecimal(text)?.rounded(to: scale).description == rounded, "\(text)")
        }
    }

    @Test("numbers of one value have one trimmed form")
    func trimmed() {
        #expect(ExactDecimal("-0.00")?.trimmed == ExactDecimal("0"))
        #expect(ExactDecimal("1.500")?.trimmed == ExactDecimal("1.5"))
        #expect(ExactDecimal("100.0")?.trimmed == ExactDecimal("100"))
    }
}
