import Testing

@Suite("indivo fhir path")
struct FHIRPathCommandTests {
    private let patient = """
        {"resourceType":"Patient","birthDate":"1974-12-25","name":[{"given":["Ada","Bea"],"family":"Ü"}],\
        "multipleBirthInteger":2}
        """

    @Test("each item is a line of JSON, dates and quantities as strings")
    func items() throws {
        try Tool.use { tool in
            try tool.write(patient, to: "patient.json")
            #expect(try tool.run("fhir", "path", "name.given", "patient.json").output == "\"Ada\"\n\"Bea\"\n")
            #expect(try tool.run("fhir", "path", "birthDate", "patient.json").output == "\"1974-12-25\"\n")
            #expect(
                try tool.run("fhir", "path", "birthDate + 1 year", "-", input: patient).output
                    == "\"1975-12-25\"\n"
            )
            let name = try tool.run("fhir", "path", "name | 1.10 | true", input: patient)
            #expect(name.output == "{\"given\":[\"Ada\",\"Bea\"],\"family\":\"Ü\"}\n1.10\ntrue\n")
            #expect(name.status == 0)
            #expect(try tool.run("fhir", "path", "-name.given.count()", "patient.json").output == "-2\n")
            #expect(try tool.run("fhir", "path", "-3 = -3", input: patient).output == "true\n")
            #expect(try tool.run("fhir", "path", "name", "patient.json", "another.json").status == 2)
            #expect(try tool.run("fhir", "path").status == 2)
        }
    }

    @Test("an empty result ends in 1 and prints nothing")
    func empty() throws {
        try Tool.use { tool in
            let result = try tool.run("fhir", "path", "photo", input: patient)
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.errors.isEmpty)
        }
    }

    @Test(
        "a wrong expression ends in 2 with its line and column",
        arguments: [
            ("name.given(", "expression:1:12: error: "), ("'ü' +\n  foo()", "expression:2:3: error: "),
            ("%nothing", "expression:1:1: error: "),
        ]
    )
    func wrong(_ expression: String, _ start: String) throws {
        try Tool.use { tool in
            let result = try tool.run("fhir", "path", expression, input: patient)
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix(start), "\(result.errors)")
        }
    }

    @Test("an evaluation that fails ends in 3 with the position")
    func failing() throws {
        try Tool.use { tool in
            let result = try tool.run("fhir", "path", "name.given.single()", input: patient)
            #expect(result.status == 3)
            #expect(result.errors.hasPrefix("expression:1:12: error: "), "\(result.errors)")
        }
    }

    @Test("a file that cannot be read ends in 2")
    func unreadable() throws {
        try Tool.use { tool in
            let broken = try tool.run("fhir", "path", "name", input: "{\"a\":\n}")
            #expect(broken.status == 2)
            #expect(broken.errors.hasPrefix("standard input:2:1: error: "), "\(broken.errors)")
            #expect(try tool.run("fhir", "path", "name", "missing.json").status == 2)
            #expect(try tool.run("fhir", "path").status == 2)
        }
    }
}
