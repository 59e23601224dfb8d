import FHIR
import FHIRPathEngine
import OrderedJSON

/// Evaluating expressions on the response as it is.
extension SurveySession {
    /// The result of an expression at a node; nil where it has none, because it is not FHIRPath, fails, or
    /// takes too long.
    mutating func evaluate(_ expression: SurveyExpression, at node: Int) -> [FHIRPathItem]? {
        var scope = VariableScope(keepsValues: true)
        return evaluate(expression, at: node, &scope)
    }

    /// The same in the middle of changes, which the stored values of variables do not reflect yet.
    mutating func evaluateDuringChanges(_ expression: SurveyExpression, at node: Int) -> [FHIRPathItem]? {
        var scope = VariableScope(keepsValues: false)
        return evaluate(expression, at: node, &scope)
    }

    /// The steps that an evaluation costs besides those of its expression.
    private static let stepsOfEvaluation = 40
    /// How many more steps an expression may take where there is a record to read.
    private static let stepsOfRecord = 2_000_000
    /// How many variables may read each other in a chain.
    private static let maximumVariables = 60

    /// Variables that one evaluation has found, and those that it is searching for.
    struct VariableScope {
        var known: [String: [FHIRPathItem]] = [:]
        var visiting: Set<String> = []
        /// Whether ``SurveySession/variableValues`` are of the response as it is.
        let keepsValues: Bool
        /// Whether an evaluation did not come to its end, so that the values over it are not kept.
        var isPartial = false
    }

    mutating func evaluate(
        _ expression: SurveyExpression,
        at node: Int,
        _ scope: inout VariableScope
    ) -> [FHIRPathItem]? {
        if let query = expression.query { return result(of: query, expression, at: node, &scope) }
        guard let path = expression.path else { return nil }
        return evaluate(path, of: expression, at: node, &scope)
    }

    /// The result of a FHIRPath expression, which may be one of several in a query.
    mutating func evaluate(
        _ path: FHIRPath,
        of expression: SurveyExpression,
        at node: Int,
        _ scope: inout VariableScope
    ) -> [FHIRPathItem]? {
        steps -= Self.stepsOfEvaluation
        guard steps > 0 else {
            steps = 0
            scope.isPartial = true
            report(
                "expressionsTooSlow",
                "The expressions take too long for one change; not all of them were evaluated.",
                node
            )
            return nil
        }
        var context = FHIRPathContext(now: self.context.now)
        context.limits.steps = 100_000 + 50 * tree.count + (self.context.isEmpty ? 0 : Self.stepsOfRecord)
        context.limits.items = 100_000
        context.limits.stringLength = 1_000_000
        context.limits.madeBytes = 10_000_000
        // Making the whole response takes longer than most expressions that do not read it.
        if survey.hasUniqueLinkIds ? expression.needsResource : expression.readsResource {
            context.resource = evaluationResource()
        } else {
            for linkId in expression.reads.rows { context.rows[linkId] = rows(linkId) }
        }
        for name in expression.reads.variables {
            if let value = variable(name, at: node, &scope) ?? standardVariable(name, at: node) {
                context.variables[name] = value
            }
        }
        let focus = focus(of: expression, at: node)
        do {
            return try path.evaluate(on: [focus], in: context, spending: &steps)
        } catch {
            if error.kind == .limit { scope.isPartial = true }
            let code = error.kind == .limit ? "expressionTooExpensive" : "expressionFailed"
            // The text of the error may have answers in it; what it is about is in the questionnaire.
            report(code, "An expression cannot be evaluated (\(error.kind.rawValue)).", node)
            return nil
        }
    }

    /// The value of the names that SDC defines: `questionnaire` and `qitem`.
    private func standardVariable(_ name: String, at node: Int) -> [FHIRPathItem]? {
        switch name {
        case "questionnaire": return [FHIRPathItem(survey.questionnaire.tree)]
        case "qitem" where tree[node].item >= 0:
            return [FHIRPathItem(survey.items[tree[node].item].source, type: "Questionnaire.item")]
        default: return nil
        }
    }

    /// The value of a variable: what the app gave, else of the nearest variable of the name that is not just
    /// being evaluated. nil where there is none.
    private mutating func variable(_ name: String, at start: Int, _ scope: inout VariableScope)
        -> [FHIRPathItem]?
    {
        if let given = context.resources[name] { return given.map { FHIRPathItem($0) } }
        var node = start
        while node >= 0 {
            let isRoot = node == ResponseTree.root
            if !isRoot, survey.items[tree[node].item].populationContext?.name == name {
                return tree[node].populated ?? []
            }
            if !tree.isAnswer(node),
                let number = survey.variableTable.number(name, of: isRoot ? -1 : tree[node].item)
            {
                if let constant = constants[number] { return constant }
                let isKept = scope.keepsValues && survey.keptVariables.contains(number)
                if isKept, let kept = variableValues[number]?[occurrence(node)] { return kept }
                let variable = survey.variableTable.all[number].expression
                let key = "\(node) \(name)"
                if let known = scope.known[key] { return known }
                if !scope.visiting.contains(key) {
                    guard scope.visiting.count < Self.maximumVariables else {
                        scope.isPartial = true
                        report(
                            "variablesTooDeep",
                            "More than \(Self.maximumVariables) variables read each other in a chain.",
                            node
                        )
                        return nil
                    }
                    scope.visiting.insert(key)
                    let found = evaluate(variable, at: node, &scope)
                    let value = found ?? []
                    scope.visiting.remove(key)
                    scope.known[key] = value
                    if !scope.isPartial, found != nil {
                        if survey.constantVariables.contains(number) {
                            constants[number] = value
                        } else if isKept {
                            variableValues[number, default: [:]][occurrence(node)] = value
                        }
                    }
                    return value
                }
            }
            node = tree[node].parent
        }
        if let queries = survey.sourceQueries.first(where: { $0.name == name }) {
            return results(of: queries, &scope)
        }
        // A launch context that the questionnaire declares, and the app did not give, is empty.
        return survey.launchContexts.contains { $0.name == name } ? [] : nil
    }

    mutating func report(_ code: String, _ text: String, _ node: Int) {
        let item = tree[node].item
        let linkId = item < 0 ? nil : survey.items[item].linkId
        guard failedExpressions.insert("\(code) \(item)").inserted else { return }
        diagnostics.append(SurveyDiagnostic(.warning, code, text, linkId: linkId, position: item))
    }

    // MARK: What expressions see

    /// The response with what is asked and answered, and with the scores of chosen options in their codings.
    mutating func evaluationResource() -> JSONValue {
        if let known = evaluated.first, let known { return known }
        steps -= tree[ResponseTree.root].children.count
        var resource = header.tree
        let items = tree[ResponseTree.root].children.map { evaluationJSON(of: $0) }.filter { !$0.isNull }
        resource["item"] = items.isEmpty ? nil : JSONValue(items)
        remember(resource, of: ResponseTree.root)
        return resource
    }

    /// What an expression is evaluated on: the occurrence that has it, or the response.
    private mutating func focus(of expression: SurveyExpression, at node: Int) -> FHIRPathItem {
        guard node == ResponseTree.root else {
            return FHIRPathItem(contextJSON(of: node), type: "QuestionnaireResponse.item")
        }
        return FHIRPathItem(expression.readsNoAnswers ? header.tree : evaluationResource())
    }

    /// The items with a link id that are in the response and not under answers, as
    /// `%resource.repeat(item).where(linkId = …)` finds them.
    private mutating func rows(_ linkId: String) -> [FHIRPathItem] {
        // FHIRPath compares by code points, and a dictionary of Swift does not.
        guard let index = survey.indices[linkId], survey.items[index].linkId.utf8.elementsEqual(linkId.utf8)
        else { return [] }
        return nodes(of: index, in: ResponseTree.root).compactMap { node in
            guard isInResponse(node) else { return nil }
            let json = evaluationJSON(of: node)
            return json.isNull ? nil : FHIRPathItem(json, type: "QuestionnaireResponse.item")
        }
    }

    /// Whether everything that encloses a node is asked, and none of it is an answer.
    private func isInResponse(_ node: Int) -> Bool {
        var current = node
        while current > ResponseTree.root {
            guard tree[current].isEnabled, !tree.isAnswer(current) else { return false }
            current = tree[current].parent
        }
        return true
    }

    private mutating func remember(_ json: JSONValue, of node: Int) {
        if evaluated.count <= node {
            evaluated += Array(repeating: nil, count: tree.nodes.count - evaluated.count)
        }
        evaluated[node] = json
    }

    /// An occurrence for `%context`, also of an item that is not in the response.
    private mutating func contextJSON(of node: Int) -> JSONValue {
        let json = evaluationJSON(of: node)
        return json.isNull ? ["linkId": JSONValue(survey.items[tree[node].item].linkId)] : json
    }

    /// The JSON of an occurrence; `null` where it is not asked or has no answers.
    private mutating func evaluationJSON(of node: Int) -> JSONValue {
        if node < evaluated.count, let known = evaluated[node] { return known }
        steps -= 1 + tree[node].children.count
        let item = survey.items[tree[node].item]
        var members = [JSONMember(name: "linkId", value: JSONValue(item.linkId))]
        if tree[node].isEnabled {
            if item.isGroup {
                let children = tree[node].children.map { evaluationJSON(of: $0) }.filter { !$0.isNull }
                members.add("item", children)
            } else if item.isQuestion {
                let answers = tree[node].children.map { answerJSON($0, item) }
                members.add("answer", answers)
            }
        }
        let json = members.count == 1 ? JSONValue.null : JSONValue(members: members)
        remember(json, of: node)
        return json
    }

    private mutating func answerJSON(_ node: Int, _ item: SurveyItem) -> JSONValue {
        guard let value = tree[node].value else { return [:] }
        var content = value.content
        if case .coding(let coding) = value, let score = item.score(of: coding),
            ExtensionList(coding.tree).score == nil
        {
            var list = content.tree.elements(of: "extension")
            list.append(["url": JSONValue(ExtensionURL.scores[0]), "valueDecimal": score.tree])
            content.tree["extension"] = JSONValue(list)
        }
        var members = [JSONMember(name: "value" + content.suffix, value: content.tree)]
        let children = tree[node].children.map { evaluationJSON(of: $0) }.filter { !$0.isNull }
        members.add("item", children)
        return JSONValue(members: members)
    }
}

extension SurveyItem {
    /// The score of the option that a coding stands for.
    func score(of coding: Coding) -> FHIRDecimal? {
        if let own = ExtensionList(coding.tree).score { return own }
        guard case .listed(let options)? = format.options else { return nil }
        return format.candidates(options, for: .coding(coding)).first {
            $0.score != nil && $0.value.equals(.coding(coding))
        }?.score
    }
}
