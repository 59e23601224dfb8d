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
        /// What its values are; `nil` where there are none to ask for.
        var values: ValueMetadata?
        /// What the node selects, where that is not a concept.
        var column: Column?
        /// Whether it selects nothing itself.
        var isContainer = false

        /// i2b2's description of the values, XML; `nil` where there are none to ask for.
        public var valueMetadata: String? { values?.xml(code ?? "", name) }
    }

    /// A condition on a column of the patients.
    struct Column: Sendable, Hashable {
        let name: String
        let comparison: String
        let value: String
    }

    /// The nodes; those above come before those below.
    public private(set) var nodes: [Node] = []
    /// Items that are not in the tree, and why.
    public private(set) var problems: [String] = []

    static let root = #"\Study\"#
    private static let maximumDepth = 64

    /// Makes the tree of questionnaires and demographics, and the root of the measurements.
    ///
    /// - Parameter includesMeasurements: Whether the measurements that are known without a questionnaire are
    ///   in it. A warehouse adds those of which it has facts.
    public init(_ questionnaires: [Questionnaire], includesMeasurements: Bool = false) {
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
        if includesMeasurements {
            for (code, measurement) in KnownMeasurements.all.sorted(by: { $0.key < $1.key }) {
                nodes.append(Self.node(code, measurement))
            }
        }
        addDemographics()
    }

    /// Replaces the units of numbers, by the codes of their concepts.
    mutating func eachNumber(_ unit: (_ code: String, _ declared: String?) throws -> String?) rethrows {
        for index in nodes.indices {
            guard let code = nodes[index].code, nodes[index].values?.isNumber == true else { continue }
            let declared = nodes[index].values?.unit
            nodes[index].values?.unit = try unit(code, declared)
            nodes[index].values?.molarMass = KnownMeasurements[code]?.molarMass
        }
    }

    /// A measurement that is known without a questionnaire.
    static func node(_ code: String, _ measurement: KnownMeasurements.Measurement) -> Node {
        Node(
            path: ConceptNames.path(ConceptNames.measurements, [code]),
            level: 2,
            name: measurement.name,
            code: code,
            key: code,
            isLeaf: true,
            values: ValueMetadata(measurement)
        )
    }

    private mutating func addDemographics() {
        add(ConceptNames.demographics, 1, "Demographics")
        add(ConceptNames.path(ConceptNames.demographics, ["Sex"]), 2, "Sex")
        for (sex, name) in PatientMapper.sexes {
            let code = PatientMapper.concept(ofSex: sex)
            nodes.append(
                Node(path: code.path, level: 3, name: name, code: code.code, key: code.key, isLeaf: true)
            )
        }
        add(ConceptNames.path(ConceptNames.demographics, ["Age"]), 2, "Age")
        nodes[nodes.count - 1].isContainer = true
        // Of birth dates the warehouse has the year.
        for first in stride(from: 0, to: 90, by: 10) {
            let last = first + 9
            add(
                age: "\(first)-\(last)",
                "\(first) to \(last) years",
                comparison: "BETWEEN",
                "date_trunc('year', now()) - interval '\(last) years' "
                    + "AND date_trunc('year', now()) - interval '\(first) years'"
            )
        }
        // Safe Harbor has no birth dates of older people.
        add(
            age: "90",
            "90 years or more",
            comparison: "<",
            "date_trunc('year', now()) - interval '89 years'"
        )
    }

    private mutating func add(age: String, _ name: String, comparison: String, _ value: String) {
        var node = Node(
            path: ConceptNames.path(ConceptNames.demographics, ["Age", age]),
            level: 3,
            name: name,
            code: nil,
            key: nil,
            isLeaf: true
        )
        node.column = Column(name: "birth_date", comparison: comparison, value: value)
        nodes.append(node)
    }

    private mutating func add(
        _ path: String,
        _ level: Int,
        _ name: String,
        code: String? = nil,
        key: String? = nil
    ) {
        nodes.append(
            Node(path: path, level: level, name: name, code: code, key: key, isLeaf: false)
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
                            isLeaf: false
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
                        values: ValueMetadata(item, known, isStandard: known.standardCode != nil)
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
                            isLeaf: true
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
