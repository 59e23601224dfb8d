import FHIR
import FHIRValidation
import OrderedJSON
import Testing

private let conditionalQuestionnaire = """
    {"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","type":"boolean"},{"linkId":"2",\
    "type":"string","enableWhen":[{"question":"1","operator":"exists","answerBoolean":true}]}]}
    """

private let transactionOfAPatient = """
    {"resourceType":"Bundle","type":"transaction","entry":[{"fullUrl":"urn:uuid:\
    0f9d3c6e-8d0a-4c55-9a51-2f4e6ee5bd30","resource":{"resourceType":"Patient"},"request":{"method":"POST",\
    "url":"Patient"}}]}
    """

private let messageOfParameters = """
    {"resourceType":"Bundle","type":"message","entry":[{"fullUrl":"http://e.org/MessageHeader/1",\
    "resource":{"resourceType":"Parameters","id":"1"}}]}
    """

/// Resources with one wrong thing each: the only issue is that, with its severity, code, path, line and
/// column.
@Suite("Validation finds what is wrong, and where")
struct ValidationRuleTests {
    struct Wrong: CustomTestStringConvertible {
        let what: String
        let text: String
        var severity = IssueSeverity.error
        let code: IssueType
        let expression: String
        let location: String
        var rule: String?

        var testDescription: String { what }

        init(
            _ what: String,
            _ text: String,
            _ code: IssueType,
            _ expression: String,
            _ location: String,
            severity: IssueSeverity = .error,
            rule: String? = nil
        ) {
            self.what = what
            self.text = text
            self.code = code
            self.expression = expression
            self.location = location
            self.severity = severity
            self.rule = rule
        }
    }

    private static func issues(_ text: String) throws -> [ValidationIssue] {
        var options = ValidationOptions()
        options.includesBestPractice = false
        return ValidationIssue.all(of: try JSONValue(parsing: text), options)
    }

    private func check(_ wrong: Wrong) throws {
        // What is there twice has its id twice, too.
        let issues = try Self.issues(wrong.text).filter {
            !$0.text.hasPrefix("another element of the resource has")
        }
        #expect(issues.count == 1, "\(issues)")
        let issue = try #require(issues.first)
        #expect(issue.severity == wrong.severity)
        #expect(issue.code == wrong.code)
        #expect(issue.expression == wrong.expression)
        #expect(issue.location?.description == wrong.location)
        #expect(issue.rule == wrong.rule)
        #expect(!issue.text.isEmpty)
    }

    private static let observation = #"{"resourceType":"Observation","status":"final","code":{"text":"x"}"#
    private static let patient = #"{"resourceType":"Patient""#

    @Test(
        "structure: names, cardinalities, JSON types, empty values",
        arguments: [
            Wrong("no object", "[1]", .structure, "", "1:1", severity: .fatal),
            Wrong("no resourceType", #"{"id":"a"}"#, .structure, "", "1:1", severity: .fatal),
            Wrong(
                "an unknown type",
                "{\n \"resourceType\":\"Patent\"}",
                .structure,
                "Resource",
                "2:17",
                severity: .fatal
            ),
            Wrong("an unknown element", patient + ",\n \"nam\":1}", .structure, "Patient", "2:2"),
            Wrong(
                "an unknown nested element",
                patient + ",\n\"name\":[{\"text\":\"x\",\"first\":\"A\"}]}",
                .structure,
                "Patient.name[0]",
                "2:21"
            ),
            Wrong("an unknown sibling", patient + ",\"_nam\":{\"id\":\"a\"}}", .structure, "Patient", "1:27"),
            Wrong(
                "a sibling of no primitive",
                patient + ",\"_name\":[{\"id\":\"a\"}]}",
                .structure,
                "Patient",
                "1:27"
            ),
            Wrong(
                "a choice without its type",
                observation + ",\n\"value\":\"x\"}",
                .structure,
                "Observation",
                "2:1"
            ),
            Wrong(
                "a choice of a wrong type",
                observation + ",\n\"valueDecimal\":1}",
                .structure,
                "Observation",
                "2:1"
            ),
            Wrong(
                "a choice twice",
                observation + ",\"valueString\":\"x\",\n\"valueInteger\":1}",
                .structure,
                "Observation",
                "2:1"
            ),
            Wrong(
                "a choice's sibling of another type",
                observation
                    + ",\"valueString\":\"x\",\n\"_valueInteger\":{\"extension"
                    + "\":[{\"url\":\"http://e.org/x\",\"valueString\":\"y\"}]}}",
                .structure,
                "Observation",
                "2:1"
            ),
            Wrong(
                "a member twice",
                patient + ",\"active\":true,\n\"active\":true}",
                .structure,
                "Patient",
                "2:1"
            ),
            Wrong(
                "resourceType twice",
                "{\"resourceType\":\"Patient\",\"resourceType\":\"Patient\"}",
                .structure,
                "Patient",
                "1:27"
            ),
            Wrong(
                "a required element that is missing",
                "{\"resourceType\":\"Observation\",\"status\":\"final\"}",
                .required,
                "Observation",
                "1:1"
            ),
            Wrong(
                "a required element in an array's element",
                observation + ",\n\"component\":[{\"code\":{\"text\":\"a\"}},\n{\"valueInteger\":1}]}",
                .required,
                "Observation.component[1]",
                "3:1"
            ),
            Wrong(
                "a required choice",
                #"{"resourceType":"MedicationStatement","status":"active","subject":{"display":"x"}}"#,
                .required,
                "MedicationStatement",
                "1:1"
            ),
            Wrong(
                "an array where one value is",
                patient + ",\n\"active\":[true]}",
                .structure,
                "Patient.active",
                "2:10"
            ),
            Wrong(
                "one value where an array is",
                patient + ",\n\"name\":{\"text\":\"x\"}}",
                .structure,
                "Patient.name",
                "2:8"
            ),
            Wrong("an empty array", patient + ",\n\"name\":[]}", .structure, "Patient.name", "2:8"),
            Wrong(
                "an empty object",
                observation + ",\n\"method\":{}}",
                .structure,
                "Observation.method",
                "2:10"
            ),
            Wrong("null", patient + ",\n\"active\":null}", .structure, "Patient.active", "2:10"),
            Wrong(
                "null in an array of objects",
                patient + ",\n\"name\":[{\"text\":\"x\"},null]}",
                .structure,
                "Patient.name[1]",
                "2:22"
            ),
            Wrong(
                "a string where an object is",
                observation + ",\n\"subject\":\"Patient/7\"}",
                .structure,
                "Observation.subject",
                "2:11"
            ),
            Wrong(
                "an array in an array",
                patient + ",\n\"name\":[[{\"text\":\"x\"}]]}",
                .structure,
                "Patient.name[0]",
                "2:9"
            ),
            Wrong(
                "an object where a string is",
                patient + ",\n\"gender\":{\"a\":1}}",
                .structure,
                "Patient.gender",
                "2:10"
            ),
        ]
    )
    func structure(wrong: Wrong) throws { try check(wrong) }

    @Test(
        "siblings of primitives: shape and null",
        arguments: [
            Wrong(
                "a sibling that is no object",
                patient + ",\"birthDate\":\"1974\",\n\"_birthDate\":\"a\"}",
                .structure,
                "Patient.birthDate",
                "2:14"
            ),
            Wrong(
                "a sibling that is no array",
                patient + ",\"name\":[{\"given\":[\"A\"],\n\"_given\":{\"id\":\"a\"}}]}",
                .structure,
                "Patient.name[0].given",
                "2:10"
            ),
            Wrong(
                "null in both arrays",
                patient + ",\"name\":[{\"given\":[\"A\",null],\n\"_given\":[{\"id\":\"a\"},null]}]}",
                .structure,
                "Patient.name[0].given[1]",
                "2:22"
            ),
            Wrong(
                "null without a sibling",
                patient + ",\"name\":[{\n\"given\":[\"A\",null]}]}",
                .structure,
                "Patient.name[0].given",
                "2:9"
            ),
            Wrong(
                "an array of null",
                patient + ",\"name\":[{\n\"given\":[null]}]}",
                .structure,
                "Patient.name[0].given",
                "2:9"
            ),
            Wrong(
                "a sibling of null",
                patient + ",\"name\":[{\"given\":[\"A\"],\n\"_given\":[null]}]}",
                .structure,
                "Patient.name[0].given",
                "2:10"
            ),
            Wrong(
                "a primitive with an id and no value",
                patient + ",\n\"_birthDate\":{\"id\":\"a\"}}",
                .invariant,
                "Patient.birthDate",
                "2:14",
                rule: "ele-1"
            ),
            Wrong(
                "an unknown member in a sibling",
                patient + ",\n\"birthDate\":\"1974\",\"_birthDate\":{\"value\":\"a\"}}",
                .structure,
                "Patient.birthDate",
                "2:34"
            ),
            Wrong(
                "a sibling twice",
                patient
                    + ",\"birthDate\":\"1974\",\"_birthDate\":{\"id\":\"a\"},"
                    + "\n\"_birthDate\":{\"id\":\"a\"}}",
                .structure,
                "Patient",
                "2:1"
            ),
        ]
    )
    func siblings(wrong: Wrong) throws { try check(wrong) }

    @Test(
        "codes and bindings",
        arguments: [
            Wrong(
                "a code that is not in the value set",
                patient + ",\n\"gender\":\"m\"}",
                .codeInvalid,
                "Patient.gender",
                "2:10"
            ),
            Wrong(
                "a code in another case",
                patient + ",\n\"gender\":\"Male\"}",
                .codeInvalid,
                "Patient.gender",
                "2:10"
            ),
            Wrong(
                "a code in an array",
                #"{"resourceType":"AllergyIntolerance","patient":{"display":"x"},"clin"#
                    + #"icalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/allergyin"#
                    + #"tolerance-clinical","code":"active"}]},"category":["food","wood"]}"#,
                .codeInvalid,
                "AllergyIntolerance.category[1]",
                "1:208"
            ),
            Wrong(
                "a concept of another system",
                "{\"resourceType\":\"Condition\",\"subject\":{\"display\":\"x\"},\n\"clin"
                    + "icalStatus\":{\"coding\":[{\"system\":\"http://e.org\",\"code\":\"active\"}]}}",
                .codeInvalid,
                "Condition.clinicalStatus",
                "2:18"
            ),
            Wrong(
                "a concept without a coding",
                "{\"resourceType\":\"Condition\",\"subject\":{\"display\":\"x\"},\n\"clin"
                    + "icalStatus\":{\"text\":\"active\"}}",
                .codeInvalid,
                "Condition.clinicalStatus",
                "2:18"
            ),
            Wrong(
                "no language",
                patient + ",\n\"language\":\"en_US\"}",
                .codeInvalid,
                "Patient.language",
                "2:12"
            ),
            Wrong(
                "no media type",
                "{\"resourceType\":\"Binary\",\n\"contentType\":\"text\"}",
                .codeInvalid,
                "Binary.contentType",
                "2:15"
            ),
            Wrong(
                "a system that is relative",
                observation + ",\n\"method\":{\"coding\":[{\"system\":\"loinc\",\"code\":\"1\"}]}}",
                .value,
                "Observation.method.coding[0].system",
                "2:31"
            ),
            Wrong(
                "a value set as a system",
                observation
                    + ",\n\"method\":{\"coding\":[{\"system\":\"http://hl7.org/fhir/ValueSet/x\","
                    + "\"code\":\"1\"}]}}",
                .value,
                "Observation.method.coding[0].system",
                "2:31"
            ),
            Wrong(
                "age in another system",
                "{\"resourceType\":\"Condition\",\"subject\":{\"display\":\"x\"},\n\"on"
                    + "setAge\":{\"value\":3,\"code\":\"a\",\"system\":\"http://e.org\"}}",
                .invariant,
                "Condition.onset.ofType(Age)",
                "2:12",
                rule: "age-1"
            ),
        ]
    )
    func codes(wrong: Wrong) throws { try check(wrong) }

    @Test(
        "rules",
        arguments: [
            Wrong(
                "a value and a reason for its absence",
                observation + ",\"valueInteger\":1,\"dataAbsentReason\":{\"text\":\"x\"}}",
                .invariant,
                "Observation",
                "1:1",
                rule: "obs-6"
            ),
            Wrong(
                "a component that repeats the code",
                #"{"resourceType":"Observation","status":"final","code":{"codin"#
                    + #"g":[{"system":"http://e.org","code":"1"}]},"valueInteger":1,"componen"#
                    + #"t":[{"code":{"coding":[{"system":"http://e.org","code":"1"}]}}]}"#,
                .invariant,
                "Observation",
                "1:1",
                rule: "obs-7"
            ),
            Wrong(
                "a period that ends before it starts",
                observation + ",\n\"effectivePeriod\":{\"start\":\"2020-05\",\"end\":\"2020-04\"}}",
                .invariant,
                "Observation.effective.ofType(Period)",
                "2:19",
                rule: "per-1"
            ),
            Wrong(
                "a contact without details",
                patient + ",\n\"contact\":[{\"gender\":\"male\"}]}",
                .invariant,
                "Patient.contact[0]",
                "2:12",
                rule: "pat-1"
            ),
            Wrong(
                "a telecom without a system",
                patient + ",\n\"telecom\":[{\"value\":\"1\"}]}",
                .invariant,
                "Patient.telecom[0]",
                "2:12",
                rule: "cpt-2"
            ),
            Wrong(
                "a code of a unit without its system",
                observation + ",\n\"valueQuantity\":{\"value\":1,\"code\":\"kg\"}}",
                .invariant,
                "Observation.value.ofType(Quantity)",
                "2:17",
                rule: "qty-3"
            ),
            Wrong(
                "a range upside down",
                observation + ",\n\"valueRange\":{\"low\":{\"value\":2},\"high\":{\"value\":1}}}",
                .invariant,
                "Observation.value.ofType(Range)",
                "2:14",
                rule: "rng-2"
            ),
            Wrong(
                "a comparator in a simple quantity",
                observation + ",\n\"valueRange\":{\"low\":{\"value\":2,\"comparator\":\"<\"}}}",
                .invariant,
                "Observation.value.ofType(Range).low",
                "2:21",
                rule: "sqty-1"
            ),
            Wrong(
                "an element with nothing but an id",
                observation + ",\n\"method\":{\"id\":\"a\"}}",
                .invariant,
                "Observation.method",
                "2:10",
                rule: "ele-1"
            ),
            Wrong(
                "an extension with both",
                patient
                    + ",\n\"extension\":[{\"url\":\"http://e.org/x\",\"valueInteger\":1,\"extension"
                    + "\":[{\"url\":\"y\",\"valueInteger\":1}]}]}",
                .invariant,
                "Patient.extension[0]",
                "2:14",
                rule: "ext-1"
            ),
            Wrong(
                "an extension with neither",
                patient + ",\n\"extension\":[{\"url\":\"http://e.org/x\"}]}",
                .invariant,
                "Patient.extension[0]",
                "2:14",
                rule: "ext-1"
            ),
            Wrong(
                "an extension without a url",
                patient + ",\n\"extension\":[{\"valueInteger\":1}]}",
                .required,
                "Patient.extension[0]",
                "2:14"
            ),
            Wrong(
                "an extension with a relative url",
                patient + ",\n\"extension\":[{\"url\":\"x\",\"valueInteger\":1}]}",
                .value,
                "Patient.extension[0].url",
                "2:21"
            ),
            Wrong(
                "two questions with one linkId",
                #"{"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","#
                    + #""type":"string"},{"linkId":"1","type":"string"}]}"#,
                .invariant,
                "Questionnaire",
                "1:1",
                rule: "que-2"
            ),
            Wrong(
                "two conditions without a behaviour",
                "{\"resourceType\":\"Questionnaire\",\"status\":\"draft\",\"item\":[{\"linkId\":\"1\","
                    + "\"type\":\"boolean\"},\n{\"linkId\":\"2\",\"type\":\"string\",\"enableWhen"
                    + "\":[{\"question\":\"1\",\"operator\":\"exists\",\"answerBoolean\":true},{\"question"
                    + "\":\"1\",\"operator\":\"=\",\"answerBoolean\":true}]}]}",
                .invariant,
                "Questionnaire.item[1]",
                "2:1",
                rule: "que-12"
            ),
            Wrong(
                "a name that is no identifier",
                "{\"resourceType\":\"ValueSet\",\"status\":\"draft\",\"name\":\"my set\"}",
                .invariant,
                "ValueSet",
                "1:1",
                severity: .warning,
                rule: "vsd-0"
            ),
            Wrong(
                "a group without items",
                "{\"resourceType\":\"Questionnaire\",\"status\":\"draft\",\"item\":[\n{\"lin"
                    + "kId\":\"1\",\"type\":\"group\"}]}",
                .invariant,
                "Questionnaire.item[0]",
                "2:1",
                rule: "que-1"
            ),
        ]
    )
    func rules(wrong: Wrong) throws { try check(wrong) }

    private static func narrative(_ div: String) -> String {
        patient + ",\n\"text\":{\"status\":\"generated\",\"div\":\(JSONValue(div).text())}}"
    }

    @Test(
        "narratives",
        arguments: [
            Wrong(
                "no XML",
                narrative("<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>x</div>"),
                .invariant,
                "Patient.text.`div`",
                "2:36",
                rule: "txt-1"
            ),
            Wrong(
                "no namespace",
                narrative("<div>x</div>"),
                .invariant,
                "Patient.text.`div`",
                "2:36",
                rule: "txt-1"
            ),
            Wrong(
                "a script",
                narrative("<div xmlns=\"http://www.w3.org/1999/xhtml\">x<script>y</script></div>"),
                .invariant,
                "Patient.text.`div`",
                "2:36",
                rule: "txt-1"
            ),
            Wrong(
                "an event",
                narrative("<div xmlns=\"http://www.w3.org/1999/xhtml\" onclick=\"x\">x</div>"),
                .invariant,
                "Patient.text.`div`",
                "2:36",
                rule: "txt-1"
            ),
            Wrong(
                "no text",
                narrative("<div xmlns=\"http://www.w3.org/1999/xhtml\"><p> <!-- x --></p></div>"),
                .invariant,
                "Patient.text.`div`",
                "2:36",
                rule: "txt-2"
            ),
            Wrong(
                "no div",
                patient + ",\n\"text\":{\"status\":\"empty\"}}",
                .required,
                "Patient.text",
                "2:8"
            ),
        ]
    )
    func narratives(wrong: Wrong) throws { try check(wrong) }

    @Test("a resource without a narrative is worth a warning to who asks for best practice")
    func bestPractice() throws {
        #expect(try Patient(parsing: Self.patient + "}").issues().isEmpty)
        var options = ValidationOptions()
        options.includesBestPractice = true
        let issues = try Patient(parsing: Self.patient + "}").issues(options)
        #expect(issues.map(\.rule) == ["dom-6"])
        #expect(issues.map(\.severity) == [.warning])
        #expect(try Self.issues(Self.patient + "}").isEmpty)
    }

    @Test(
        "what is right has no issues",
        arguments: [
            observation
                + ",\"valueQuantity\":{\"value\":74.80,\"unit\":\"kg\",\"system\":\"http://un"
                + "itsofmeasure.org\",\"code\":\"kg\"}}",
            observation + ",\"effectivePeriod\":{\"start\":\"2020\",\"end\":\"2020-04\"}}",
            // Arrays of different length.
            patient + ",\"name\":[{\"given\":[\"A\",\"B\"],\"_given\":[{\"id\":\"a\"}]}]}",
            // A contained resource that only the narrative shows.
            patient
                + ",\"contained\":[{\"resourceType\":\"Binary\",\"id\":\"b\",\"contentType\":\"image/png\"}],"
                + "\"text\":{\"status\":\"additional\",\"div\":\"<div xmlns='http://www.w3.org/1999/xhtml'>"
                + "<img src='#b' alt='x'/></div>\"}}",
            observation
                + ",\"_valueDateTime\":{\"extension\":[{\"url\":\"http://e.org/x\",\"valueString\":\"y\"}]}}",
            patient
                + ",\"name\":[{\"given\":[\"A\",null],\"_given\":[null,{\"extension"
                + "\":[{\"url\":\"http://e.org/x\",\"valueString\":\"y\"}]}]}]}",
            patient
                + ",\"extension\":[{\"url\":\"http://e.org/x\",\"extension\":[{\"url\":\"y\","
                + "\"_valueCode\":{\"extension\":[{\"url\":\"http://e.org/z\",\"valueInteger\":1}]}}]}]}",
            patient + ",\"birthDate\":\"1974-12-25\",\"_birthDate\":{\"id\":\"a\"}}",
            patient
                + ",\"contained\":[{\"resourceType\":\"Organization\",\"id\":\"o\",\"name\":\"O\"}],"
                + "\"managingOrganization\":{\"reference\":\"#o\"}}",
            conditionalQuestionnaire,
            transactionOfAPatient,
            messageOfParameters
                .replacing(
                    "\"Parameters\"",
                    with:
                        "\"Flag\",\"status\":\"active\",\"code\":{\"text\":\"x\"},"
                        + "\"subject\":{\"display\":\"y\"}"
                )
                .replacing("message", with: "collection").replacing("MessageHeader", with: "Flag"),
        ]
    )
    func right(text: String) throws {
        let issues = try Self.issues(text)
        #expect(issues.isEmpty, "\(issues)")
    }
}
