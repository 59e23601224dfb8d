/// `trace` and `defineVariable` (FHIRPath section 5.9). A variable holds until the operand or argument it is
/// defined in ends.
extension FHIRPathEvaluation {
    mutating func utility(_ call: Call) throws(FHIRPathError) -> Items {
        guard let name = try stringArgument(0, of: call) else { return call.input }
        var items = call.input
        if call.arguments.count > 1 {
            items = []
            for (index, item) in call.input.enumerated() {
                items += try evaluate(call.arguments[1], of: call, on: item, index: index)
            }
            items = try checked(items, at: call.node)
        }
        if call.function == .trace {
            context.trace?(name, items)
        } else {
            guard variables.updateValue(items, forKey: name) == nil, !["context", "resource"].contains(name)
            else {
                throw failure("The variable %\(name) is defined already.", at: call.node)
            }
        }
        return call.input
    }
}
