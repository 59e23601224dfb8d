import FHIR

/// The tree of a study's concepts, as i2b2's query tool shows it: each questionnaire with its groups,
/// questions and answers.
public struct Ontology: Sendable {
    /// A node of the tree.
    public struct Node: Sendable, Hashable {
        /// Where it is.
        public let path: String
        /// How deep that is.
        public let level: Int
        /// What people read.
        public let name: String
        /// The concept's code; `nil` for a folder without one.
        public let code: String?
        /// What the code stands for in full.
        public let key: String?
        /// Whether there is nothing below it.
        public let isLeaf: Bool
        /// i2b2's description of the values, XML; `nil` where there are none to ask for.
        public let valueMetadata: String?
    }

    /// The nodes; those above come before those below.
    public private(set) var nodes: [Node] = []
    /// Items that are not in the tree, and why.
    public private(set) var problems: [String] = []

    private static let root = #"\Study\"#
    private static let maximumDepth = 64

    /// Makes the tree of questionnaires, and with the node for measurements and demographics the roots of
    /// what else is loaded.
    public init(_ questionnaires: [Questionnaire]) {
        let codebook = Codebook(questionnaires)
        add(Self.root, 0, "Study")
        add(ConceptNames.surveys, 1, "Surveys")
        var seen: Set<String> = []
        for questionnaire in questionnaires {
            guard let url = questionnaire.url?.rawValue, !url.isEmpty else {
                problems.append(
                    """
                    \(questionnaire.title ?? questionnaire.name ?? "a questionnaire"): \
                    it has no url, which names its concepts
                    """
                )
                continue
            }
            let name = ConceptNames.questionnaire(url)
            guard seen.insert(name).inserted else {
                problems.append("\(url): it is there already")
                continue
            }
            add(
                ConceptNames.path(ConceptNames.surveys, [name]),
                2,
                questionnaire.title ?? questionnaire.name ?? name,
                code: ConceptNames.code("SURVEY", name),
                key: String(url.prefix { $0 != "|" })
            )
            var walk = Walk(codebook: codebook, url: url, name: name)
            walk.items(questionnaire.item, [name], 3)
            nodes += walk.nodes
            problems += walk.problems
        }
        add(ConceptNames.measurements, 1, "Measurements")
        add(#"\Study\Demographics\"#, 1, "Demographics")
    }

    private mutating func add(
        _ path: String,
        _ level: Int,
        _ name: String,
        code: String? = nil,
        key: String? = nil
    ) {
        nodes.append(
            Node(
                path: path,
                level: level,
                name: name,
                code: code,
                key: key,
                isLeaf: false,
                valueMetadata: nil
            )
        )
    }

    /// A way through a questionnaire.
    private struct Walk {
        let codebook: Codebook
        let url: String
        let name: String
        var nodes: [Node] = []
        var problems: [String] = []
        private var seen: Set<String> = []

        init(codebook: Codebook, url: String, name: String) {
            self.codebook = codebook
            self.url = url
            self.name = name
        }

        mutating func items(_ items: [Questionnaire.Item], _ above: [String], _ level: Int) {
            guard level < Ontology.maximumDepth else {
                return problems.append("\(url): items are nested too deep")
            }
            for item in items where item.type != .display {
                guard let linkID = item.linkId, !linkID.isEmpty else {
                    problems.append("\(url): an item without linkId")
                    continue
                }
                guard seen.insert(linkID).inserted, let known = codebook[url, linkID] else {
                    problems.append("\(url): two items have the linkId \(linkID)")
                    continue
                }
                let components = above + [ConceptNames.component(question: linkID)]
                let path = ConceptNames.path(ConceptNames.surveys, components)
                guard item.type != .group else {
                    nodes.append(
                        Node(
                            path: path,
                            level: level,
                            name: known.label,
                            code: nil,
                            key: nil,
                            isLeaf: false,
                            valueMetadata: nil
                        )
                    )
                    self.items(item.item, components, level + 1)
                    continue
                }
                let answers = known.standardCode == nil ? self.answers(of: item) : clinicalAnswers(of: item)
                let code = known.standardCode ?? ConceptNames.question(linkID, in: name)
                nodes.append(
                    Node(
                        path: path,
                        level: level,
                        name: known.label,
                        code: code,
                        key: known.standardCode ?? "\(url.prefix { $0 != "|" })|\(linkID)",
                        isLeaf: answers.isEmpty && item.item.isEmpty,
                        valueMetadata: ValueMetadata.xml(item, code, known.label)
                    )
                )
                for (component, code, label, key) in answers {
                    nodes.append(
                        Node(
                            path: ConceptNames.path(
                                ConceptNames.surveys,
                                components + [ConceptNames.component(answer: component)]
                            ),
                            level: level + 1,
                            name: label,
                            code: code,
                            key: key,
                            isLeaf: true,
                            valueMetadata: nil
                        )
                    )
                }
                self.items(item.item, components, level + 1)
            }
        }

        private typealias Answer = (component: String, code: String, label: String, key: String)

        private func answers(of item: Questionnaire.Item) -> [Answer] {
            guard let linkID = item.linkId else { return [] }
            func answer(_ code: String, _ label: String) -> Answer {
                (
                    code, ConceptNames.answer(code, to: linkID, in: name), label,
                    "\(url.prefix { $0 != "|" })|\(linkID)|\(code)"
                )
            }
            if item.type == .boolean { return [answer("true", "yes"), answer("false", "no")] }
            return item.answerOption.compactMap { option in
                guard let coding = option.value?.coding, let code = coding.code, !code.isEmpty else {
                    return nil
                }
                return clinical(coding) ?? answer(code, coding.display ?? code)
            }
        }

        private func clinicalAnswers(of item: Questionnaire.Item) -> [Answer] {
            item.answerOption.compactMap { $0.value?.coding.flatMap(clinical) }
        }

        /// An answer whose code is a concept of its own.
        private func clinical(_ coding: Coding) -> Answer? {
            guard let scheme = ConceptNames.scheme(coding.system?.rawValue ?? ""), scheme != "LOINC",
                let code = ConceptNames.code(coding)
            else { return nil }
            return (code, code, coding.display ?? code, code)
        }
    }
}

/// i2b2's description of a question's values, from which its query tool makes a dialog.
enum ValueMetadata {
    static func xml(_ item: Questionnaire.Item, _ code: String, _ name: String) -> String? {
        let kind: String
        switch item.type {
        case .integer: kind = "Integer"
        case .decimal, .quantity: kind = "Float"
        case .string, .text, .url, .openChoice, .date, .dateTime, .time: kind = "String"
        case .choice where ConceptNames.scheme(item.code.first?.system?.rawValue ?? "") != nil: kind = "Enum"
        default: return nil
        }
        let options = item.answerOption.compactMap { $0.value?.coding }
        let values = options.compactMap { coding in
            coding.code.map {
                #"<Val description="\#(escapedXML(coding.display ?? $0))">\#(escapedXML($0))</Val>"#
            }
        }
        let isText = kind == "String" || kind == "Enum"
        let unit = item.extensions(url: "http://hl7.org/fhir/StructureDefinition/questionnaire-unit").first?
            .value
        var unitCode: String?
        if case .coding(let coding) = unit { unitCode = coding.code }
        let loinc = code.hasPrefix("LOINC:") ? escapedXML(String(code.dropFirst(6))) : ""
        return
            "<ValueMetadata><Version>3.02</Version><CreationDateTime>01/01/2026 00:00:00</CreationDateTime>"
            + "<TestID>\(escapedXML(code))</TestID><TestName>\(escapedXML(name))</TestName>"
            + "<DataType>\(kind)</DataType><CodeType/><Loinc>\(loinc)</Loinc><Flagstouse/>"
            + "<Oktousevalues>Y</Oktousevalues><MaxStringLength>\(isText ? "255" : "")</MaxStringLength>"
            + "<LowofLowValue/><HighofLowValue/><LowofHighValue/><HighofHighValue/>"
            + "<LowofToxicValue/><HighofToxicValue/><EnumValues>\(values.joined())</EnumValues>"
            + "<CommentsDeterminingExclusion><Com/></CommentsDeterminingExclusion><UnitValues>"
            + "<NormalUnits>\(escapedXML(unitCode ?? ""))</NormalUnits><EqualUnits/><ExcludingUnits/>"
            + "<ConvertingUnits><Units/><MultiplyingFactor/></ConvertingUnits></UnitValues>"
            + "<Analysis><Enums/><Counts/><New/></Analysis></ValueMetadata>"
    }
}
