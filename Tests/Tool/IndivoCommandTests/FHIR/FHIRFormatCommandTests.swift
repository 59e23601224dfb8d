import Testing

@Suite("indivo fhir format")
struct FHIRFormatCommandTests {
    private let text = """
        { "resourceType":"Observation" ,"x":[ ],"status":"final", "_status":{"id":"a"},
          "valueQuantity":{"value":1.10,"code":"\\u0041"} }
        """
    private let compact = """
        {"resourceType":"Observation","x":[],"status":"final","_status":{"id":"a"},\
        "valueQuantity":{"value":1.10,"code":"\\u0041"}}

        """

    @Test("white space changes, and nothing else")
    func lossless() throws {
        try Tool.use { tool in
            let pretty = try tool.run("fhir", "format", input: text)
            #expect(pretty.status == 0)
            #expect(pretty.output.hasPrefix("{\n  \"resourceType\": \"Observation\",\n  \"x\": [],\n"))
            #expect(try tool.run("fhir", "format", "--json", input: text).output == pretty.output)
            try tool.write(pretty.output, to: "observation.json")
            #expect(try tool.run("fhir", "format", "--compact", "observation.json").output == compact)
        }
    }

    @Test("XML is written and read, and is the same resource")
    func xml() throws {
        try Tool.use { tool in
            let json =
                "{\"resourceType\":\"Observation\",\"status\":\"final\",\"valueQuantity\":{\"value\":1.10}}\n"
            let xml = try tool.run("fhir", "format", "--xml", input: json)
            #expect(xml.status == 0)
            #expect(xml.output.contains("<value value=\"1.10\"/>\n"), "\(xml.output)")
            try tool.write(xml.output, to: "observation.xml")
            #expect(try tool.run("fhir", "format", "--compact", "observation.xml").output == json)
            #expect(try tool.run("fhir", "path", "value.value", "observation.xml").output == "1.10\n")
            let check = try tool.run("fhir", "check", "observation.xml")
            #expect(check.status == 1)
            #expect(
                check.output.contains("observation.xml:2:1: error: Observation: Observation needs code"),
                "\(check.output)"
            )
        }
    }

    @Test("what XML cannot carry, and what is no XML of FHIR, ends in 2 with its position")
    func xmlErrors() throws {
        try Tool.use { tool in
            let unknown = try tool.run(
                "fhir",
                "format",
                "--xml",
                input: "{\"resourceType\":\"Patient\",\n\"x\":1}"
            )
            #expect(unknown.status == 2)
            #expect(unknown.output.isEmpty)
            #expect(unknown.errors.hasPrefix("standard input:2:"), "\(unknown.errors)")
            let broken = try tool.run(
                "fhir",
                "format",
                input: "<Patient xmlns='http://hl7.org/fhir'>\n<x/></Patient>"
            )
            #expect(broken.status == 2)
            #expect(broken.errors.hasPrefix("standard input:2:1: error: Patient: "), "\(broken.errors)")
        }
    }

    @Test("what is no resource ends in 2", arguments: ["{}", "[]", "{", "", "{\"resourceType\":1}"])
    func refused(_ text: String) throws {
        try Tool.use { tool in
            let result = try tool.run("fhir", "format", input: text)
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix("standard input:1:"), "\(result.errors)")
        }
    }

    private let patient = """
        <?xml version="1.0" encoding="UTF-8"?>
        <Patient xmlns="http://hl7.org/fhir">
          <id value="7"/>
          <text>
            <status value="generated"/>
            <div xmlns="http://www.w3.org/1999/xhtml"><p>a</p></div>
          </text>
          <birthDate id="b" value="1970-01"/>
        </Patient>

        """

    @Test("a resource becomes XML, and JSON again")
    func formats() throws {
        try Tool.use { tool in
            let json = try tool.run("fhir", "format", "--compact", input: patient)
            #expect(json.status == 0, "\(json.errors)")
            #expect(
                json.output == #"""
                    {"resourceType":"Patient","id":"7","text":{"status":"generated","div":"<div \#
                    xmlns=\"http://www.w3.org/1999/xhtml\"><p>a</p></div>"},"birthDate":"1970-01",\#
                    "_birthDate":{"id":"b"}}

                    """#
            )
            let again = try tool.run("fhir", "format", "--xml", input: json.output)
            #expect(again.status == 0, "\(again.errors)")
            #expect(again.output == patient)
            let birth = try tool.run("fhir", "path", "birthDate | id", input: patient)
            #expect(birth.output == "\"1970-01\"\n\"7\"\n")
        }
    }
}
