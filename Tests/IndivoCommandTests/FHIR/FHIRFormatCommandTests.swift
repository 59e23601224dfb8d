import Testing

@Suite("indivo fhir format")
struct FHIRFormatCommandTests {
    private let text = """
        { "resourceType":"Observation" ,"x":[ ],"status":"final", "_status":{"id":"a"},
          "valueQuantity":{"value":1.10,"code":"\\u0041"} }
        """
    private let compact = """
        {"resourceType":"Observation","x":[],"status":"final","_status":{"id":"a"},"valueQuantity":{"value":1.10,"code":"\\u0041"}}

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

    @Test("what is no resource ends in 2", arguments: ["{}", "[]", "{", "", "{\"resourceType\":1}"])
    func refused(_ text: String) throws {
        try Tool.use { tool in
            let result = try tool.run("fhir", "format", input: text)
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix("standard input:1:"), "\(result.errors)")
        }
    }
}
