import FHIR

/// Operators (FHIRPath sections 6.1 to 6.6).
extension FHIRPathEvaluation {
    func sign(_ isNegative: Bool, _ items: Items, at node: Node) throws(FHIRPathError) -> Items {
        guard let item = try single(items, at: node) else { return [] }
        switch item.systemValue {
        case let value? where !isNegative && (value.number != nil || item.isQuantity):
            return [FHIRPathItem(value)]
        case .integer(let value): return value == .min ? [] : [FHIRPathItem(.integer(-value))]
        case .long(let value): return value == .min ? [] : [FHIRPathItem(.long(-value))]
        case .decimal(let value):
            return [FHIRPathItem(.decimal(PathDecimal(-value.value, scale: value.scale)))]
        case .quantity(var quantity):
            quantity.value.value = -quantity.value.value
            return [FHIRPathItem(.quantity(quantity))]
        default: throw failure("A sign needs a number or a quantity, not \(item.typeName).", at: node)
        }
    }

    mutating func apply(
        _ operation: Operator,
        _ left: Reference,
        _ right: Reference,
        in focus: Focus,
        at node: Node
    ) throws(FHIRPathError) -> Items {
        switch operation {
        case .and, .or, .xor, .implies: return try logic(operation, left, right, in: focus, at: node)
        default: break
        }
        let a = try evaluateApart(left, in: focus)
        let b = try evaluateApart(right, in: focus)
        switch operation {
        case .union: return try checked(distinct(a + b, at: node), at: node)
        case .equal: return Self.items(try equal(a, b, at: node))
        case .notEqual: return Self.items(try equal(a, b, at: node).map { !$0 })
        case .equivalent: return [FHIRPathItem(try equivalent(a, b, at: node))]
        case .notEquivalent: return [FHIRPathItem(try !equivalent(a, b, at: node))]
        case .lessThan, .lessOrEqual, .greaterThan, .greaterOrEqual:
            return try compare(operation, a, b, at: node)
        case .in:
            guard let item = try single(a, at: node) else { return [] }
            return [FHIRPathItem(try contains(b, item, at: node))]
        case .contains:
            guard let item = try single(b, at: node) else { return [] }
            return [FHIRPathItem(try contains(a, item, at: node))]
        case .concatenate:
            // An empty collection counts as an empty string here, and only here.
            let text = try (text(a, at: node) ?? "") + (text(b, at: node) ?? "")
            return [FHIRPathItem(try checked(text, at: node))]
        default: return try arithmetic(operation, a, b, at: node)
        }
    }

    static func items(_ boolean: Bool?) -> Items { boolean.map { [FHIRPathItem($0)] } ?? [] }

    private func text(_ items: Items, at node: Node) throws(FHIRPathError) -> String? {
        guard let item = try single(items, at: node) else { return nil }
        if let string = item.string { return string }
        guard let value = item.systemValue, value.number != nil || item.boolean != nil || item.isTemporal
        else {
            if case .node(let element) = item.storage, element.json == nil { return nil }
            throw failure("A string is needed, not \(item.typeName).", at: node)
        }
        return value.asString
    }

    /// A string of bounded length.
    mutating func checked(_ text: String, at node: Node) throws(FHIRPathError) -> String {
        let length = text.utf8.count
        try checkLength(length, at: node)
        try spend(length / 64, at: node)
        try countMade(length, at: node)
        return text
    }

    /// Logic of three values (FHIRPath section 6.5).
    private mutating func logic(
        _ operation: Operator,
        _ left: Reference,
        _ right: Reference,
        in focus: Focus,
        at node: Node
    ) throws(FHIRPathError) -> Items {
        let left = try evaluateApart(left, in: focus)
        let a = try boolean(left, at: node)
        // If the left operand decides the result, the right one is not evaluated.
        switch (operation, a) {
        case (.and, false): return [FHIRPathItem(false)]
        case (.or, true), (.implies, false): return [FHIRPathItem(true)]
        default: break
        }
        let right = try evaluateApart(right, in: focus)
        let b = try boolean(right, at: node)
        switch operation {
        case .and: return Self.items(b == false ? false : a == true && b == true ? true : nil)
        case .or: return Self.items(b == true ? true : a == false && b == false ? false : nil)
        case .implies: return Self.items(b == true ? true : a == true ? b : nil)
        default:
            guard let a, let b else { return [] }
            return [FHIRPathItem(a != b)]
        }
    }

    private mutating func compare(
        _ operation: Operator,
        _ left: Items,
        _ right: Items,
        at node: Node
    ) throws(FHIRPathError) -> Items {
        guard let a = try singleValue(left, at: node), let b = try singleValue(right, at: node) else {
            return []
        }
        guard let first = a.systemValue, let second = b.systemValue else {
            throw failure("\(a.typeName) and \(b.typeName) have no order.", at: node)
        }
        try spend(min(first.textSteps, second.textSteps), at: node)
        let order: Int?
        do {
            order = try SystemValue.order(first, second)
        } catch {
            throw failure("\(a.typeName) and \(b.typeName) have no order.", at: node)
        }
        guard let order else { return [] }
        switch operation {
        case .lessThan: return [FHIRPathItem(order < 0)]
        case .lessOrEqual: return [FHIRPathItem(order <= 0)]
        case .greaterThan: return [FHIRPathItem(order > 0)]
        default: return [FHIRPathItem(order >= 0)]
        }
    }

    private mutating func arithmetic(
        _ operation: Operator,
        _ left: Items,
        _ right: Items,
        at node: Node
    ) throws(FHIRPathError) -> Items {
        guard let a = try singleValue(left, at: node), let b = try singleValue(right, at: node) else {
            return []
        }
        guard let first = a.systemValue, let second = b.systemValue else {
            throw failure("\(a.typeName) \(operation.rawValue) \(b.typeName) is not defined.", at: node)
        }
        do {
            guard let result = try SystemValue.apply(operation, first, second) else { return [] }
            if case .string(let text) = result { return [FHIRPathItem(try checked(text, at: node))] }
            return [FHIRPathItem(result)]
        } catch let error as SystemValue.OperandError {
            throw failure(error.reason, at: node)
        } catch let error as FHIRPathError {
            throw error
        } catch {
            throw failure("The operation is not defined.", at: node)
        }
    }
}

extension FHIRPathItem {
    var isQuantity: Bool {
        if case .quantity = systemValue { return true }
        return false
    }

    var isTemporal: Bool {
        if case .temporal = systemValue { return true }
        return false
    }
}
