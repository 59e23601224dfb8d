import Foundation
import Testing

@Suite("indivo document check")
struct DocumentCheckTests {
    @Test("a document that a server takes has no problems, and what was understood is told")
    func good() throws {
        try Tool.use { tool in
            try tool.write(medications, to: "meds.xml")
            let result = try tool.run("document", "check", "meds.xml")
            #expect(result.status == 0, "\(result.output)")
            #expect(
                result.output == """
                    meds.xml: SDMX, 2 models, read as SDMXDocument
                      line 3: Medication: drugName, startDate, fulfillments (1)
                      line 17: Medication: drugName, startDate
                    meds.xml: no problems

                    """
            )
            let converted = try tool.run("document", "convert", "--to", "sdmj", "meds.xml").output
            #expect(try tool.run("document", "check", "-", input: converted).status == 0)
        }
    }

    @Test("every problem of a document is told with its line")
    func everyProblem() throws {
        try Tool.use { tool in
            try tool.write(
                """
                <Models xmlns="http://indivo.org/vocab/xml/documents#">
                <Model name="Medication">
                <Field name="name_title">Aspirin</Field>
                <Field name="drugName_system">urn:other</Field>
                <Field name="startDate">yesterday</Field>
                <Field name="endDate">2012-02-30</Field>
                <Field name="colour">blue</Field>
                <Field name="fulfillments"><Models><Model name="Fill">
                <Field name="date">never</Field>
                </Model></Models></Field>
                </Model>
                <Model name="Custom"/>
                <Model><Other/></Model>
                </Models>
                """,
                to: "bad.xml"
            )
            let result = try tool.run("document", "check", "--json", "bad.xml")
            #expect(result.status == 1)
            let file = try #require(try json(result.output).first)
            let problems = try #require(file["problems"] as? [[String: Any]])
            func has(_ line: Int, _ text: String) -> Bool {
                problems.contains {
                    $0["line"] as? Int == line && ($0["message"] as? String)?.contains(text) == true
                }
            }
            #expect(has(2, "drugName.identifier: is required"))
            #expect(has(3, "“name_title” is an older name of Medication's “drugName_title”"))
            #expect(has(4, "“urn:other” is another code system"))
            #expect(has(5, "startDate: expected a date"))
            #expect(has(6, "month 2 of 2012 has no day 30"))
            #expect(has(7, "no field “colour”"))
            #expect(has(8, "dispenseDaysSupply: is required"))
            #expect(has(9, "Fill.date: expected a date"))
            #expect(has(12, "no model “Custom” is known; name the folder of its SDML with --models"))
            #expect(has(13, "'name' is required but missing"))
            #expect(has(13, "Element 'Other': This element is not expected"))
            #expect(problems.count == 11, "\(problems)")
            let text = try tool.run("document", "check", "bad.xml").output
            #expect(text.contains("bad.xml:5: error: Medication.startDate"))
            #expect(text.hasSuffix("bad.xml: 10 problems, 1 warning\n"))
        }
    }

    @Test("an older name of a field is a warning, unless warnings are asked to count")
    func olderNames() throws {
        try Tool.use { tool in
            try tool.write(medications.replacing("drugName_title", with: "name_title"), to: "old.xml")
            let result = try tool.run("document", "check", "old.xml")
            #expect(result.status == 0)
            #expect(result.output.contains("old.xml:4: warning: “name_title” is an older name"))
            #expect(result.output.hasSuffix("old.xml: no problems, 2 warnings\n"))
            #expect(try tool.run("document", "check", "--strict", "old.xml").status == 1)
        }
    }

    @Test("typed documents and answers of servers are checked against their schemas")
    func nested() throws {
        try Tool.use { tool in
            let start = "<Equipment xmlns=\"http://indivo.org/vocab/xml/documents#\">"
            try tool.write("\(start)<name>Pacemaker</name></Equipment>", to: "good.xml")
            try tool.write(
                "\(start)\n<dateStarted>soon</dateStarted>\n<vendor>Acme</vendor></Equipment>",
                to: "bad.xml"
            )
            try tool.write("<Equipment><name>x</name></Equipment>", to: "nowhere.xml")
            try tool.write(
                "<Records><Record id=\"1\" label=\"x\"/>\n<Record label=\"y\"/></Records>",
                to: "records.xml"
            )
            let good = try tool.run("document", "check", "good.xml")
            #expect(good.status == 0)
            #expect(good.output.contains("Equipment, read as EquipmentDocument\n  line 1: Equipment: name\n"))
            let bad = try tool.run("document", "check", "bad.xml")
            #expect(bad.status == 1)
            #expect(bad.output.contains("bad.xml:2: error: EquipmentDocument.dateStarted: expected a date"))
            #expect(bad.output.contains("bad.xml:3: error: Element 'vendor': This element is not expected"))
            #expect(try tool.run("document", "check", "nowhere.xml").output.contains("in the namespace"))
            let records = try tool.run("document", "check", "records.xml")
            #expect(records.status == 1)
            #expect(records.output.contains("records.xml:2: error: "))
        }
    }

    @Test("what is not well-formed is a problem with line and column, in XML and in JSON")
    func notWellFormed() throws {
        try Tool.use { tool in
            try tool.write("<Models>\n<Model>\n</Models>", to: "broken.xml")
            try tool.write("[{\"__modelname__\": \"Fill\",\n \"date\": }]", to: "broken.json")
            let result = try tool.run("document", "check", "broken.xml", "broken.json")
            #expect(result.status == 1)
            #expect(result.output.contains("broken.xml:3:"))
            #expect(result.output.contains("broken.json:2:"))
        }
    }

    @Test("a file that cannot be read ends in 2, and the others are checked all the same")
    func unreadable() throws {
        try Tool.use { tool in
            try tool.write(medications, to: "meds.xml")
            let result = try tool.run("document", "check", "missing.xml", ".", "meds.xml")
            #expect(result.status == 2)
            #expect(result.errors.contains("missing.xml: there is no such file"))
            #expect(result.output.contains("meds.xml: no problems"))
            #expect(try tool.run("document", "check").status == 2)
        }
    }

    @Test("models of a user's own are known by the folder of their SDML")
    func customModels() throws {
        try Tool.use { tool in
            try tool.write(sleepModel, to: "models/sleep.sdml")
            try tool.write(
                #"{"SleepNight": {"fields": {"score": {"required": true}}}}"#,
                to: "models/sleep.notes.json"
            )
            try tool.write(sleepNight, to: "night.xml")
            let good = try tool.run("document", "check", "--models", "models", "night.xml")
            #expect(good.status == 0, "\(good.output)")
            #expect(good.output.contains("SleepNight: started, score, phases (2)"))
            let bad = sleepNight.replacing("0.80", with: "high").replacing(">20<", with: ">some<")
            try tool.write(bad, to: "bad.xml")
            let result = try tool.run("document", "check", "--models", "models", "bad.xml")
            #expect(result.status == 1)
            #expect(
                result.output.contains(
                    "bad.xml:4: error: SleepNight.score: expected a number: “high” is not one"
                )
            )
            #expect(result.output.contains("SleepPhase.minutes: expected a number: “some” is not one"))
            let without = sleepNight.replacing("<Field name=\"score\">0.80</Field>", with: "")
            try tool.write(without, to: "without.xml")
            #expect(
                try tool.run("document", "check", "--models", "models", "without.xml").output
                    .contains("SleepNight.score: is required")
            )
            #expect(try tool.run("document", "check", "night.xml").status == 1)
            let nowhere = try tool.run("document", "check", "--models", "nowhere", "night.xml")
            #expect(nowhere.status == 2)
            #expect(nowhere.errors.contains("nowhere"))
        }
    }
}

let sleepModel = """
    [{"__modelname__": "SleepNight", "started": "Date", "score": "Number", "quality": "CodedValue",
      "phases": [{"__modelname__": "SleepPhase", "minutes": "Number"}]}]
    """

let sleepNight = """
    <Models xmlns="http://indivo.org/vocab/xml/documents#">
      <Model name="SleepNight">
        <Field name="started">2012-01-01T22:00:00Z</Field>
        <Field name="score">0.80</Field>
        <Field name="phases">
          <Models>
            <Model name="SleepPhase"><Field name="minutes">90</Field></Model>
            <Model name="SleepPhase"><Field name="minutes">20</Field></Model>
          </Models>
        </Field>
      </Model>
    </Models>
    """
