import Foundation
import Testing

@Suite("indivo generate")
struct GenerateCommandTests {
    @Test("classes are written, and found up to date afterwards")
    func generate() throws {
        try Tool.use { tool in
            try tool.write(sleepModel, to: "models/sleep.sdml")
            let result = try tool.run("generate", "models", "--output", "classes")
            #expect(result.status == 0, "\(result.errors)")
            #expect(try tool.read("classes/SleepNight.swift").contains("class SleepNight: IndivoDocument"))
            #expect(try tool.run("generate", "models", "--output", "classes", "--check").status == 0)
            try tool.write(sleepModel.replacing("score", with: "grade"), to: "models/sleep.sdml")
            let stale = try tool.run("generate", "models", "--output", "classes", "--check")
            #expect(stale.status == 1)
            #expect(stale.errors.contains("classes/SleepNight.swift: error:"))
        }
    }

    @Test("errors in models end in 1 with their places, wrong arguments in 2")
    func errors() throws {
        try Tool.use { tool in
            try tool.write("[{\"__modelname__\": \"A\", \"x\": \"Nonsense\"}]", to: "a.sdml")
            let wrong = try tool.run("generate", "a.sdml", "--output", "classes")
            #expect(wrong.status == 1)
            #expect(wrong.errors.contains("a.sdml:1:"))
            #expect(try tool.run("generate").status == 2)
            #expect(try tool.run("generate", "missing.sdml", "--output", "classes").status == 2)
            #expect(try tool.run("generate", "--bogus").status == 2)
            #expect(try tool.run("generate", "--help").output.hasPrefix("USAGE: indivo generate"))
        }
    }
}
