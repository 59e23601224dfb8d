import FHIR

/// Functions that make collections from collections (FHIRPath sections 5.2 to 5.4, 5.8 and 7).
extension FHIRPathEvaluation {
    mutating func collection(_ call: Call) throws(FHIRPathError) -> Items {
        let input = call.input
        switch call.function {
        case .where:
            var result: Items = []
            if !input.isEmpty, let type = typeOfItem(asked: call.arguments[0]) {
                try check(type, at: syntax[call.arguments[0]])
                try spend(input.count, at: call.node)
                for item in input where isOf(item, type) { result.append(item) }
                return result
            }
            for (index, item) in input.enumerated()
            where try holds(call.arguments[0], of: call, on: item, index: index) == true {
                result.append(item)
            }
            return result
        case .select:
            var result: Items = []
            for (index, item) in input.enumerated() {
                result += try evaluate(call.arguments[0], of: call, on: item, index: index)
                result = try checked(result, at: call.node)
            }
            return result
        case .repeat, .repeatAll: return try repeated(call)
        case .sort: return try sorted(call)
        case .coalesce:
            for index in call.arguments.indices {
                if let items = try argument(index, of: call), !items.isEmpty { return items }
            }
            return []
        case .single: return try single(input, at: call.node).map { [$0] } ?? []
        case .first: return Array(input.prefix(1))
        case .last: return Array(input.suffix(1))
        case .tail: return Array(input.dropFirst())
        case .skip: return Array(input.dropFirst(max(0, try integerArgument(0, of: call) ?? 0)))
        case .take: return Array(input.prefix(max(0, try integerArgument(0, of: call) ?? 0)))
        case .intersect:
            let others = try argument(0, of: call) ?? []
            var result: Items = []
            for item in try distinct(input, at: call.node) where try contains(others, item, at: call.node) {
                result.append(item)
            }
            return result
        case .exclude:
            let others = try argument(0, of: call) ?? []
            var result: Items = []
            for item in input where try !contains(others, item, at: call.node) { result.append(item) }
            return result
        case .union:
            return try checked(distinct(input + (argument(0, of: call) ?? []), at: call.node), at: call.node)
        case .combine: return try checked(input + (argument(0, of: call) ?? []), at: call.node)
        case .children: return try children(of: input, at: call.node)
        case .descendants:
            var result: Items = []
            var level = try children(of: input, at: call.node)
            // Level by level, so that no depth of the tree becomes a depth of the stack.
            while !level.isEmpty {
                result += level
                result = try checked(result, at: call.node)
                level = try children(of: level, at: call.node)
            }
            return result
        case .iif: return try conditional(call)
        default: return try aggregated(call)
        }
    }

    private mutating func children(of items: Items, at node: Node) throws(FHIRPathError)
        -> Items
    {
        var result: Items = []
        for item in items {
            guard case .node(let element) = item.storage else { continue }
            element.forEachChild { result.append(FHIRPathItem($0)) }
        }
        try spend(result.count, at: node)
        return try checked(result, at: node)
    }

    /// Applies a projection to its own results until nothing new comes; `repeatAll` takes equal results
    /// again.
    private mutating func repeated(_ call: Call) throws(FHIRPathError) -> Items {
        var result: Items = []
        var distinct = DistinctItems()
        var queue = call.input
        while !queue.isEmpty {
            var next: Items = []
            for (index, item) in queue.enumerated() {
                for found in try evaluate(call.arguments[0], of: call, on: item, index: index) {
                    if call.function == .repeat {
                        guard try insert(found, into: &distinct, at: call.node) else { continue }
                    }
                    // It may be made of one before, without end.
                    if case .node = found.storage {} else { try countMade(0, collected: 1, at: call.node) }
                    next.append(found)
                }
                next = try checked(next, at: call.node)
            }
            result += next
            result = try checked(result, at: call.node)
            queue = next
        }
        return result
    }

    private mutating func conditional(_ call: Call) throws(FHIRPathError) -> Items {
        // An error in later releases of FHIRPath, and nothing that the normative one defines.
        guard call.input.count <= 1 else {
            throw failure(
                "iif is called on one item at most, and there are \(call.input.count).",
                at: call.node
            )
        }
        // On one item `$this` is that; on none the criterion sees what the expression around sees.
        var focus = call.focus
        if call.input.count == 1 {
            focus.items = call.input
            focus.this = call.input
        }
        let criterion = try evaluateApart(call.arguments[0], in: focus)
        if let item = try single(criterion, at: call.node), item.boolean == nil, context.isStrict {
            throw failure("The criterion of iif is a boolean, not \(item.typeName).", at: call.node)
        }
        if try boolean(criterion, at: call.node) == true {
            return try evaluateApart(call.arguments[1], in: focus)
        }
        return call.arguments.count > 2 ? try evaluateApart(call.arguments[2], in: focus) : []
    }

    private mutating func aggregated(_ call: Call) throws(FHIRPathError) -> Items {
        var total = try argument(1, of: call) ?? []
        for (index, item) in call.input.enumerated() {
            var focus = Focus([item])
            focus.index = index
            focus.total = total
            total = try evaluateApart(call.arguments[0], in: focus)
        }
        return total
    }

    /// Sorted by each argument in turn; a minus before it turns the order. Without one by the items
    /// themselves.
    private mutating func sorted(_ call: Call) throws(FHIRPathError) -> Items {
        var keys: [(reference: Reference?, isDescending: Bool)] = []
        for argument in call.arguments {
            if case .sign(true, let operand) = syntax[argument].kind {
                keys.append((operand, true))
            } else {
                keys.append((argument, false))
            }
        }
        if keys.isEmpty { keys = [(nil, false)] }
        var rows: [(item: FHIRPathItem, keys: [SystemValue?])] = []
        for (index, item) in call.input.enumerated() {
            var values: [SystemValue?] = []
            for key in keys {
                let items = try key.reference.map { reference throws(FHIRPathError) in
                    try evaluate(reference, of: call, on: item, index: index)
                }
                values.append(try single(items ?? [item], at: call.node)?.systemValue)
            }
            rows.append((item, values))
        }
        try spend(rows.reduce(0) { $0 + 16 + 16 * $1.keys.reduce(0) { $0 + $1.textSteps } }, at: call.node)
        var hasNoOrder = false
        // A stable sort: the index decides between equals.
        let order = rows.indices.sorted { left, right in
            for (position, key) in keys.enumerated() {
                switch (rows[left].keys[position], rows[right].keys[position]) {
                case (nil, nil): continue
                // Nothing comes first, whatever the order.
                case (nil, _): return true
                case (_, nil): return false
                case (let a?, let b?):
                    guard let order = try? SystemValue.order(a, b) else {
                        hasNoOrder = true
                        continue
                    }
                    if order != 0 { return (order < 0) != key.isDescending }
                }
            }
            return left < right
        }
        guard !hasNoOrder else {
            throw failure("The items to sort have no order among each other.", at: call.node)
        }
        return order.map { rows[$0].item }
    }
}
