import FHIR
import OrderedJSON

/// A questionnaire as plain values: its items in document order, and the parts of it that are wrong or not
/// supported.
///
/// ```swift
/// let survey = Survey(try Questionnaire(parsing: data))
/// for diagnostic in survey.diagnostics { print(diagnostic) }
/// var session = SurveySession(survey)
/// try session.answer("phq9-1", with: .coding(…))
/// let response = session.response()
/// ```
///
/// Making a survey never fails. A part that is wrong or not supported is a ``SurveyDiagnostic``, and
/// everything else works.
public struct Survey: Sendable {
    public let questionnaire: Questionnaire
    /// `url`, with `|version` where there is a version: the canonical URL by which a response names its
    /// questionnaire.
    public let canonical: String?
    /// The title; the name where there is no title.
    public let title: SurveyText?
    /// What responses are about, such as `Patient`; empty for anything.
    public let subjectTypes: [String]
    /// The items in document order: an item comes before those under it.
    public let items: [SurveyItem]
    /// The indices of the top-level items.
    public let roots: [Int]
    /// Variables of the whole questionnaire.
    public let variables: [SurveyExpression]
    /// How items are to be presented (`entryMode`): `sequential`, `prior-edit` or `random`.
    public let entryMode: String?
    /// The resources that the app gives and expressions refer to, such as `patient`.
    public let launchContexts: [LaunchContext]
    /// `questionnaire-constraint` and `targetConstraint` of the whole questionnaire.
    public let constraints: [SurveyConstraint]
    /// What is wrong, and what is not supported, in document order.
    public let diagnostics: [SurveyDiagnostic]

    let sourceQueries: [SourceQueries]
    /// The variables whose values come from a record, over others too.
    let recordVariables: Set<String>
    let indices: [String: Int]
    /// Whether no two items have the same link id.
    let hasUniqueLinkIds: Bool
    let variableTable: VariableTable
    /// The numbers of the variables that have one value in a session.
    let constantVariables: Set<Int>
    /// The numbers of the variables whose values stay until something changes that the dependencies say that
    /// they read.
    let keptVariables: Set<Int>
    /// The number of items in each item's subtree, itself included.
    let subtreeSizes: [Int]
    let dependencies: DependencyGraph

    /// Reads a questionnaire.
    ///
    /// - Parameter valueSets: Gives a value set that is not contained, by its canonical URL; with its
    ///   expansion, or listing its concepts; or that an item names by `#` and the id of a contained one, for
    ///   its expansion. An expansion with the extension `valueset-toocostly` stands for one that is too large
    ///   to be listed (``OptionSource/searched(_:)``). It is called while the survey is made.
    public init(_ questionnaire: Questionnaire, valueSets: (String) -> ValueSet? = { _ in nil }) {
        var reader = QuestionnaireReader(questionnaire.tree, valueSets: valueSets)
        reader.read()
        self.questionnaire = questionnaire
        canonical = questionnaire.url.map { url in
            questionnaire.version.map { "\(url.rawValue)|\($0)" } ?? url.rawValue
        }
        title = SurveyText(questionnaire.tree, "title") ?? SurveyText(questionnaire.tree, "name")
        subjectTypes = questionnaire.subjectType.map(\.code)
        items = reader.items
        roots = reader.roots
        variables = reader.variables
        entryMode = ExtensionList(questionnaire.tree).value(ExtensionURL.entryMode)?.string
        launchContexts = reader.launchContexts
        sourceQueries = reader.sourceQueries
        constraints = reader.constraints
        indices = reader.indices
        hasUniqueLinkIds = reader.indices.count == reader.items.count
        subtreeSizes = Self.sizes(reader.items)
        variableTable = VariableTable(reader.items, root: reader.variables)
        constantVariables = variableTable.constants(
            in: reader.items,
            changing: Set(reader.items.compactMap(\.populationContext?.name))
        )
        recordVariables = Self.recordVariables(
            variableTable.all.map(\.expression) + reader.items.compactMap(\.populationContext),
            given: reader.launchContexts.map(\.name) + reader.sourceQueries.map(\.name)
        )
        dependencies = DependencyGraph(reader.items, variables: variableTable, indices: reader.indices)
        // Of several items with one link id the dependencies know the first.
        keptVariables =
            hasUniqueLinkIds
            ? variableTable.known(in: reader.items, cyclic: dependencies.cyclicVariables) : []
        diagnostics = (reader.diagnostics + dependencies.diagnostics(of: reader.items)).sorted {
            $0.position < $1.position
        }
    }

    /// Launch contexts, the results of queries, and variables that read one of them.
    private static func recordVariables(_ variables: [SurveyExpression], given: [String]) -> Set<String> {
        var found = Set(given)
        var count = -1
        while count < found.count {
            count = found.count
            for variable in variables {
                guard let name = variable.name, !found.contains(name) else { continue }
                if variable.query != nil || !variable.reads.variables.isDisjoint(with: found) {
                    found.insert(name)
                }
            }
        }
        return found
    }

    private static func sizes(_ items: [SurveyItem]) -> [Int] {
        var sizes = Array(repeating: 1, count: items.count)
        // Those under an item come behind it.
        for item in items.reversed() { if let parent = item.parent { sizes[parent] += sizes[item.index] } }
        return sizes
    }

    /// The item with a linkId; the first where several have it.
    public func item(_ linkId: String) -> SurveyItem? { indices[linkId].map { items[$0] } }

    /// Whether the questionnaire refers to others, whose items are to be put in their places: see
    /// ``AssembledQuestionnaire``.
    public var isModular: Bool {
        items.contains { ExtensionList($0.source).value(ExtensionURL.subQuestionnaire) != nil }
    }

    /// The canonical URLs of value sets that the questionnaire names and nobody gave, in document order.
    public var missingValueSets: [String] {
        var found: [String] = []
        for item in items {
            var urls = item.valueSets
            if case .searched(let url)? = item.format.options { urls.removeAll { $0 == url } }
            for url in urls where !found.contains(url) { found.append(url) }
        }
        return found
    }

    /// The addresses of the terminology servers that items prefer for a value set that they name, those of
    /// the first item first: see ``SurveyItem/terminologyServers``.
    public func terminologyServers(of valueSet: String) -> [String] {
        var found: [String] = []
        for item in items where item.valueSets.contains(valueSet) {
            for server in item.terminologyServers where !found.contains(server) { found.append(server) }
        }
        return found
    }

    /// The contained value set that `#` and an id name.
    public func containedValueSet(_ reference: String) -> ValueSet? {
        guard reference.hasPrefix("#") else { return nil }
        for resource in questionnaire.tree.elements(of: "contained")
        where resource.member("id")?.isString(equalTo: String(reference.dropFirst())) == true {
            return ValueSet(tree: resource)
        }
        return nil
    }

    /// The items directly under one.
    public func children(of item: SurveyItem) -> [SurveyItem] { item.children.map { items[$0] } }

    /// The indices of the items under one, or of those that are under none.
    func children(under index: Int) -> [Int] { index < 0 ? roots : items[index].children }

    func parent(of index: Int) -> Int { items[index].parent ?? -1 }
}

extension SurveyItem {
    /// The value sets that are not listed: of units, and of options.
    fileprivate var valueSets: [String] {
        let units = [format.unitValueSet].compactMap(\.self)
        switch format.options {
        case .external(let url)?, .searched(let url)?: return units + [url]
        default: return units
        }
    }
}

/// Something about a questionnaire that is wrong or not supported.
public struct SurveyDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The severity of a diagnostic.
    public enum Severity: String, Sendable, Hashable {
        /// The questionnaire breaks the standard, or something in it cannot work.
        case error
        /// Something is not done as the questionnaire says.
        case warning
        /// Worth knowing.
        case information
    }

    public let severity: Severity
    /// The item; nil for the questionnaire.
    public let linkId: String?
    /// A code for programs, such as `duplicateLinkId`.
    public let code: String
    /// A sentence for people.
    public let text: String
    /// The index of the item, by which diagnostics are ordered.
    let position: Int
    /// Where it is in the JSON of a task of ResearchKit; nil for the others.
    public let location: JSONLocation?

    init(
        _ severity: Severity,
        _ code: String,
        _ text: String,
        linkId: String? = nil,
        position: Int = -1,
        location: JSONLocation? = nil
    ) {
        self.severity = severity
        self.linkId = linkId
        self.code = code
        self.text = text
        self.position = position
        self.location = location
    }

    public var description: String {
        (location.map { "\($0): " } ?? "") + "\(severity.rawValue): \(linkId.map { "\($0): " } ?? "")\(text)"
    }
}
