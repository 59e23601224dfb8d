import OrderedJSON
import StudyFormats

extension ConsentDocument {
    /// Reads the package's own form.
    init?(reading json: JSONValue, _ problems: inout ObjectReader.Problems) {
        guard var reader = ObjectReader(json, "", &problems) else { return nil }
        let limit = TextLimits.title
        let id = reader.text("id", limit: limit, required: true, &problems)
        let version = reader.text("version", limit: limit, required: true, &problems)
        let title = reader.text("title", limit: limit, required: true, &problems)
        let study = reader.text("study", limit: limit, required: true, &problems)
        let organization = reader.text("organization", limit: limit, required: true, &problems)
        self.init(
            id: id ?? "",
            version: version ?? "",
            title: title ?? "",
            study: study ?? "",
            organization: organization ?? ""
        )
        language = reader.text("language", limit: 35, &problems)
        requiresSignatureImage = reader.flag("requiresSignatureImage", &problems) ?? true
        for (json, path) in reader.list("sections", limit: 200, &problems) {
            guard var reader = ObjectReader(json, path, &problems) else { continue }
            let kind = reader.text("kind", limit: limit, &problems) ?? "Custom"
            if !Section.kinds.contains(kind) {
                problems.add("the kind is not one of \(Section.kinds.joined(separator: ", "))", path, json)
            }
            let title = reader.text("title", limit: limit, required: true, &problems) ?? ""
            let summary = reader.text("summary", limit: TextLimits.body, &problems)
            let plain = reader.text("text", limit: TextLimits.body, &problems)
            let html = reader.text("html", limit: TextLimits.body, &problems)
            if plain != nil, html != nil {
                problems.add("both text and html are given; one is enough", path, json)
            }
            let text = plain ?? html.map(HTMLText.text)
            if text == nil, summary == nil { problems.add("there is no text", path, json) }
            sections.append(Section(kind: kind, title: title, summary: summary, text: text ?? ""))
            reader.reportUnknown(&problems)
        }
        for (json, path) in reader.list("sharing", limit: 50, &problems) {
            guard var reader = ObjectReader(json, path, &problems) else { continue }
            if let id = reader.text("id", limit: limit, required: true, &problems),
                let text = reader.text("text", limit: TextLimits.body, required: true, &problems),
                let recipient = reader.text("recipient", limit: limit, required: true, &problems)
            {
                sharing.append(SharingChoice(id: id, text: text, recipient: recipient))
            }
            reader.reportUnknown(&problems)
        }
        for (json, path) in reader.list("eligibility", limit: 100, &problems) {
            guard var reader = ObjectReader(json, path, &problems) else { continue }
            if let id = reader.text("id", limit: limit, required: true, &problems),
                let text = reader.text("text", limit: TextLimits.body, required: true, &problems),
                let mustBe = reader.flag("mustBe", required: true, &problems)
            {
                eligibility.append(EligibilityCriterion(id: id, text: text, mustBe: mustBe))
            }
            reader.reportUnknown(&problems)
        }
        readComprehension(&reader, &problems)
        reader.reportUnknown(&problems)
    }

    private mutating func readComprehension(
        _ reader: inout ObjectReader,
        _ problems: inout ObjectReader.Problems
    ) {
        for (json, path) in reader.list("comprehension", limit: 100, &problems) {
            guard var reader = ObjectReader(json, path, &problems) else { continue }
            let id = reader.text("id", limit: TextLimits.title, required: true, &problems)
            let text = reader.text("text", limit: TextLimits.body, required: true, &problems)
            let options = reader.list("options", limit: 20, &problems).compactMap { option, path -> String? in
                guard let text = option.string, !text.isEmpty, text.utf8.count <= TextLimits.title else {
                    problems.add("a text of at most \(TextLimits.title) bytes is expected", path, option)
                    return nil
                }
                return text
            }
            let answer = reader.text("answer", limit: TextLimits.title, required: true, &problems)
            if Set(options).count != options.count { problems.add("two options are the same", path, json) }
            if let id, let text, let answer {
                if let index = options.firstIndex(of: answer) {
                    comprehension.append(
                        ComprehensionQuestion(id: id, text: text, options: options, answer: index)
                    )
                } else {
                    problems.add("the answer is not one of the options", path, json)
                }
            }
            reader.reportUnknown(&problems)
        }
        comprehensionMinimum = comprehension.count
        if let value = reader.value("comprehensionMinimum") {
            if let number = value.integer, (0...comprehension.count).contains(number) {
                comprehensionMinimum = number
            } else {
                problems.add(
                    "a number from 0 to \(comprehension.count), of the questions, is expected",
                    reader.path("comprehensionMinimum"),
                    value
                )
            }
        }
    }

    /// Reads C3-PRO's unsigned Contract (STU3).
    init?(contract json: JSONValue, _ problems: inout ObjectReader.Problems) {
        guard json["resourceType"]?.isString("Contract") == true else {
            problems.add("this is a resource, but not a Contract", "", json)
            return nil
        }
        let contained = json.elements(of: "contained")
        func resolved(_ name: String) -> JSONValue? {
            guard let reference = json[name]?[0]?["reference"]?.string, reference.hasPrefix("#") else {
                return nil
            }
            return contained.first { $0["id"]?.string == String(reference.dropFirst()) }
        }
        func text(_ value: JSONValue?, _ path: String, _ limit: Int = TextLimits.title) -> String? {
            guard let text = value?.string else { return nil }
            if text.utf8.count > limit { problems.add("the text is longer than \(limit) bytes", path, value) }
            return text
        }
        let id = text(json["identifier"]?[0]?["value"] ?? json["id"], "id") ?? "consent"
        let version = text(json["meta"]?["versionId"] ?? json["issued"], "issued")
        if version == nil {
            problems.add("there is neither meta.versionId nor issued to know the version by", "", json)
        }
        self.init(
            id: id,
            version: version ?? "",
            title: text(json["title"], "title") ?? "Consent",
            study: text(json["identifier"]?[0]?["value"], "identifier") ?? id,
            organization: text(resolved("authority")?["name"], "authority") ?? ""
        )
        definition = json
        language = text(json["language"], "language", 35)
        let terms = json.elements(of: "term")
        if terms.count > 200 { problems.add("there are more than 200 terms", "term", json["term"]) }
        for (index, term) in terms.prefix(200).enumerated() {
            if let section = Self.section(term, "term[\(index)]", &problems) { sections.append(section) }
        }
        sharing = [
            SharingChoice(
                id: "share-widely",
                text: "My coded study data may be shared with qualified researchers worldwide.",
                recipient: "Qualified researchers worldwide"
            )
        ]
        for (index, item) in (resolved("subject")?.elements(of: "characteristic") ?? []).prefix(100)
            .enumerated()
        {
            let path = "eligibility.characteristic[\(index)]"
            guard let statement = text(item["code"]?["text"], path, TextLimits.body),
                let exclude = item["exclude"]?.boolean
            else {
                problems.add(
                    "it has no code.text or no exclude, and was left out",
                    path,
                    item,
                    isError: false
                )
                continue
            }
            let value = item["valueBoolean"]?.boolean ?? true
            eligibility.append(
                EligibilityCriterion(id: "\(index + 1)", text: statement, mustBe: value != exclude)
            )
        }
    }

    private static func section(_ term: JSONValue, _ path: String, _ problems: inout ObjectReader.Problems)
        -> Section?
    {
        let system = "http://researchkit.org/docs/Constants/ORKConsentSectionType"
        let coding = (term["type"]?.elements(of: "coding") ?? []).first {
            $0["system"].map { $0.isString(equalTo: system) } ?? true
        }
        guard let kind = coding?["code"]?.string, Section.kinds.contains(kind) else {
            problems.add(
                "its type is not a section of a consent; it was left out",
                path,
                term,
                isError: false
            )
            return nil
        }
        let url = "http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection"
        var parts: [String: String] = [:]
        for group in term.elements(of: "extension") where group["url"]?.isString(equalTo: url) == true {
            for part in group.elements(of: "extension") {
                if let name = part["url"]?.string, let value = part["valueString"]?.string {
                    parts[name] = value
                }
            }
        }
        if parts["htmlContentFile"] != nil, parts["htmlContent"] == nil {
            problems.add(
                "its content is in a file of the app (htmlContentFile), and was left out",
                path,
                term,
                isError: false
            )
        }
        let summary = term["text"]?.string
        let text = parts["htmlContent"].map(HTMLText.text)
        guard summary != nil || text != nil else {
            problems.add("it has neither text nor content, and was left out", path, term, isError: false)
            return nil
        }
        let title = parts["title"] ?? kind
        if title.utf8.count > TextLimits.title {
            problems.add("the title is longer than \(TextLimits.title) bytes", path, term)
        }
        return Section(kind: kind, title: title, summary: summary, text: text ?? "")
    }
}
