import FHIR
import FHIRPathEngine
import Testing

/// What a person is told of a wrong expression.
@Suite struct FHIRPathMessageTests {
    @Test(
        "what is wrong with an expression is said in a sentence",
        arguments: [
            ("name.where(", "The end of the expression is not expected."),
            ("name.where(use = 'a'", "“)” is expected, not the end of the expression."),
            ("(1 'mg'", "“)” is expected, not the end of the expression."),
            ("name.first( 'a' 'b')", "“)” is expected, not a string."),
            ("name 'a'", "A string is not expected."),
            ("name.wher(use = 'a')", "There is no function wher. Did you mean 'where'?"),
            ("name.ofTyp(Patient)", "There is no function ofTyp. Did you mean 'ofType'?"),
            ("name.exist()", "There is no function exist. Did you mean 'exists'?"),
            ("name.nothingLikeIt()", "There is no function nothingLikeIt."),
        ]
    )
    func sentence(expression: String, reason: String) {
        let error = #expect(throws: FHIRPathError.self) { try FHIRPath(expression) }
        #expect(error?.reason == reason)
    }
}
