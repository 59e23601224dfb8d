import FHIR
import Foundation
import Measuring
import OrderedJSON
import Surveys

/// A health check of the size and shape of the largest that clinics use: some 800 items, 8 deep, in pages; 291
/// conditions and 180 other expressions, half of which read answers elsewhere; four groups that repeat for each
/// condition, medicine, allergy and vaccine of the record; texts in XHTML that make it a megabyte.
struct HealthCheck {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let pages = 24
    /// LOINC's codes of what is measured.
    private static let measured = [
        "8302-2", "29463-7", "8280-0", "8867-4", "8884-9", "85354-9", "1747-5", "2085-9", "2093-3", "15074-8",
    ]

    private static func expression(_ url: String, _ text: String, name: String? = nil) -> JSONValue {
        var value: JSONValue = [
            "language": text.contains("{{") ? "application/x-fhir-query" : "text/fhirpath",
            "expression": JSONValue(text),
        ]
        if let name { value["name"] = JSONValue(name) }
        return ["url": JSONValue(url), "valueExpression": value]
    }

    private static func variable(_ name: String, _ text: String) -> JSONValue {
        expression(core + "variable", text, name: name)
    }

    private static func sdc(_ name: String, _ text: String) -> JSONValue { expression(sdc + name, text) }

    private static func item(
        _ linkId: String,
        _ type: String,
        _ extensions: [JSONValue] = [],
        _ items: [JSONValue] = [],
        repeats: Bool = false
    ) -> JSONValue {
        let mark = String(repeating: "<span title=\"a mark of the page\">\(linkId)</span>", count: 64)
        var item: JSONValue = [
            "linkId": JSONValue(linkId), "type": JSONValue(type), "text": JSONValue("What is \(linkId)?"),
        ]
        if type == "display" || type == "group", !linkId.hasSuffix("-row") {
            item["_text"] = [
                "extension": [
                    [
                        "url": JSONValue(core + "rendering-xhtml"),
                        "valueString": JSONValue("<div xmlns=\"http://www.w3.org/1999/xhtml\">\(mark)</div>"),
                    ]
                ]
            ]
        }
        if type == "choice" || type == "open-choice" { item["answerValueSet"] = "#states" }
        if !extensions.isEmpty { item["extension"] = JSONValue(extensions) }
        if !items.isEmpty { item["item"] = JSONValue(items) }
        if repeats { item["repeats"] = true }
        return item
    }

    /// A group with a repetition for each resource of a type.
    private static func list(_ type: String) -> JSONValue {
        let context = expression(
            sdc + "itemPopulationContext",
            "%\(type).entry.resource.where(verificationStatus.coding.all(code.empty() or code='confirmed'))",
            name: "\(type)Row"
        )
        let row = "%\(type)Row"
        let columns: [(String, String, String)] = [
            ("id", "string", "\(row).id"), ("code", "open-choice", "\(row).code.coding.first()"),
            ("state", "choice", "\(row).clinicalStatus.coding.first()"),
            ("since", "date", "\(row).recordedDate.toString().substring(0,10).toDate()"),
            ("until", "date", "\(row).abatement"), ("note", "text", "\(row).note.text"),
        ]
        let items = columns.map { name, kind, path in
            item("\(type)-\(name)", kind, [sdc("initialExpression", path)])
        }
        return item("\(type)-row", "group", [context], items, repeats: true)
    }

    private static func page(_ number: Int) -> JSONValue {
        let mark = "%resource.repeat(item).where(linkId='done-\(number)').answer.value"
        var items = [
            item("done-\(number)", "choice"),
            item("todo-\(number)", "display", [sdc("enableWhenExpression", "\(mark).empty()")]),
            item(
                "urgent-\(number)",
                "display",
                [sdc("enableWhenExpression", "\(mark).code = 'b' or \(mark).empty()")]
            ),
        ]
        var extensions = [variable("mark\(number)", mark)]
        if number < measured.count {
            let name = "Obs\(number)"
            let query = "Observation?code=\(measured[number])&_sort=-date&patient={{%patient.id}}"
            let latest = "%\(name).entry.resource.where(status = 'final' or status = 'amended').first()"
            extensions += [
                variable(name, query), variable(name + "Latest", latest),
                variable(name + "Date", "%\(name)Latest.effective.toString().substring(0,10)"),
            ]
            items += [
                item("latest-\(number)", "decimal", [sdc("initialExpression", "%\(name)Latest.value.value")]),
                item("date-\(number)", "date", [sdc("initialExpression", "%\(name)Date.toDate()")]),
                item("new-\(number)", "decimal"),
                item(
                    "today-\(number)",
                    "date",
                    [
                        sdc(
                            "calculatedExpression",
                            "iif(%resource.repeat(item).where(linkId='new-\(number)').answer.value.exists(), today())"
                        )
                    ]
                ),
            ]
        }
        // Questions for ages, the deeper ones within groups.
        var inner = (0..<8).map { index in
            item(
                "q-\(number)-\(index)",
                ["text", "choice", "boolean", "string"][index % 4],
                [
                    sdc(
                        "enableWhenExpression",
                        index % 2 == 0 ? "%age > \(index * 3)" : "%age <= \(90 - index)"
                    )
                ]
            )
        }
        for depth in 0..<4 {
            inner = [item("g-\(number)-\(depth)", "group", [], inner)]
            inner.append(
                item("h-\(number)-\(depth)", "display", [sdc("enableWhenExpression", "%age.exists()")])
            )
            inner.append(item("n-\(number)-\(depth)", "text"))
        }
        items += inner
        items.append(item("summary-\(number)", "text", [sdc("calculatedExpression", "%note\(number)")]))
        return item("page-\(number)", "group", extensions, items)
    }

    /// The questionnaire's JSON.
    static func questionnaire() -> JSONValue {
        let notes = (0..<pages).map { number in
            variable(
                "note\(number)",
                "item.where(linkId='page-\(number)').item.where(linkId='n-\(number)-3').answer.value"
            )
        }
        let root =
            notes + [
                variable("age", "item.where(linkId='start').item.where(linkId='age').answer.value"),
                variable("weight", "item.where(linkId='page-1').item.where(linkId='new-1').answer.value"),
                variable("height", "item.where(linkId='page-0').item.where(linkId='new-0').answer.value"),
            ]
        let age = sdc("calculatedExpression", "today().toString().substring(0,4).toInteger() - 1980")
        let start = item(
            "start",
            "group",
            [],
            [
                item("family", "string", [sdc("initialExpression", "%patient.name.first().family")]),
                item("born", "date", [sdc("initialExpression", "%patient.birthDate")]),
                item("age", "integer", [age]),
                item(
                    "bmi",
                    "decimal",
                    [sdc("calculatedExpression", "(%weight/((%height/100).power(2))).round(1)")]
                ),
            ]
        )
        let lists = item(
            "lists",
            "group",
            [],
            ["Condition", "MedicationStatement", "AllergyIntolerance", "Immunization"].map(list)
        )
        let queries = [
            variable("Condition", "Condition?patient={{%patient.id}}&category=problem-list-item"),
            variable("MedicationStatement", "MedicationStatement?patient={{%patient.id}}&status=active"),
            variable("AllergyIntolerance", "AllergyIntolerance?patient={{%patient.id}}"),
            variable("Immunization", "Immunization?patient={{%patient.id}}"),
        ]
        return [
            "resourceType": "Questionnaire", "status": "active", "url": "urn:example:health-check",
            "extension": JSONValue(
                queries + [
                    [
                        "url": JSONValue(sdc + "launchContext"),
                        "extension": [
                            ["url": "name", "valueCoding": ["code": "patient"]],
                            ["url": "type", "valueCode": "Patient"],
                        ],
                    ]
                ]
            ),
            "contained": [
                [
                    "resourceType": "ValueSet", "id": "states", "status": "active",
                    "expansion": [
                        "timestamp": "2026-01-01",
                        "contains": [
                            ["system": "urn:example:states", "code": "a", "display": "Complete"],
                            ["system": "urn:example:states", "code": "b", "display": "In progress"],
                            ["system": "urn:example:states", "code": "c", "display": "Attention required"],
                        ],
                    ],
                ]
            ],
            "item": [item("whole", "group", root, [start, lists] + (0..<pages).map(page))],
        ]
    }

    // MARK: The record

    /// The results of searches: resources of their types with the codes that they ask for, so many in all.
    static func results(of searches: [String], count: Int) -> [String: JSONValue] {
        var results: [String: JSONValue] = [:]
        for search in searches {
            let type = String(search.prefix { $0 != "?" && $0 != "/" })
            // Lists have fewer rows than there are measurements.
            let share = type == "Observation" ? count * 3 / 4 / observations(searches) : count / 4 / 4
            let code = search.firstMatch(of: /[?&]code=([^&,]*)/).map { String($0.1) } ?? "1"
            let entries = (0..<share).map { number -> JSONValue in
                ["resource": resource(type, number, code: code), "search": ["mode": "match"]]
            }
            results[search] = [
                "resourceType": "Bundle", "type": "searchset", "total": JSONValue(share),
                "entry": JSONValue(entries),
            ]
        }
        return results
    }

    private static func observations(_ searches: [String]) -> Int {
        max(1, searches.count { $0.hasPrefix("Observation") })
    }

    private static func resource(_ type: String, _ number: Int, code: String) -> JSONValue {
        let day = "20\(10 + number % 16)-0\(1 + number % 9)-1\(number % 10)"
        var resource: JSONValue = [
            "resourceType": JSONValue(type), "id": JSONValue("\(type.lowercased())-\(number)"),
            "code": [
                "coding": [
                    [
                        "system": type == "Observation" ? "http://loinc.org" : "http://snomed.info/sct",
                        "code": JSONValue(type == "Observation" ? code : "\(100_000 + number)"),
                        "display": JSONValue("What number \(number) is about"),
                    ]
                ],
                "text": JSONValue("What number \(number) is about"),
            ],
            "subject": ["reference": "Patient/7"], "status": type == "Observation" ? "final" : "active",
        ]
        if type == "Observation" {
            resource["effectiveDateTime"] = JSONValue("\(day)T08:00:00+10:00")
            resource["valueQuantity"] = [
                "value": JSONValue(60 + number % 40), "unit": "kg", "system": "http://unitsofmeasure.org",
                "code": "kg",
            ]
        } else {
            resource["clinicalStatus"] = ["coding": [["code": "active"]]]
            resource["verificationStatus"] = ["coding": [["code": "confirmed"]]]
            resource["recordedDate"] = JSONValue(day)
            resource["note"] = [["text": "A note of a clinician, some words long."]]
        }
        return resource
    }

    static let patient: JSONValue = [
        "resourceType": "Patient", "id": "7", "birthDate": "1980-04-01", "gender": "female",
        "name": [["family": "Reed", "given": ["Ada"]]],
        "address": [["use": "home", "line": ["1 Street"], "city": "Town", "postalCode": "4000"]],
    ]

    // MARK: Measuring

    /// Fills a questionnaire from a record of so many resources, as an app does: once to learn what is to be
    /// asked for, and once with the results. Then answers each question.
    static func measure(_ name: String, _ text: String, resources: Int) throws {
        let questionnaire = try Questionnaire(parsing: text)
        let load = ProcessorTime.best(ofTurns: 5) { Survey(questionnaire).items.count }
        let survey = Survey(questionnaire)
        let empty = SurveyContext(resources: ["patient": [patient]])
        var context = empty
        var rounds = 0
        while rounds < 5 {
            let open = SurveySession(survey, context: context).openQueries
            guard !open.isEmpty else { break }
            context.queries.merge(results(of: open, count: resources)) { $1 }
            rounds += 1
        }
        let filled = context
        let fill = ProcessorTime.ofRound(2) {
            SurveySession(survey, context: empty).openQueries.count
                + SurveySession(survey, context: filled).progress.answered
        }
        var session = SurveySession(survey, context: filled)
        let asked = filled.queries.values.reduce(0) { $0 + ($1["entry"]?.elements?.count ?? 0) }
        print(
            String(
                format:
                    "%@: %d kB, %d items, read %.1f ms; filled from %d resources of %d searches %.1f ms (target 150)",
                name,
                text.utf8.count / 1000,
                survey.items.count,
                load / 1000,
                asked,
                filled.queries.count,
                fill / 1000
            ),
            session.diagnostics.isEmpty
                ? "" : Set(session.diagnostics.map(\.code)).sorted().joined(separator: ", ")
        )
        var times: [(time: Double, linkId: String)] = []
        // Each seventh question stands for all.
        let questions = survey.items.filter { $0.isQuestion && !$0.isReadOnly }
        for (number, item) in questions.enumerated() where number % 7 == 0 {
            guard let occurrence = session.occurrences(of: item.linkId).first,
                let answer = answer(to: item)
            else { continue }
            let best = ProcessorTime.ofRound(2) {
                try? session.answer(occurrence, with: [])
                try? session.answer(occurrence, with: answer)
                return session.pageIndex
            }
            times.append((best / 2, item.linkId))
        }
        times.sort { $0.time < $1.time }
        guard let last = times.last else { return }
        print(
            String(
                format:
                    "    an answer, of %d: median %.3f ms, of 100 the second slowest %.3f ms, slowest %.3f ms (target 1)",
                times.count,
                times[times.count / 2].time / 1000,
                times[times.count * 98 / 100].time / 1000,
                last.time / 1000
            ),
            times.suffix(3).map(\.linkId).joined(separator: " ")
        )
    }

    private static func answer(to item: SurveyItem) -> [SurveyAnswer]? {
        switch item.type {
        case .string, .text: [.string("some words")]
        case .boolean: [.boolean(true)]
        case .integer: [.integer(42)]
        case .decimal: FHIRDecimal("42.5").map { [.decimal($0)] }
        case .date: FHIRDate(text: "2020-01-01").map { [.date($0)] }
        default:
            if case .listed(let options)? = item.format.options, let first = options.first {
                [first.value]
            } else {
                nil
            }
        }
    }
}
