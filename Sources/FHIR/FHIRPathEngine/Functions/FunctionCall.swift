import FHIR

/// Calling functions (FHIRPath section 5).
extension FHIRPathEvaluation {
    /// A function with its arguments, not yet evaluated, and what it is called on.
    struct Call {
        let function: PathFunction
        let arguments: [Reference]
        let node: Node
        let input: Items
        let focus: Focus
    }

    /// Calls a function, and counts the items that it goes through and makes.
    mutating func call(_ call: Call) throws(FHIRPathError) -> Items {
        switch call.function {
        // These look at one item at most, or count by themselves.
        case .empty, .count, .first, .last, .single, .not, .iif, .hasValue, .getValue: break
        default: try spend(call.input.count, at: call.node)
        }
        let result = try items(of: call)
        try spend(result.count, at: call.node)
        return result
    }

    private mutating func items(of call: Call) throws(FHIRPathError) -> Items {
        switch call.function {
        case .empty, .exists, .all, .allTrue, .anyTrue, .allFalse, .anyFalse, .subsetOf, .supersetOf, .count,
            .distinct,
            .isDistinct, .not:
            return try existence(call)
        case .where, .select, .repeat, .repeatAll, .sort, .coalesce, .single, .first, .last, .tail, .skip,
            .take,
            .intersect, .exclude, .union, .combine, .children, .descendants, .iif, .aggregate:
            return try collection(call)
        case .toBoolean, .convertsToBoolean, .toInteger, .convertsToInteger, .toLong, .convertsToLong,
            .toDate,
            .convertsToDate, .toDateTime, .convertsToDateTime, .toDecimal, .convertsToDecimal, .toQuantity,
            .convertsToQuantity, .toString, .convertsToString, .toTime, .convertsToTime:
            return try conversion(call)
        case .indexOf, .lastIndexOf, .substring, .startsWith, .endsWith, .contains, .upper, .lower, .replace,
            .matches,
            .matchesFull, .replaceMatches, .length, .toChars, .encode, .decode, .escape, .unescape, .trim,
            .split, .join:
            return try text(call)
        case .abs, .ceiling, .exp, .floor, .ln, .log, .power, .round, .sqrt, .truncate, .sum, .min, .max,
            .avg:
            return try number(call)
        case .now, .timeOfDay, .today, .yearOf, .monthOf, .dayOf, .hourOf, .minuteOf, .secondOf,
            .millisecondOf,
            .timezoneOffsetOf, .dateOf, .timeOf, .lowBoundary, .highBoundary, .precision, .comparable:
            return try temporal(call)
        case .type: return call.input.map { typeInformation(of: $0) }
        case .trace, .defineVariable: return try utility(call)
        case .extension, .hasValue, .getValue, .resolve, .memberOf, .conformsTo, .checkModifiers, .htmlChecks,
            .ordinal,
            .weight:
            return try fhir(call)
        }
    }

    /// The value of an argument that does not depend on the items: it is evaluated once, on what the
    /// expression around is evaluated on.
    mutating func argument(_ index: Int, of call: Call) throws(FHIRPathError) -> Items? {
        guard index < call.arguments.count else { return nil }
        var focus = call.focus
        focus.items = focus.this
        return try evaluateApart(call.arguments[index], in: focus)
    }

    mutating func stringArgument(_ index: Int, of call: Call) throws(FHIRPathError) -> String? {
        guard let items = try argument(index, of: call) else { return nil }
        return try string(items, at: call.node)
    }

    mutating func integerArgument(_ index: Int, of call: Call) throws(FHIRPathError) -> Int? {
        guard let items = try argument(index, of: call), let item = try singleValue(items, at: call.node)
        else { return nil }
        guard let integer = item.integer else {
            throw failure("An integer is needed, not \(item.typeName).", at: call.node)
        }
        return integer
    }

    /// The value of an argument for one item as a boolean.
    mutating func holds(
        _ argument: Reference,
        of call: Call,
        on item: FHIRPathItem,
        index: Int
    ) throws(FHIRPathError) -> Bool? {
        // In a line of its own: as an argument of a method it would make Swift copy the evaluation.
        let items = try evaluate(argument, of: call, on: item, index: index)
        return try boolean(items, at: call.node)
    }

    /// The value of an argument for one item: `$this` is the item, `$index` its index.
    mutating func evaluate(
        _ argument: Reference,
        of call: Call,
        on item: FHIRPathItem,
        index: Int
    ) throws(FHIRPathError) -> Items {
        var focus = Focus([item])
        focus.index = index
        focus.total = call.focus.total
        return try evaluateApart(argument, in: focus)
    }
}
