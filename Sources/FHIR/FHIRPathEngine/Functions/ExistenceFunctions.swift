/// Functions that ask what a collection has (FHIRPath section 5.1).
extension FHIRPathEvaluation {
    mutating func existence(_ call: Call) throws(FHIRPathError) -> Items {
        let input = call.input
        switch call.function {
        case .empty: return [FHIRPathItem(input.isEmpty)]
        case .count: return [FHIRPathItem(input.count)]
        case .exists:
            guard let criterion = call.arguments.first else { return [FHIRPathItem(!input.isEmpty)] }
            for (index, item) in input.enumerated()
            where try holds(criterion, of: call, on: item, index: index) == true {
                return [FHIRPathItem(true)]
            }
            return [FHIRPathItem(false)]
        case .all:
            for (index, item) in input.enumerated()
            where try holds(call.arguments[0], of: call, on: item, index: index) != true {
                return [FHIRPathItem(false)]
            }
            return [FHIRPathItem(true)]
        case .allTrue: return [FHIRPathItem(try booleans(of: call).allSatisfy { $0 })]
        case .allFalse: return [FHIRPathItem(try booleans(of: call).allSatisfy { !$0 })]
        case .anyTrue: return [FHIRPathItem(try booleans(of: call).contains(true))]
        case .anyFalse: return [FHIRPathItem(try booleans(of: call).contains(false))]
        case .subsetOf:
            let others = try argument(0, of: call) ?? []
            for item in input where try !contains(others, item, at: call.node) {
                return [FHIRPathItem(false)]
            }
            return [FHIRPathItem(true)]
        case .supersetOf:
            for item in try argument(0, of: call) ?? [] where try !contains(input, item, at: call.node) {
                return [FHIRPathItem(false)]
            }
            return [FHIRPathItem(true)]
        case .distinct: return try distinct(input, at: call.node)
        case .isDistinct: return [FHIRPathItem(try distinct(input, at: call.node).count == input.count)]
        default: return Self.items(try boolean(input, at: call.node).map { !$0 })
        }
    }

    private func booleans(of call: Call) throws(FHIRPathError) -> [Bool] {
        var result: [Bool] = []
        for item in call.input {
            guard let boolean = item.boolean else {
                throw failure(
                    "\(call.function.rawValue) needs booleans, not \(item.typeName).",
                    at: call.node
                )
            }
            result.append(boolean)
        }
        return result
    }
}
