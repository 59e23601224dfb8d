import FHIR
import FHIRValidation
import OrderedJSON
import Testing

@Suite("Validation of primitives")
struct ValidationPrimitiveTests {
    /// A value of a type, as the value of an extension: there all types may be.
    private static func issues(_ type: String, _ value: String) throws -> [ValidationIssue] {
        var options = ValidationOptions()
        options.includesBestPractice = false
        let text =
            #"{"resourceType":"Patient","extension":[{"url":"http://e.org/x","value\#(type)":\#(value)}]}"#
        return ValidationIssue.all(of: try JSONValue(parsing: text), options)
    }

    @Test(
        "values that are written as their type",
        arguments: [
            ("Boolean", ["true", "false"]),
            ("Integer", ["0", "-2147483648", "2147483647"]),
            ("PositiveInt", ["1", "2147483647"]),
            ("UnsignedInt", ["0", "2147483647"]),
            ("Decimal", ["1.10", "-0.00000001", "1e2", "1E-5", "123456789012345678"]),
            ("String", [#""a""#, #"" a\t\n""#, #""\u00e4""#]),
            ("Markdown", [#""*a*\nb""#]),
            ("Code", [#""a""#, #""a b""#]),
            ("Id", [#""A-1.b""#, "\"" + String(repeating: "x", count: 64) + "\""]),
            (
                "Uri",
                [
                    #""http://e.org/a?b#c""#, #""a/b""#, #""urn:oid:2.16.840.1""#,
                    #""urn:uuid:c757873d-ec9a-4326-a141-556f43239520""#,
                    #""urn:uuid:c757873d-ec9a-4326-a141-556f43239520#a""#,
                ]
            ),
            ("Url", [#""mailto:a@e.org""#]),
            ("Canonical", [#""http://e.org/a|1.0""#]),
            ("Oid", [#""urn:oid:1.2.3.0""#]),
            ("Uuid", [#""urn:uuid:c757873d-ec9a-4326-a141-556f43239520""#]),
            ("Base64Binary", [#""YQ==""#, #""YWJj""#, #""YWJj\n YWJj""#]),
            ("Date", [#""2020""#, #""2020-02""#, #""2020-02-29""#]),
            (
                "DateTime",
                [
                    #""2020""#, #""2020-02-29""#, #""2020-02-29T23:59:60Z""#,
                    #""2020-02-29T00:00:00.123456+14:00""#,
                ]
            ),
            ("Instant", [#""2020-02-29T23:59:59.1-05:00""#]),
            ("Time", [#""23:59:59""#, #""00:00:00.001""#]),
        ]
    )
    func right(type: String, values: [String]) throws {
        for value in values {
            let issues = try Self.issues(type, value)
            #expect(issues.isEmpty, "\(value): \(issues)")
        }
    }

    @Test(
        "values that are not written as their type",
        arguments: [
            ("Boolean", ["\"true\"", "1"]),
            (
                "Integer",
                ["1.0", "1e2", "2147483648", "-2147483649", "\"1\"", "123456789012345678901234567890"]
            ),
            ("PositiveInt", ["0", "-1", "2147483648"]),
            ("UnsignedInt", ["-1", "0.5"]),
            ("Decimal", ["\"1.10\"", "true"]),
            ("String", [#""""#, #""a\u0000b""#, #""a\u000bb""#, "1"]),
            ("Code", [#"" a""#, #""a ""#, #""a  b""#, #""""#]),
            ("Id", [#""a_b""#, #""ä""#, "\"" + String(repeating: "x", count: 65) + "\""]),
            (
                "Uri",
                [
                    #""a b""#, #""urn:oid:3.1""#, #""urn:oid:1.02""#,
                    #""urn:uuid:C757873D-EC9A-4326-A141-556F43239520""#, #""urn:uuid:1""#,
                ]
            ),
            ("Oid", [#""1.2.3""#, #""urn:oid:1""#, #""urn:oid:1..2""#]),
            ("Uuid", [#""c757873d-ec9a-4326-a141-556f43239520""#]),
            ("Base64Binary", [#""YQ=""#, #""Y===""#, #""YQ==YQ==""#, #""Y.==""#, #""""#, #"" ""#]),
            (
                "Date",
                [
                    #""2020-2""#, #""2020-02-30""#, #""2021-02-29""#, #""0000""#, #""2020-13""#,
                    #""20-01-01""#, #""2020-02-29T00:00:00Z""#,
                ]
            ),
            (
                "DateTime",
                [
                    #""2020-02-29T24:00:00Z""#, #""2020-02-29T23:59Z""#, #""2020-02-29T23:59:59""#,
                    #""2020-02-29T23:59:59+15:00""#, #""2020-02-29 23:59:59Z""#,
                ]
            ),
            ("Instant", [#""2020-02-29""#, #""2020-02-29T23:59:59.""#]),
            ("Time", [#""24:00:00""#, #""1:00:00""#, #""10:00""#, #""10:00:00Z""#]),
        ]
    )
    func wrong(type: String, values: [String]) throws {
        for value in values {
            let issues = try Self.issues(type, value)
            #expect(issues.count == 1, "\(value): \(issues)")
            let expression =
                "Patient.extension[0].value.ofType(\(type.prefix(1).lowercased() + type.dropFirst()))"
            #expect(issues.first?.severity == .error)
            #expect(issues.first?.expression == expression, "\(value)")
            #expect(issues.first?.location?.line == 1)
        }
    }

    @Test("a string of white space is a warning, one of over a million characters an error")
    func strings() throws {
        #expect(try Self.issues("String", #"" \n""#).map(\.severity) == [.warning])
        let longest = String(repeating: "ä", count: 1_048_576)
        #expect(try Self.issues("String", "\"\(longest)\"").isEmpty)
        #expect(try Self.issues("String", "\"\(longest)a\"").map(\.code) == [.tooLong])
    }

    @Test(
        "a date or time that is written well and does not exist gets a reason",
        arguments: [
            ("Date", "2026-02-30", "the day does not exist"), ("Date", "2026-13", "the month does not exist"),
            ("Date", "0000-01", "the year does not exist"),
            ("DateTime", "2026-04-31T08:00:00Z", "the day does not exist"),
            ("DateTime", "2026-04-30T08:00:00", "a time needs its zone: Z, or an offset such as +01:00"),
            ("Instant", "2026-02-29T08:00:00Z", "the day does not exist"),
            ("Date", "26-02-03", "not written as the type date is"),
            ("DateTime", "2026-04-30T08:00Z", "not written as the type dateTime is"),
            ("DateTime", "2026-04-30T25:00:00Z", "not written as the type dateTime is"),
        ]
    )
    func days(type: String, value: String, text: String) throws {
        #expect(try Self.issues(type, "\"\(value)\"").map(\.text) == [text])
    }

    @Test("an issue says nothing of the value")
    func privacy() throws {
        for type in ["Integer", "Date", "Code", "Id", "Uri", "Base64Binary"] {
            let issues = try Self.issues(type, #""Jane  Doe_""#)
            #expect(!issues.isEmpty)
            for issue in issues { #expect(!"\(issue)".contains("Jane")) }
        }
        let named = try AnyResource(parsing: #"{"resourceType":"Patient","Jane Doe":1,"gender":"Jane Doe"}"#)
            .issues()
        #expect(named.count == 2)
        for issue in named { #expect(!"\(issue)".contains("Jane")) }
    }
}
