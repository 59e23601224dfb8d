import Testing

@Suite("A server whose files are not there")
struct FailedStartTests {
    @Test(
        "says so as an error, and ends with 2",
        arguments: [
            ["sandbox", "--ui-port", "0", "--load", "missing"], ["fhir", "serve", "--load", "missing"],
            ["study", "serve", "--config", "missing"],
        ]
    )
    func missing(_ command: [String]) throws {
        try Tool.use { tool in
            let result = try tool.run(command + ["--port", "0"])
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("error: ") && result.errors.contains("missing"))
            #expect(result.output.isEmpty)
        }
    }
}
