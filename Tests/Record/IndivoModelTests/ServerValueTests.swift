import Foundation
import IndivoModel
import IndivoXML
import Testing

/// What a real server did with values and documents, and what this package says of them before they are sent.
@Suite("Values as a real server takes them")
struct ServerValueTests {
    /// A line of a table in Fixtures.
    static func rows(_ file: String) throws -> [[String]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        return lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    private static func expanded(_ text: String) -> String {
        let plain = text.replacing("\\n", with: "\n").replacing("\\t", with: "\t")
        guard let match = plain.wholeMatch(of: /(.+)\*(\d+)/), let count = Int(match.2) else { return plain }
        return String(repeating: String(match.1), count: count)
    }

    private static func model(_ name: String, _ fields: [String: String]) throws -> XMLNode {
        let model = XMLNode("Model", namespace: namespace, attributes: ["name": name])
        for (name, text) in fields.sorted(by: { $0.key < $1.key }) {
            model.appendElement("Field", namespace: namespace, attributes: ["name": name], text: text)
        }
        return XMLNode("Models", namespace: namespace).append(model)
    }

    private static let namespace = "http://indivo.org/vocab/xml/documents#"

    @Test("problems() lists what a real server refuses or cannot report, and nothing else")
    func fields() throws {
        let rows = try Self.rows("server-fields.tsv")
        var bases: [String: [String: String]] = [:]
        for row in rows where row[1] == "(base)" {
            let pairs = row[2].split(separator: "|").map {
                $0.split(separator: "=", maxSplits: 1).map(String.init)
            }
            bases[row[0]] = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
        }
        var counts: [String: Int] = [:]
        for row in rows {
            var fields = try #require(bases[row[0]])
            if row[1] != "(base)" { fields[row[1]] = row[2] == "(omitted)" ? nil : Self.expanded(row[2]) }
            var unreadable: [DocumentError] = []
            let root = try Self.model(row[0], fields)
            let document = try IndivoDocument.registered(
                for: #require(root.child(named: "Model")),
                problems: &unreadable
            )
            let problems = try document.problems()
            #expect(problems.isEmpty == (row[3] == "stored"), "\(row): \(problems)")
            #expect(row[1] == "(base)" || problems.count < 2, "\(row): \(problems)")
            counts[row[3], default: 0] += 1
            // What the library writes itself is what a server takes, or is a problem.
            let copy = try document.copy()
            copy.source = nil
            guard unreadable.isEmpty, try copy.problems().isEmpty else { continue }
            let sent = try copy.xml()
            let text = try sent.xml()
            #expect(ValidationError.Problem.found(in: sent).isEmpty, "\(row): \(text)")
        }
        #expect(
            counts["refused"] ?? 0 > 400 && counts["stored"] ?? 0 > 500 && counts["unreadable"] ?? 0 > 40,
            "\(counts)"
        )
    }

    @Test("a check of a document finds what a real server refuses, loses or cannot report")
    func documents() throws {
        let rows = try Self.rows("server-documents.tsv")
        #expect(rows.count > 250)
        for row in rows {
            let text = row[1].replacing(/\{x\*(\d+)\}/) { String(repeating: "x", count: Int($0.1) ?? 0) }
            let root = try XMLNode(parsing: text)
            let isPlain =
                root.namespace == nil && root.attr("xmlns") == nil && !text.hasPrefix("<Models xmlns=\"\"")
            let start = try #require(
                text.firstIndex { $0 == ">" || $0 == "/" && text.hasPrefix("<\(root.name)/") }
            )
            let document =
                isPlain
                ? try XMLNode(parsing: text[..<start] + " xmlns=\"\(Self.namespace)\"" + text[start...])
                : root
            var problems = ValidationError.Problem.found(in: document).map(\.description)
            problems += try IndivoSchemas.problems(of: document)?.map(\.message) ?? []
            #expect(problems.isEmpty == (row[0] == "stored"), "\(row[0]) \(row[1].prefix(300)): \(problems)")
        }
    }

    @Test(
        "a time in another zone is sent as the same instant in UTC",
        arguments: [
            ("2026-11-21T08:30:00+02:00", "2026-11-21T06:30:00Z"),
            ("2026-12-31T23:30:00.25-05:30", "2027-01-01T05:00:00.25Z"),
            ("2024-03-01T00:15:00+14:00", "2024-02-29T10:15:00Z"),
            ("2026-11-21T24:00:00Z", "2026-11-22T00:00:00Z"),
            ("2026-11-21T08:30:00+00:00", "2026-11-21T08:30:00Z"),
            (" 2026-11-21T08:30:00Z ", "2026-11-21T08:30:00Z"),
            ("2026-11-21T08:30:00.5000000000Z", "2026-11-21T08:30:00.5Z"),
        ]
    )
    func utc(text: String, sent: String) throws {
        let time = try XMLDateTime(lexical: text)
        #expect(time.lexical == text, "what was read stays as it was")
        let problem = Problem()
        problem.name = CodedValue(title: "Cough", system: .snomed, identifier: "49727002")
        problem.startDate = time
        #expect(try problem.problems().isEmpty)
        #expect(try problem.xml().xml().contains("<Field name=\"startDate\">\(sent)</Field>"))
        let procedure = ProcedureDocument()
        procedure.name = CodedText("Biopsy")
        procedure.datePerformed = time
        #expect(try procedure.problems().isEmpty)
        #expect(try procedure.xml().xml().contains("<datePerformed>\(sent)</datePerformed>"))
        let note = SimpleClinicalNoteDocument()
        note.dateOfVisit = time
        note.signatures = [.init()]
        note.signatures[0].at = time
        note.signatures[0].provider = CareProvider(name: "A", institution: "B")
        #expect(try note.problems().isEmpty)
        #expect(try note.xml().xml().contains("<at>\(sent)</at>"))
    }

    @Test(
        "a time that no server takes is a problem, whichever way it was made",
        arguments: [
            "2026-11-21T08:30:00", "2026-11-21T08:30:00.1234567Z", "2026-11-21T08:30:00.0000000001Z",
            "1899-12-31T23:59:59Z",
            "1900-01-01T00:30:00+01:00", "9999-12-31T23:30:00-01:00", "-0044-03-15T00:00:00Z",
        ]
    )
    func refusedTimes(text: String) throws {
        let problem = Problem()
        problem.name = CodedValue(title: "Cough", system: .snomed, identifier: "49727002")
        problem.startDate = try XMLDateTime(lexical: text)
        #expect(try problem.problems().map(\.property) == ["startDate"])
        let procedure = ProcedureDocument()
        procedure.name = CodedText("Biopsy")
        procedure.datePerformed = problem.startDate
        #expect(try procedure.problems().map(\.property) == ["datePerformed"])
    }

    @Test("an unchanged time keeps its text, and the check names it")
    func unchangedTime() throws {
        let base = "<Field name=\"name_title\">a</Field>"
        let text = "<Field name=\"startDate\">2026-11-21T08:30:00+02:00</Field>"
        let problem = try Problem.read(
            from: XMLNode(
                parsing:
                    """
                    <Models xmlns=\"\(Self.namespace)\"><Model \
                    name=\"Problem\">\(base)\(text)</Model></Models>
                    """
            )
        )
        problem.notes = "x"
        #expect(try problem.xml().xml().contains(text))
        #expect(
            try problem.problems().contains { $0.property == "startDate" && $0.reason.contains("not in UTC") }
        )
        problem.startDate = problem.startDate.map { XMLDateTime($0.date) }
        #expect(try problem.xml().xml().contains(">2026-11-21T06:30:00Z<"))
        #expect(try !problem.problems().contains { $0.property == "startDate" })
    }

    @Test(
        "a number that is not finite is a problem in every place",
        arguments: [Double.nan, .infinity, -.infinity]
    )
    func numbers(number: Double) throws {
        let value = MeasuredValue()
        value.type = "STEPS"
        value.unit = "steps"
        value.dateTime = "2026-11-21T08:00:00Z"
        value.value = number
        #expect(try value.problems().map(\.property) == ["value"])
        #expect(try value.problems().map(\.rule) == ["is no finite number"])
        let signs = VitalSigns()
        signs.date = "2026-11-21T08:00:00Z"
        signs.weight = VitalSign(number, "kg")
        signs.bp = BloodPressure(systolic: VitalSign(number, "mm[Hg]"), diastolic: nil)
        #expect(try Set(signs.problems().map(\.property)) == ["weight.value", "bp.systolic.value"])
        let medication = Medication()
        medication.drugName = CodedValue(title: "Aspirin", system: .rxNorm, identifier: "1191")
        medication.startDate = "2026-11-21"
        let fill = Fill()
        fill.date = "2026-11-21T08:00:00Z"
        fill.dispenseDaysSupply = number
        medication.fulfillments = [fill]
        #expect(try medication.problems().map(\.property) == ["fulfillments[0].dispenseDaysSupply"])
    }

    @Test("what stands beside the models of a document is a problem, as a server refuses it")
    func besideModels() throws {
        func document(_ beside: String, _ inside: String) throws -> SDMXDocument {
            let model =
                #"<Model name="Problem">\#(inside)<Field name="startDate">2026-11-21T08:00:00Z</Field></Model>"#
            return try SDMXDocument(
                XMLNode(parsing: #"<Models xmlns="\#(Self.namespace)">\n\#(beside)\#(model)</Models>"#)
            )
        }
        let plain = try document("", "<!-- c --><?p i?>").problems()
        for beside in ["<!-- c -->", "<?p i?>"] {
            let problems = try document(beside, "").problems().filter { !plain.contains($0) }
            #expect(problems.map(\.model) == ["Models"] && problems[0].line != nil)
            #expect(problems[0].reason.contains("beside the models"))
        }
        #expect(!plain.contains { $0.model == "Models" })
    }

    @Test("a boolean that is taken away leaves no empty field, on which a server fails")
    func emptyBoolean() throws {
        let fields = [
            "date": "2026-11-21T08:00:00Z", "dispenseDaysSupply": "30", "provider_tel_1_preferred_p": "true",
        ]
        let fill = try Fill.read(from: Self.model("Fill", fields))
        fill.provider?.telephone1?.isPreferred = nil
        #expect(try !fill.xml().xml().contains("preferred_p"))
        #expect(try fill.problems().isEmpty)
    }
}
