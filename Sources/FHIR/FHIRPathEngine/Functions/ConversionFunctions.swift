/// Conversions (FHIRPath section 5.5).
extension FHIRPathEvaluation {
    mutating func conversion(_ call: Call) throws(FHIRPathError) -> Items {
        guard let item = try single(call.input, at: call.node) else { return [] }
        let value = item.systemValue
        try spend(value.textSteps, at: call.node)
        let converted: SystemValue? =
            switch call.function {
            case .toBoolean, .convertsToBoolean: value?.asBoolean.map { .boolean($0) }
            case .toInteger, .convertsToInteger: value?.asInteger.map { .integer($0) }
            case .toLong, .convertsToLong: value?.asLong.map { .long($0) }
            case .toDecimal, .convertsToDecimal: value?.asDecimal.map { .decimal($0) }
            case .toString, .convertsToString: value.map { .string($0.asString) }
            case .toDate, .convertsToDate: value?.asTemporal(.date).map { .temporal($0) }
            case .toDateTime, .convertsToDateTime: value?.asTemporal(.dateTime).map { .temporal($0) }
            case .toTime, .convertsToTime: value?.asTemporal(.time).map { .temporal($0) }
            default: try quantity(value, call).map { .quantity($0) }
            }
        // `convertsTo…` returns whether the conversion is possible.
        if call.function.rawValue.hasPrefix("converts") { return [FHIRPathItem(converted != nil)] }
        guard let converted else { return [] }
        return [try make(converted, at: call.node)]
    }

    /// A value as a quantity, in the unit that the argument names, if there is one.
    private mutating func quantity(_ value: SystemValue?, _ call: Call) throws(FHIRPathError) -> PathQuantity?
    {
        let quantity = value?.asQuantity
        guard let unit = try stringArgument(0, of: call) else { return quantity }
        return quantity?.converted(to: unit)
    }
}
