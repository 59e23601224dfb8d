/// Conversions (FHIRPath section 5.5).
extension FHIRPathEvaluation {
    mutating func conversion(_ call: Call) throws(FHIRPathError) -> Items {
        guard let item = try single(call.input, at: call.node) else { return [] }
        let value = item.systemValue
        try spend(value.textSteps, at: call.node)
        let converted: SystemValue?
        let isQuestion: Bool
        switch call.function {
        case .toBoolean, .convertsToBoolean:
            converted = value?.asBoolean.map { .boolean($0) }
            isQuestion = call.function != .toBoolean
        case .toInteger, .convertsToInteger:
            converted = value?.asInteger.map { .integer($0) }
            isQuestion = call.function != .toInteger
        case .toLong, .convertsToLong:
            converted = value?.asLong.map { .long($0) }
            isQuestion = call.function != .toLong
        case .toDecimal, .convertsToDecimal:
            converted = value?.asDecimal.map { .decimal($0) }
            isQuestion = call.function != .toDecimal
        case .toString, .convertsToString:
            converted = value.map { .string($0.asString) }
            isQuestion = call.function != .toString
        case .toDate, .convertsToDate:
            converted = value?.asTemporal(.date).map { .temporal($0) }
            isQuestion = call.function != .toDate
        case .toDateTime, .convertsToDateTime:
            converted = value?.asTemporal(.dateTime).map { .temporal($0) }
            isQuestion = call.function != .toDateTime
        case .toTime, .convertsToTime:
            converted = value?.asTemporal(.time).map { .temporal($0) }
            isQuestion = call.function != .toTime
        default:
            let unit = try stringArgument(0, of: call)
            let quantity = value?.asQuantity.flatMap { quantity in
                unit.map { quantity.converted(to: $0) } ?? quantity
            }
            converted = quantity.map { .quantity($0) }
            isQuestion = call.function != .toQuantity
        }
        if isQuestion { return [FHIRPathItem(converted != nil)] }
        guard let converted else { return [] }
        return [try make(converted, at: call.node)]
    }
}
