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
            (converted, isQuestion) = (value?.asBoolean.map { .boolean($0) }, call.function != .toBoolean)
        case .toInteger, .convertsToInteger:
            (converted, isQuestion) = (value?.asInteger.map { .integer($0) }, call.function != .toInteger)
        case .toLong, .convertsToLong:
            (converted, isQuestion) = (value?.asLong.map { .long($0) }, call.function != .toLong)
        case .toDecimal, .convertsToDecimal:
            (converted, isQuestion) = (value?.asDecimal.map { .decimal($0) }, call.function != .toDecimal)
        case .toString, .convertsToString:
            (converted, isQuestion) = (value.map { .string($0.asString) }, call.function != .toString)
        case .toDate, .convertsToDate:
            (converted, isQuestion) = (value?.asTemporal(.date).map { .temporal($0) }, call.function != .toDate)
        case .toDateTime, .convertsToDateTime:
            (converted, isQuestion) = (value?.asTemporal(.dateTime).map { .temporal($0) }, call.function != .toDateTime)
        case .toTime, .convertsToTime:
            (converted, isQuestion) = (value?.asTemporal(.time).map { .temporal($0) }, call.function != .toTime)
        default:
            let unit = try stringArgument(0, of: call)
            let quantity = value?.asQuantity.flatMap { quantity in unit.map { quantity.converted(to: $0) } ?? quantity }
            (converted, isQuestion) = (quantity.map { .quantity($0) }, call.function != .toQuantity)
        }
        if isQuestion { return [FHIRPathItem(converted != nil)] }
        return converted.map { [FHIRPathItem($0)] } ?? []
    }
}
