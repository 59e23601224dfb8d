/// The functions: FHIRPath's, those that FHIR adds, and SDC's.
package enum PathFunction: String, Sendable, CaseIterable {
    // Existence
    case empty, exists, all, allTrue, anyTrue, allFalse, anyFalse, subsetOf, supersetOf, count, distinct,
        isDistinct, not
    // Filtering and projection
    case `where`, select, `repeat`, repeatAll, sort, coalesce
    // Subsetting and combining
    case single, first, last, tail, skip, take, intersect, exclude, union, combine
    // Conversion
    case iif, toBoolean, convertsToBoolean, toInteger, convertsToInteger, toLong, convertsToLong, toDate,
        convertsToDate
    case toDateTime, convertsToDateTime, toDecimal, convertsToDecimal, toQuantity, convertsToQuantity
    case toString, convertsToString, toTime, convertsToTime
    // Strings
    case indexOf, lastIndexOf, substring, startsWith, endsWith, contains, upper, lower, replace, matches,
        matchesFull
    case replaceMatches, length, toChars, encode, decode, escape, unescape, trim, split, join
    // Numbers
    case abs, ceiling, exp, floor, ln, log, power, round, sqrt, truncate, sum, min, max, avg, aggregate
    // The tree
    case children, descendants, type
    // Utility
    case trace, now, timeOfDay, today, defineVariable
    // Parts, boundaries and precision
    case yearOf, monthOf, dayOf, hourOf, minuteOf, secondOf, millisecondOf, timezoneOffsetOf, dateOf, timeOf
    case lowBoundary, highBoundary, precision, comparable
    // FHIR
    case `extension`, hasValue, getValue, resolve, memberOf, conformsTo, checkModifiers, htmlChecks
    // SDC
    case ordinal, weight

    /// How many arguments it takes.
    package var arguments: ClosedRange<Int> {
        switch self {
        case .exists, .toQuantity, .convertsToQuantity, .join, .round, .lowBoundary, .highBoundary: 0...1
        case .all, .subsetOf, .supersetOf, .where, .select, .repeat, .repeatAll, .skip, .take, .intersect,
            .exclude, .union,
            .combine, .indexOf, .lastIndexOf, .startsWith, .endsWith, .contains, .encode, .decode,
            .escape, .unescape, .split, .log, .power, .comparable, .extension, .memberOf, .conformsTo:
            1...1
        case .substring, .aggregate, .trace, .defineVariable, .matches, .matchesFull: 1...2
        case .replace: 2...2
        case .replaceMatches: 2...3
        case .iif: 2...3
        case .sort: 0...20
        case .coalesce, .checkModifiers: 1...20
        default: 0...0
        }
    }
}
