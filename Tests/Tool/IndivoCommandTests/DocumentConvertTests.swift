import Foundation
import Testing

@Suite("indivo document convert")
struct DocumentConvertTests {
    @Test("SDMX to SDMJ and back is the same document")
    func roundTrip() throws {
        try Tool.use { tool in
            try tool.write(medications, to: "meds.xml")
            let sdmj = try tool.run("document", "convert", "--to", "sdmj", "meds.xml")
            #expect(sdmj.status == 0)
            let models = try json(sdmj.output)
            #expect(models.count == 2)
            #expect(models[0]["__modelname__"] as? String == "Medication")
            // Digits stay as they were written.
            #expect(sdmj.output.contains("\"dispenseDaysSupply\": 30.0"))
            let sdmx = try tool.run("document", "convert", "--to", "sdmx", "-", input: sdmj.output)
            #expect(sdmx.output == medications)
        }
    }

    @Test("models of a user's own have their types by SDML")
    func customModels() throws {
        try Tool.use { tool in
            try tool.write(sleepModel, to: "models/sleep.sdml")
            try tool.write(sleepNight, to: "night.xml")
            let plain = try tool.run("document", "convert", "--to", "sdmj", "night.xml")
            #expect(plain.output.contains("\"score\": \"0.80\""))
            let typed = try tool.run("document", "convert", "--to", "sdmj", "--models", "models", "night.xml")
            #expect(typed.output.contains("\"score\": 0.80"))
            #expect(typed.output.contains("\"minutes\": 90"))
            let back = try tool.run("document", "convert", "--to", "sdmx", "-", input: typed.output)
            let canonical = try tool.run(
                "format",
                "--canonical",
                input: tool.run("format", input: sleepNight).output
            )
            #expect(try tool.run("format", "--canonical", input: back.output).output == canonical.output)
        }
    }

    @Test("--current-names writes older names as today's")
    func currentNames() throws {
        try Tool.use { tool in
            let old = medications.replacing("drugName_title", with: "name_title")
            let result = try tool.run(
                "document",
                "convert",
                "--to",
                "sdmx",
                "--current-names",
                "-",
                input: old
            )
            #expect(result.output == medications)
            #expect(try tool.run("document", "convert", "--to", "sdmx", "-", input: old).output == old)
        }
    }

    @Test("values that cannot be read and fields that nobody knows come through")
    func nothingIsLost() throws {
        try Tool.use { tool in
            let odd = medications.replacing("2012-03-01", with: "in spring").replacing(
                "endDate",
                with: "colour"
            )
            let sdmj = try tool.run("document", "convert", "--to", "sdmj", "-", input: odd)
            #expect(sdmj.status == 0)
            #expect(
                try tool.run("document", "convert", "--to", "sdmx", "-", input: sdmj.output).output == odd
            )
        }
    }

    @Test(
        "what cannot be converted ends in 2, names the place, and prints nothing",
        arguments: ["<Models><Model></Models>", "<Equipment/>", "[{\"a\": 1}]", "[1", "", "<Models"]
    )
    func broken(_ text: String) throws {
        try Tool.use { tool in
            try tool.write(text, to: "broken")
            let result = try tool.run("document", "convert", "--to", "sdmj", "broken")
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("broken:"))
            #expect(result.errors.contains("indivo document check broken"))
        }
    }

    @Test("an unknown form is refused")
    func unknownForm() throws {
        try Tool.use { tool in
            let unknown = try tool.run("document", "convert", "--to", "rdf", "-")
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("sdmx"))
            #expect(try tool.run("document", "convert", "-").status == 2)
        }
    }
}
