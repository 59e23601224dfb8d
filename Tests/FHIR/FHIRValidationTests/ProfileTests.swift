import FHIR
import FHIRValidation
import OrderedJSON
import Testing

/// What profiles ask for, on definitions that are made here.
@Suite("Validation by profiles")
struct ProfileTests {
    static let url = "http://example.org/StructureDefinition/p"

    /// A profile of a type with the elements of a differential.
    static func profile(
        _ type: String,
        url: String = url,
        base: String? = nil,
        _ elements: String
    ) throws -> AnyResource {
        let base = base ?? "http://hl7.org/fhir/StructureDefinition/\(type)"
        return try AnyResource(
            parsing: """
                {"resourceType":"StructureDefinition","url":"\(url)","name":"P","status":"active","kind":"resource",
                "abstract":false,"type":"\(type)","baseDefinition":"\(base)","derivation":"constraint",
                "differential":{"element":[\(elements)]}}
                """
        )
    }

    /// The errors of a resource by a profile: what they are about, and their texts.
    static func errors(_ resource: String, _ profiles: AnyResource...) throws -> [ValidationIssue] {
        let definitions = FHIRDefinitions()
        for profile in profiles { definitions.add(profile) }
        var options = ValidationOptions()
        options.definitions = definitions
        options.profiles = [Self.url]
        return ValidationIssue.all(of: try JSONValue(parsing: resource), options).filter(\.isError)
    }

    private static func patient(_ members: String) -> String { #"{"resourceType":"Patient",\#(members)}"# }

    @Test("too few and too many elements are reported with the profile and the element")
    func cardinality() throws {
        let profile = try Self.profile(
            "Patient",
            #"{"path":"Patient.birthDate","min":1},{"path":"Patient.name","max":"1"}"#
        )
        let missing = try Self.errors(Self.patient(#""name":[{"text":"a"}]"#), profile)
        #expect(missing.map(\.expression) == ["Patient"])
        #expect(missing[0].text.contains(Self.url) && missing[0].text.contains("Patient.birthDate"))
        let many = try Self.errors(
            Self.patient(#""birthDate":"2000","name":[{"text":"a"},{"text":"b"}]"#),
            profile
        )
        #expect(many.count == 1 && many[0].text.contains("at most 1 of Patient.name"))
        #expect(try Self.errors(Self.patient(#""birthDate":"2000""#), profile).isEmpty)
    }

    @Test("a binding of an extension, which has no code of its own, finds nothing wrong")
    func boundExtension() throws {
        let profile = try Self.profile(
            "Patient",
            """
            {"path":"Patient.extension","sliceName":"s","type":[{"code":"Extension","profile":["http://e.org/s"]}],
             "binding":{"strength":"required","valueSet":"http://hl7.org/fhir/ValueSet/administrative-gender"}}
            """
        )
        let value = #""extension":[{"url":"http://e.org/s","valueCode":"female"}]"#
        let errors = try Self.errors(Self.patient(value), profile)
        #expect(errors.filter { $0.text.contains("value set") } == [])
    }

    @Test("a risk without a probability is valid, one above 100 is not")
    func riskWithoutProbability() throws {
        func issues(_ members: String) throws -> [ValidationIssue] {
            ValidationIssue.all(
                of: try JSONValue(
                    parsing: """
                        {"resourceType":"RiskAssessment","status":"final","subject":{"display":"a"},
                        "prediction":[{"outcome":{"text":"b"}\(members)}]}
                        """
                )
            ).filter(\.isError)
        }
        #expect(try issues("") == [])
        #expect(try issues(#","probabilityDecimal":100"#) == [])
        #expect(try issues(#","probabilityDecimal":100.5"#).map(\.rule) == ["ras-2"])
    }

    @Test("a unit that R4's vital signs do not have is a warning, as HL7's validator has it")
    func unitOfVitalSign() throws {
        let text = """
            {"resourceType":"Observation","status":"final","effectiveDateTime":"2026-01-02","subject":{"display":"a"},
            "category":[{"coding":[{"code":"vital-signs",
              "system":"http://terminology.hl7.org/CodeSystem/observation-category"}]}],
            "code":{"coding":[{"system":"http://loinc.org","code":"2708-6"}]},
            "component":[{"code":{"text":"flow"},"valueQuantity":
              {"value":2,"unit":"L/min","system":"http://unitsofmeasure.org","code":"L/min"}}]}
            """
        let issues = ValidationIssue.all(of: try JSONValue(parsing: text))
        let found = issues.filter { $0.text.contains("ucum-vitals-common") }
        #expect(!found.isEmpty)
        #expect(issues.filter(\.isError) == [])
    }

    @Test("a fixed value is all of the value, a pattern a part of it")
    func values() throws {
        let fixed = try Self.profile(
            "Observation",
            #"{"path":"Observation.code","fixedCodeableConcept":{"coding":[{"code":"a"}]}}"#
        )
        let pattern = try Self.profile(
            "Observation",
            #"{"path":"Observation.code","patternCodeableConcept":{"coding":[{"code":"a"}]}}"#
        )
        func observation(_ code: String) -> String {
            #"{"resourceType":"Observation","status":"final","code":\#(code)}"#
        }
        let more = observation(#"{"coding":[{"code":"b"},{"code":"a"}],"text":"t"}"#)
        #expect(try Self.errors(more, fixed).map(\.expression) == ["Observation.code"])
        #expect(try Self.errors(more, pattern).isEmpty)
        #expect(try Self.errors(observation(#"{"coding":[{"code":"b"}]}"#), pattern).count == 1)
        #expect(try Self.errors(observation(#"{"coding":[{"code":"a"}]}"#), fixed).isEmpty)
    }

    @Test("types of a choice, with the profile of a type")
    func types() throws {
        let quantity = "http://example.org/StructureDefinition/kg"
        let profile = try Self.profile(
            "Observation",
            #"{"path":"Observation.value[x]","type":[{"code":"Quantity","profile":["\#(quantity)"]}]}"#
        )
        let kilograms = try Self.profile(
            "Quantity",
            url: quantity,
            #"{"path":"Quantity.code","min":1,"fixedCode":"kg"}"#
        )
        func observation(_ value: String) -> String {
            #"{"resourceType":"Observation","status":"final","code":{"text":"x"},\#(value)}"#
        }
        #expect(
            try Self.errors(
                observation(#""valueQuantity":{"system":"http://unitsofmeasure.org","code":"kg"}"#),
                profile,
                kilograms
            ).isEmpty
        )
        let wrong = try Self.errors(
            observation(#""valueQuantity":{"system":"http://unitsofmeasure.org","code":"g"}"#),
            profile,
            kilograms
        )
        #expect(wrong.map(\.expression) == ["Observation.value.ofType(Quantity).code"])
        #expect(try Self.errors(observation(#""valueString":"x""#), profile, kilograms).count == 1)
    }

    // MARK: Slices

    private static let identifiers = """
        {"path":"Patient.identifier","slicing":{"discriminator":[{"type":"value","path":"system"}],"rules":"closed",\
        "ordered":true}},
        {"path":"Patient.identifier","sliceName":"a","min":1,"max":"1"},
        {"path":"Patient.identifier.system","min":1,"fixedUri":"urn:a"},
        {"path":"Patient.identifier.value","min":1},
        {"path":"Patient.identifier","sliceName":"b","min":0,"max":"1"},
        {"path":"Patient.identifier.system","min":1,"fixedUri":"urn:b"}
        """

    @Test(
        "slices by a value: how many, closed, in order",
        arguments: [
            (#"{"system":"urn:a","value":"1"}"#, 0),
            (#"{"system":"urn:a","value":"1"},{"system":"urn:b"}"#, 0),
            (#"{"system":"urn:b"}"#, 1),
            (#"{"system":"urn:a"}"#, 1),
            (#"{"system":"urn:a","value":"1"},{"system":"urn:a","value":"2"}"#, 1),
            (#"{"system":"urn:a","value":"1"},{"system":"urn:c"}"#, 1),
            (#"{"system":"urn:b"},{"system":"urn:a","value":"1"}"#, 1),
        ]
    )
    func slices(identifiers: String, count: Int) throws {
        let profile = try Self.profile("Patient", Self.identifiers)
        let errors = try Self.errors(Self.patient(#""identifier":[\#(identifiers)]"#), profile)
        #expect(errors.count == count, "\(errors)")
    }

    @Test("slices of extensions by their definitions, and of a choice by type")
    func implicitSlices() throws {
        let definition = "http://example.org/StructureDefinition/e"
        let profile = try Self.profile(
            "Patient",
            """
            {"path":"Patient.extension","sliceName":"e","min":1,"max":"1",\
            "type":[{"code":"Extension","profile":["\(definition)"]}]},
            {"path":"Patient.deceasedBoolean","min":1,"fixedBoolean":true}
            """
        )
        let part = try Self.profile(
            "Extension",
            url: definition,
            """
            {"path":"Extension.extension","max":"0"},{"path":"Extension.url","fixedUri":"\(definition)"},
            {"path":"Extension.value[x]","min":1,"type":[{"code":"code"}]}
            """
        )
        let good = #""extension":[{"url":"\#(definition)","valueCode":"x"}],"deceasedBoolean":true"#
        #expect(try Self.errors(Self.patient(good), profile, part).isEmpty)
        let wrong = #""extension":[{"url":"\#(definition)","valueString":"x"}],"deceasedBoolean":false"#
        let errors = try Self.errors(Self.patient(wrong), profile, part)
        #expect(errors.contains { $0.expression == "Patient.extension[0].value.ofType(string)" }, "\(errors)")
        #expect(errors.contains { $0.expression == "Patient.deceased.ofType(boolean)" }, "\(errors)")
        #expect(try Self.errors(Self.patient(#""deceasedBoolean":true"#), profile, part).count == 1)
    }

    @Test("slices that are sliced again")
    func reslicing() throws {
        let profile = try Self.profile(
            "Patient",
            """
            {"path":"Patient.telecom","slicing":{"discriminator":[{"type":"value","path":"system"}],"rules":"open"}},
            {"path":"Patient.telecom","sliceName":"phone","slicing":\
            {"discriminator":[{"type":"value","path":"use"}],"rules":"open"}},
            {"path":"Patient.telecom.system","min":1,"fixedCode":"phone"},
            {"path":"Patient.telecom","sliceName":"phone/home","min":1,"max":"1"},
            {"path":"Patient.telecom.use","min":1,"fixedCode":"home"}
            """
        )
        let home = #"{"system":"phone","use":"home"}"#
        #expect(try Self.errors(Self.patient(#""telecom":[\#(home),{"system":"email"}]"#), profile).isEmpty)
        let errors = try Self.errors(Self.patient(#""telecom":[{"system":"phone","use":"work"}]"#), profile)
        #expect(errors.count == 1 && errors[0].text.contains("phone/home"), "\(errors)")
        #expect(try Self.errors(Self.patient(#""telecom":[\#(home),\#(home)]"#), profile).count == 1)
    }

    @Test("slices by type, existence and profile")
    func discriminators() throws {
        let female = "http://example.org/StructureDefinition/f"
        let profile = try Self.profile(
            "Bundle",
            """
            {"path":"Bundle.entry","slicing":{"discriminator":[{"type":"profile","path":"resource"}],"rules":"open"}},
            {"path":"Bundle.entry","sliceName":"f","min":1},
            {"path":"Bundle.entry.resource","min":1,"type":[{"code":"Patient","profile":["\(female)"]}]},
            {"path":"Bundle.link","slicing":{"discriminator":[{"type":"exists","path":"extension"}],"rules":"open"}},
            {"path":"Bundle.link","sliceName":"plain","max":"1"},
            {"path":"Bundle.link.extension","max":"0"}
            """
        )
        let other = try Self.profile(
            "Patient",
            url: female,
            #"{"path":"Patient.gender","min":1,"fixedCode":"female"}"#
        )
        func bundle(_ gender: String, links: Int) -> String {
            let link = Array(repeating: #"{"relation":"self","url":"urn:x"}"#, count: links).joined(
                separator: ","
            )
            return """
                {"resourceType":"Bundle","type":"collection","link":[\(link)],"entry":[{"fullUrl":"urn:uuid:\
                9f2a1c1e-0d3b-4a50-9c1f-6a1b2c3d4e5f","resource":{"resourceType":"Patient","gender":"\(gender)"}}]}
                """
        }
        #expect(try Self.errors(bundle("female", links: 1), profile, other).isEmpty)
        #expect(try Self.errors(bundle("male", links: 1), profile, other).count == 1)
        #expect(try Self.errors(bundle("female", links: 2), profile, other).count == 1)
    }

    // MARK: References, rules, extensions

    @Test("what a reference is to conforms to one of the profiles of targets")
    func references() throws {
        let target = "http://example.org/StructureDefinition/t"
        let profile = try Self.profile(
            "Observation",
            #"{"path":"Observation.subject","type":[{"code":"Reference","targetProfile":["\#(target)"]}]}"#
        )
        let named = try Self.profile("Patient", url: target, #"{"path":"Patient.name","min":1}"#)
        func observation(_ patient: String) -> String {
            """
            {"resourceType":"Observation","status":"final","code":{"text":"x"},"subject":{"reference":"#p"},
            "contained":[{"resourceType":"Patient","id":"p"\(patient)}]}
            """
        }
        #expect(try Self.errors(observation(#","name":[{"text":"x"}]"#), profile, named).isEmpty)
        #expect(try Self.errors(observation(""), profile, named).map(\.expression) == ["Observation.subject"])
    }

    @Test("rules of a profile, and those of the profiles that it is derived from")
    func rules() throws {
        let base = try Self.profile(
            "Patient",
            url: "http://example.org/StructureDefinition/base",
            """
            {"path":"Patient","constraint":[{"key":"b-1","severity":"error","human":"Needs a name.",\
            "expression":"name.exists()"}]}
            """
        )
        let profile = try Self.profile(
            "Patient",
            base: "http://example.org/StructureDefinition/base",
            """
            {"path":"Patient","constraint":[{"key":"p-1","severity":"error","human":"Is active.",\
            "expression":"active = true"}]}
            """
        )
        let errors = try Self.errors(Self.patient(#""active":false"#), base, profile)
        #expect(errors.map(\.rule) == ["b-1", "p-1"])
        #expect(errors[0].text.hasPrefix("b-1: Needs a name"))
    }

    @Test("a rule that asks for its own profile again and again ends")
    func circularRule() throws {
        let profile = try Self.profile(
            "Patient",
            """
            {"path":"Patient","constraint":[{"key":"p-1","severity":"error","human":"Is itself.",\
            "expression":"conformsTo('\(Self.url)') and active"},{"key":"p-2","severity":"error",\
            "human":"Is active.","expression":"active"}]}
            """
        )
        #expect(try Self.errors(Self.patient(#""active":false"#), profile).contains { $0.rule == "p-2" })
    }

    @Test(
        "a code is in a value set by the rules of its code system, or not checked",
        arguments: [
            (#","compose":{"include":[{"system":"http://example.org/c"}]}"#, "ab", 0),
            (#","compose":{"include":[{"system":"http://example.org/c"}]}"#, "abc", 1), ("", "abc", 0),
        ]
    )
    func bindings(compose: String, code: String, count: Int) throws {
        let profile = try Self.profile(
            "Patient",
            """
            {"path":"Patient.maritalStatus",
            "binding":{"strength":"required","valueSet":"http://example.org/v"}}
            """
        )
        let valueSet = try AnyResource(
            parsing: #"{"resourceType":"ValueSet","url":"http://example.org/v","status":"active"\#(compose)}"#
        )
        let codes = try AnyResource(
            parsing: """
                {"resourceType":"CodeSystem","url":"http://example.org/c","status":"active",
                "content":"complete","caseSensitive":false,"concept":[{"code":"AB"}]}
                """
        )
        let status = #""maritalStatus":{"coding":[{"system":"http://example.org/c","code":"\#(code)"}]}"#
        #expect(try Self.errors(Self.patient(status), profile, valueSet, codes).count == count)
    }

    @Test("extensions stand where their definitions say")
    func contexts() throws {
        let definition = try AnyResource(
            parsing: """
                {"resourceType":"StructureDefinition","url":"http://example.org/e","name":"E","status":"active",
                "kind":"complex-type","abstract":false,"type":"Extension","derivation":"constraint",
                "baseDefinition":"http://hl7.org/fhir/StructureDefinition/Extension",
                "context":[{"type":"element","expression":"HumanName"},
                {"type":"fhirpath","expression":"Patient.contact.where(gender = 'male')"}],
                "differential":{"element":[{"path":"Extension.url","fixedUri":"http://example.org/e"}]}}
                """
        )
        let definitions = FHIRDefinitions()
        definitions.add(definition)
        var options = ValidationOptions()
        options.definitions = definitions
        let part = #""extension":[{"url":"http://example.org/e","valueCode":"x"}]"#
        for (members, count) in [
            (#""name":[{\#(part)}]"#, 0), (#""address":[{\#(part)}]"#, 1), (part, 1),
            (#""contact":[{"gender":"male","name":{"text":"x"},\#(part)}]"#, 0),
            (#""contact":[{"gender":"female","name":{"text":"x"},\#(part)}]"#, 1),
        ] {
            let issues = ValidationIssue.all(of: try JSONValue(parsing: Self.patient(members)), options)
            #expect(issues.count(where: \.isError) == count, "\(members): \(issues)")
        }
    }

    @Test("an unknown profile is an error if it is requested, a warning if it is claimed")
    func unknown() throws {
        let asked = try Self.errors(Self.patient(#""active":true"#))
        #expect(asked.map(\.code) == [.notFound])
        let claimed = try JSONValue(
            parsing: Self.patient(#""active":true,"meta":{"profile":["http://example.org/unknown"]}"#)
        )
        let issues = ValidationIssue.all(of: claimed)
        #expect(issues.map(\.severity) == [.warning] && issues[0].text.contains("http://example.org/unknown"))
    }

    @Test("vital signs have the profile of their code without a claim")
    func vitalSigns() throws {
        func weight(_ unit: String) throws -> [ValidationIssue] {
            ValidationIssue.all(
                of: try JSONValue(
                    parsing: """
                        {"resourceType":"Observation","status":"final","category":[{"coding":[{"code":"vital-signs",
                        "system":"http://terminology.hl7.org/CodeSystem/observation-category"}]}],
                        "code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}]},
                        "subject":{"reference":"Patient/1"},"effectiveDateTime":"2026-01-01",
                        "valueQuantity":{"value":1,"unit":"\(unit)","system":"http://unitsofmeasure.org","code":"\(unit)"}}
                        """
                )
            ).filter(\.isError)
        }
        #expect(try weight("kg").isEmpty)
        var options = ValidationOptions()
        options.validateCode = { code, _, valueSet in
            valueSet.contains("ucum-bodyweight")
                && !["g", "kg", "[lb_av]"].contains(code)
                ? .invalid(reason: "another unit") : .valid(display: nil)
        }
        let stone = try JSONValue(
            parsing:
                #"{"resourceType":"Observation","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}]}}"#
        )
        #expect(
            ValidationIssue.all(of: stone, options).contains { $0.text.contains("vitalsigns") && $0.isError }
        )
    }

    private static func rule(_ expression: String) throws -> AnyResource {
        let rule = #"{"key":"r","severity":"error","human":"h","expression":"\#(expression)"}"#
        return try profile("Patient", #"{"path":"Patient","constraint":[\#(rule)]}"#)
    }

    @Test(
        "a rule that cannot be evaluated is told, also where what follows would decide it",
        arguments: [
            "name.single().exists() or gender", "(name.single().exists() and birthDate.exists()).not()",
            "gender.matches('(') or active",
        ]
    )
    func failingRules(expression: String) throws {
        let definitions = FHIRDefinitions()
        definitions.add(try Self.rule(expression))
        var options = ValidationOptions()
        options.definitions = definitions
        options.profiles = [Self.url]
        let patient = Self.patient(#""gender":"male","active":true,"name":[{"text":"x"},{"text":"y"}]"#)
        let issues = ValidationIssue.all(of: try JSONValue(parsing: patient), options)
        #expect(issues.contains { $0.text.contains("cannot be evaluated") }, "\(issues)")
    }

    @Test(
        "a rule does not take for a value what FHIRPath does not see",
        arguments: [
            (#""deceased":true"#, "deceased.exists()"), (#""_deceasedBoolean":"x""#, "deceased.exists()"),
            (#""_deceased":{"id":"x"}"#, "deceased.exists()"), (#""_name":{"id":"x"}"#, "name.exists()"),
            (#""_birthDate":"x""#, "birthDate.exists()"),
        ]
    )
    func unseenValues(member: String, expression: String) throws {
        let errors = try Self.errors(Self.patient(#""active":true,"# + member), try Self.rule(expression))
        #expect(errors.contains { $0.rule == "r" || $0.text.contains("rule r") }, "\(errors)")
    }

    @Test("extensions of an extension's id are seen by its definition")
    func siblingOfID() throws {
        let elements = [
            #"{"path":"Extension.id","max":"0"}"#, #"{"path":"Extension.extension","max":"0"}"#,
            #"{"path":"Extension.url","fixedUri":"\#(Self.url)"}"#,
            #"{"path":"Extension.value[x]","type":[{"code":"string"}]}"#,
        ]
        let definitions = FHIRDefinitions()
        definitions.add(try Self.profile("Extension", elements.joined(separator: ",")))
        var options = ValidationOptions()
        options.definitions = definitions
        let value = #"{"_id":{"id":"q"},"url":"\#(Self.url)","valueString":"x"}"#
        let patient = Self.patient(#""active":true,"extension":[\#(value)]"#)
        let issues = ValidationIssue.all(of: try JSONValue(parsing: patient), options)
        #expect(issues.contains { $0.text.contains("at most 0 of Extension.id") }, "\(issues)")
    }
}
