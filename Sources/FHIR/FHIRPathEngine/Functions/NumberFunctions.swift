import Foundation

/// Functions of numbers (FHIRPath section 5.7), and sums of collections.
extension FHIRPathEvaluation {
    mutating func number(_ call: Call) throws(FHIRPathError) -> Items {
        switch call.function {
        case .sum, .min, .max, .avg: return try aggregate(call)
        default: break
        }
        guard let item = try singleValue(call.input, at: call.node) else { return [] }
        if case .quantity(var quantity) = item.systemValue {
            // The value alone; the unit stays.
            let digits = try integerArgument(0, of: call)
            guard let number = Self.rounded(call.function, quantity.value, digits: digits) else {
                throw failure(
                    "\(call.function.rawValue) needs a number, not \(item.typeName).",
                    at: call.node
                )
            }
            quantity.value = number
            return [FHIRPathItem(.quantity(quantity))]
        }
        guard let value = item.systemValue, let number = value.number else {
            throw failure("\(call.function.rawValue) needs a number, not \(item.typeName).", at: call.node)
        }
        let result: SystemValue?
        switch call.function {
        case .abs:
            switch value {
            case .integer(let integer): result = integer == .min ? nil : .integer(Swift.abs(integer))
            case .long(let integer): result = integer == .min ? nil : .long(Swift.abs(integer))
            default: result = Self.rounded(.abs, number).map { .decimal($0) }
            }
        case .ceiling, .floor, .truncate:
            result = Self.rounded(call.function, number).flatMap { SystemValue.whole($0.value) }
        case .round:
            let digits = try integerArgument(0, of: call) ?? 0
            guard digits >= 0 else { throw failure("round takes digits of zero or more.", at: call.node) }
            result = .decimal(number.rounded(to: Swift.min(digits, 38)))
        case .exp: result = Self.decimal(Foundation.exp(number.value.doubleValue))
        case .ln: result = Self.decimal(Foundation.log(number.value.doubleValue))
        case .sqrt: result = Self.decimal(number.value.doubleValue.squareRoot())
        case .log:
            guard let base = try numberArgument(of: call) else { return [] }
            let quotient = Foundation.log(number.value.doubleValue) / Foundation.log(base.value.doubleValue)
            // A whole logarithm is one in spite of the binary fractions on the way.
            let nearest = quotient.rounded()
            result = Self.decimal(
                Foundation.pow(base.value.doubleValue, nearest) == number.value.doubleValue
                    ? nearest : quotient
            )
        default:
            guard let exponent = try numberArgument(of: call) else { return [] }
            result = try power(value, number, exponent, call)
        }
        return result.map { [FHIRPathItem($0)] } ?? []
    }

    private static func rounded(
        _ function: PathFunction,
        _ number: PathDecimal,
        digits: Int? = nil
    ) -> PathDecimal? {
        switch function {
        case .abs: PathDecimal(Swift.abs(number.value), scale: number.scale)
        case .ceiling: number.rounded(to: 0, .up)
        case .floor: number.rounded(to: 0, .down)
        case .truncate: PathDecimal(number.value.truncated, scale: 0)
        case .round: number.rounded(to: Swift.max(0, Swift.min(digits ?? 0, 38)))
        default: nil
        }
    }

    private mutating func numberArgument(of call: Call) throws(FHIRPathError) -> PathDecimal? {
        guard let items = try argument(0, of: call), let item = try singleValue(items, at: call.node) else {
            return nil
        }
        guard let number = item.systemValue?.number else {
            throw failure("\(call.function.rawValue) takes a number, not \(item.typeName).", at: call.node)
        }
        return number
    }

    private func power(
        _ value: SystemValue,
        _ base: PathDecimal,
        _ exponent: PathDecimal,
        _ call: Call
    ) throws(FHIRPathError) -> SystemValue? {
        if let whole = Int("\(exponent.value)"), (0...1000).contains(whole) {
            var result: Decimal = 1
            for _ in 0..<whole {
                result *= base.value
                if result.isNaN { return nil }
            }
            switch value {
            case .integer, .long: return SystemValue.whole(result)
            default: return .decimal(PathDecimal(result))
            }
        }
        return Self.decimal(Foundation.pow(base.value.doubleValue, exponent.value.doubleValue))
    }

    /// A computed number with the 15 digits that a floating-point number is sure of; nil when it is not
    /// finite.
    private static func decimal(_ value: Double) -> SystemValue? {
        guard value.isFinite, let decimal = Decimal(string: String(format: "%.15g", value)) else {
            return nil
        }
        return .decimal(PathDecimal(decimal))
    }

    private mutating func aggregate(_ call: Call) throws(FHIRPathError) -> Items {
        var values: [SystemValue] = []
        for item in call.input {
            if case .node(let element) = item.storage, element.json == nil { continue }
            guard let value = item.systemValue else {
                throw failure("\(call.function.rawValue) needs values, not \(item.typeName).", at: call.node)
            }
            values.append(value)
        }
        guard var result = values.first else { return [] }
        try spend(values.reduce(values.count) { $0 + $1.textSteps }, at: call.node)
        for value in values.dropFirst() {
            do {
                switch call.function {
                case .min: if try SystemValue.order(value, result) == -1 { result = value }
                case .max: if try SystemValue.order(value, result) == 1 { result = value }
                default:
                    guard let sum = try SystemValue.apply(.add, result, value) else { return [] }
                    result = sum
                    if case .string(let text) = sum { _ = try checked(text, at: call.node) }
                }
            } catch let error as FHIRPathError {
                throw error
            } catch {
                throw failure("\(call.function.rawValue) needs values of one type.", at: call.node)
            }
        }
        guard call.function == .avg else { return [FHIRPathItem(result)] }
        let count = SystemValue.decimal(PathDecimal(Decimal(values.count), scale: 0))
        guard let average = try? SystemValue.apply(.divide, result, count) else {
            throw failure("avg needs numbers or quantities.", at: call.node)
        }
        return [FHIRPathItem(average)]
    }
}
