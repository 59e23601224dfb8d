import FHIR
import FHIRPathEngine
import FHIRTables
import Foundation
import OrderedJSON

/// One extraction: goes through a response beside its questionnaire, and collects the entries of the bundle.
struct Extractor {
    /// What is known at an occurrence of an item.
    struct Scope {
        /// The item's index; of the response -1.
        var item = -1
        /// The item of the response, or the response.
        var json: JSONValue
        /// Variables by name: allocated ids, and contexts of templates.
        var variables: [String: [FHIRPathItem]] = [:]
        var observing = ExtractionPlan.Observing.off
        var categories: [JSONValue] = []
        /// Whom Observations are about; nil where a question of the group asks for that, and has no answer.
        var subject: JSONValue?
        /// Whether a question asks whom the group is about.
        var hasOwnSubject = false
        /// The resources that definitions of elements are for, the innermost last.
        var targets: [DefinitionTarget] = []
        /// The Observation that components and members belong to.
        var parentObservation: ObservationParts?

        var focus: FHIRPathItem { FHIRPathItem(json, type: item < 0 ? nil : "QuestionnaireResponse.item") }
    }

    let survey: Survey
    let response: QuestionnaireResponse
    let context: SurveyContext
    let makeIdentifier: () -> UUID
    var budget: ExtractionBudget
    var diagnostics: [SurveyDiagnostic] = []
    var entries: [ExtractionEntry] = []
    /// Entries that are left out because they are not valid FHIR.
    var invalidEntries: [ExtractionEntry] = []
    /// The resources that entries change, such as `Observation/7`.
    var changed: Set<String> = []
    /// How many resources were begun: entries have the order in which that was.
    var begun = 0
    /// Whether the resource that is just being made has all that its template or definitions ask for.
    var isComplete = true
    /// Expressions that were read, by their text; nil for those that are wrong.
    var paths: [String: FHIRPath?] = [:]
    private let rootPlan: ExtractionPlan
    private var plans: [Int: ExtractionPlan] = [:]
    private var reported: Set<String> = []
    /// The contained resources of the questionnaire by id.
    let contained: [String: JSONValue]
    /// The types of the profiles that definitions name.
    let profiles: [String: String]

    /// The most diagnostics that are kept.
    private static let maximumDiagnostics = 1_000

    init(
        _ survey: Survey,
        _ response: QuestionnaireResponse,
        _ context: SurveyContext,
        _ budget: ExtractionBudget,
        _ identifiers: @escaping () -> UUID
    ) {
        self.survey = survey
        self.response = response
        self.context = context
        self.budget = budget
        makeIdentifier = identifiers
        rootPlan = ExtractionPlan(survey.questionnaire.tree)
        for item in survey.items {
            let plan = ExtractionPlan(item.source)
            // A category, an entry or `false` says something too, once Observations are extracted.
            if !plan.isEmpty || plan.observing != nil || !plan.categories.isEmpty
                || !plan.observationRequest.isEmpty
            {
                plans[item.index] = plan
            }
        }
        var contained: [String: JSONValue] = [:]
        for resource in survey.questionnaire.tree.elements(of: "contained") {
            if let id = resource.member("id")?.string { contained[id] = resource }
        }
        self.contained = contained
        let paths = survey.items.compactMap { $0.definition.flatMap(DefinitionPath.init) }
        profiles = Dictionary(firstOf: paths.map { ($0.canonical, $0.root) })
    }

    // MARK: The whole

    mutating func extraction() -> SurveyExtraction {
        do throws(ExtractionStop) {
            try extractAll()
        } catch {
            entries = []
            invalidEntries = []
            report(.error, error.code, error.text)
        }
        let unchecked = (entries + invalidEntries).sorted { $0.order < $1.order }.map(\.uncheckedJSON)
        finishEntries()
        return SurveyExtraction(
            bundle: Self.transaction(entries.sorted { $0.order < $1.order }.map(\.json)),
            unchecked: Self.transaction(unchecked),
            diagnostics: diagnostics.sorted { $0.position < $1.position }
        )
    }

    private static func transaction(_ entries: [JSONValue]) -> FHIR.Bundle {
        var bundle = FHIR.Bundle(type: .transaction)
        if !entries.isEmpty { bundle.tree["entry"] = JSONValue(entries) }
        return bundle
    }

    private mutating func extractAll() throws(ExtractionStop) {
        let maps = ExtensionList(survey.questionnaire.tree).values(ExtensionURL.sdc + "targetStructureMap")
        for map in maps {
            let name = map.string.map { String($0.prefix(200)) } ?? ""
            report(
                .warning,
                "structureMap",
                "The StructureMap \(name) is not followed; what it makes of the answers is missing."
            )
        }
        guard !rootPlan.isEmpty || plans.values.contains(where: { !$0.isEmpty }) || hasObservedCodes else {
            guard maps.isEmpty else { return }
            return report(.warning, "noExtraction", "The questionnaire does not say what is to be extracted.")
        }
        guard response.status != .enteredInError else {
            return report(
                .warning,
                "enteredInError",
                "The response was entered in error; nothing is extracted."
            )
        }
        var scope = Scope(json: response.tree, subject: response.tree.member("subject"))
        for context in survey.launchContexts { scope.variables[context.name] = [] }
        for (name, values) in context.resources { scope.variables[name] = values.map { FHIRPathItem($0) } }
        scope.variables["questionnaire"] = [FHIRPathItem(survey.questionnaire.tree)]
        try extract(scope, rootPlan)
        if entries.isEmpty, diagnostics.isEmpty {
            report(.warning, "nothingExtracted", "Nothing was answered of what the questionnaire extracts.")
        }
    }

    /// Whether a code is marked for Observations where its item is not.
    private var hasObservedCodes: Bool {
        survey.items.contains { !ExtractionPlan.codes(of: $0, observing: .off).isEmpty }
    }

    // MARK: Going through the response

    /// Extracts what is at an occurrence and under it.
    private mutating func extract(_ outer: Scope, _ plan: ExtractionPlan) throws(ExtractionStop) {
        var scope = outer
        for mistake in plan.mistakes { report(.error, "malformedExtraction", mistake, scope.item) }
        for name in plan.identifiers { scope.variables[name] = [FHIRPathItem("urn:uuid:" + newIdentifier())] }
        if let observing = plan.observing { scope.observing = observing }
        if !plan.categories.isEmpty { scope.categories = plan.categories }
        for template in plan.templates { try extract(template, scope) }
        var opened: [DefinitionTarget] = []
        for definition in plan.definitions {
            if let target = try open(definition, scope) { opened.append(target) }
        }
        scope.targets += opened
        if scope.item >= 0, survey.items[scope.item].isGroup, !scope.targets.isEmpty {
            try spend(steps: 10 * scope.targets.count)
            scope.targets = scope.targets.map { $0.entering(survey.items[scope.item]) }
        }
        try place(plan, scope)
        if scope.item < 0 || survey.items[scope.item].isGroup {
            scope = withSubject(scope)
            try observeGroup(&scope)
            try extractChildren(of: scope.json, scope)
            try finishObservation(scope, outer)
        } else {
            let code = observedCode(scope)
            for answer in scope.json.elements(of: "answer") {
                var inner = scope
                if let code { try observe(answer, code, &inner) }
                try extractChildren(of: answer, inner)
                try finishObservation(inner, scope)
            }
        }
        for target in opened { try close(target, scope) }
    }

    private mutating func extractChildren(of json: JSONValue, _ outer: Scope) throws(ExtractionStop) {
        for child in json.elements(of: "item") {
            let linkId = child.member("linkId")?.string ?? ""
            guard let index = survey.indices[linkId], survey.parent(of: index) == outer.item else {
                report(
                    .warning,
                    "unknownItem",
                    "The response has an item that does not belong there; it is not extracted.",
                    linkId: linkId
                )
                continue
            }
            var scope = outer
            scope.item = index
            scope.json = child
            scope.variables["qitem"] = [FHIRPathItem(survey.items[index].source, type: "Questionnaire.item")]
            let plan = plans[index] ?? ExtractionPlan()
            let answers = child.member("answer")?.elements
            if plan.makesResources || !plan.identifiers.isEmpty, survey.items[index].isQuestion, let answers,
                answers.count > 1
            {
                // A resource for each answer: each sees the item with that answer alone.
                for answer in answers {
                    scope.json["answer"] = [answer]
                    try extract(scope, plan)
                }
            } else if survey.items[index].isGroup || answers?.isEmpty == false {
                try extract(scope, plan)
            }
        }
    }

    /// A scope that is about whom the answer of one of its questions names (`isSubject`).
    private func withSubject(_ scope: Scope) -> Scope {
        let questions = survey.children(under: scope.item).filter { survey.items[$0].isSubject }
        guard let question = questions.first else { return scope }
        var scope = scope
        scope.hasOwnSubject = true
        scope.subject = scope.json.elements(of: "item").lazy
            .first { $0.member("linkId")?.isString(equalTo: survey.items[question].linkId) == true }?
            .member("answer")?[0]?.member("valueReference")
        return scope
    }

    /// The plan of an item, or of the questionnaire.
    func plan(of item: Int) -> ExtractionPlan { item < 0 ? rootPlan : plans[item] ?? ExtractionPlan() }

    func newIdentifier() -> String { makeIdentifier().uuidString.lowercased() }

    /// Spends steps of work that grows with the questionnaire.
    mutating func spend(steps: Int) throws(ExtractionStop) {
        budget.steps -= steps
        guard budget.steps > 0 else { throw .tooSlow }
    }

    // MARK: Diagnostics

    mutating func report(_ severity: SurveyDiagnostic.Severity, _ code: String, _ text: String, _ item: Int) {
        report(severity, code, text, linkId: item < 0 ? nil : survey.items[item].linkId, position: item)
    }

    mutating func report(
        _ severity: SurveyDiagnostic.Severity,
        _ code: String,
        _ text: String,
        linkId: String? = nil,
        position: Int = -1
    ) {
        guard reported.count < Self.maximumDiagnostics,
            reported.insert("\(code) \(position) \(linkId ?? "") \(text)").inserted
        else { return }
        diagnostics.append(SurveyDiagnostic(severity, code, text, linkId: linkId, position: position))
    }
}
