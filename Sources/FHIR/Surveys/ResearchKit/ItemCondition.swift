import FHIR
import OrderedJSON

/// A condition on the answers of a questionnaire's items, which come from the steps of a task.
indirect enum ItemCondition: Hashable {
    case all([ItemCondition])
    case any([ItemCondition])
    case not(ItemCondition)
    /// The step of the task with this index is reached.
    case reached(Int)
    /// The item with this link id has an answer.
    case answered(String)
    /// At least one answer of the item with this link id passes a test.
    case some(String, Test)

    /// What is asked of one answer.
    indirect enum Test: Hashable {
        case all([Test])
        case any([Test])
        case not(Test)
        /// The answer compares like this with a value: `==`, `!=`, `>`, `<`, `>=`, `<=`.
        case compares(String, Literal)
    }

    /// A value that answers are compared with.
    struct Literal: Hashable {
        /// The type in FHIR, as in `answerInteger`.
        let type: String
        let answer: JSONValue
        /// Whether answers have the type, so that `enableWhen` takes it.
        var isOfItem = true
    }

    // MARK: Forms

    /// The same without `all` in `all`, `any` in `any`, and `not` in `not`.
    var simplified: ItemCondition {
        switch self {
        case .all(let parts):
            let flat = parts.flatMap(\.simplified.conjuncts)
            return flat.count == 1 ? flat[0] : .all(flat)
        case .any(let parts):
            let flat = parts.flatMap(\.simplified.disjuncts)
            return flat.count == 1 ? flat[0] : .any(flat)
        case .not(let part):
            let inner = part.simplified
            if case .not(let twice) = inner { return twice }
            return .not(inner)
        case .some(let item, let test):
            // If an answer passes any of several tests, it passes one of them. With `all` it is different:
            // the same answer has to pass all tests.
            guard case .any(let tests) = test.simplified else { return .some(item, test.simplified) }
            return .any(tests.map { .some(item, $0) })
        case .reached, .answered: return self
        }
    }

    private var conjuncts: [ItemCondition] { if case .all(let parts) = self { parts } else { [self] } }

    private var disjuncts: [ItemCondition] { if case .any(let parts) = self { parts } else { [self] } }

    /// The condition, if only some steps may be passed over, and all others are always reached.
    func reaching(_ passedOver: Set<Int>) -> ItemCondition {
        switch self {
        case .all(let parts): .all(parts.map { $0.reaching(passedOver) })
        case .any(let parts): .any(parts.map { $0.reaching(passedOver) })
        case .not(let part): .not(part.reaching(passedOver))
        case .reached(let step): passedOver.contains(step) ? self : .all([])
        case .answered, .some: self
        }
    }

    /// The steps of which it asks whether they are reached.
    var reachedSteps: Set<Int> {
        switch self {
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.reachedSteps) }
        case .not(let part): part.reachedSteps
        case .reached(let step): [step]
        case .answered, .some: []
        }
    }

    // MARK: FHIR

    /// One of the conditions that `enableWhen` has; nil for another.
    ///
    /// `!=` there is that no answer has the value (FHIR R4, `questionnaire-enable-operator`). That an answer
    /// has another value is not one of them.
    var enableWhen: JSONValue? {
        switch self {
        case .answered(let item):
            ["question": JSONValue(item), "operator": "exists", "answerBoolean": true]
        case .not(.answered(let item)):
            ["question": JSONValue(item), "operator": "exists", "answerBoolean": false]
        case .some(let item, .compares(let sign, let literal)) where sign != "!=" && literal.isOfItem:
            [
                "question": JSONValue(item), "operator": JSONValue(sign == "==" ? "=" : sign),
                "answer\(literal.type)": literal.answer,
            ]
        case .not(.some(let item, .compares("==", let literal))) where literal.isOfItem:
            ["question": JSONValue(item), "operator": "!=", "answer\(literal.type)": literal.answer]
        default: nil
        }
    }

    /// The condition in FHIRPath. Whether a step is reached is a variable: `%step1`.
    var path: String {
        switch self {
        case .all(let parts) where parts.isEmpty: "true"
        case .any(let parts) where parts.isEmpty: "false"
        case .all(let parts): Self.joined(parts.map(\.path)[...], " and ")
        case .any(let parts): Self.joined(parts.map(\.path)[...], " or ")
        case .not(let part): "\(part.path).not()"
        case .reached(let step): Self.variable(step)
        case .answered(let item): "\(Self.values(item)).exists()"
        case .some(let item, let test): "\(Self.values(item)).where(\(test.path)).exists()"
        }
    }

    /// Joins parts with an operator. Many parts are joined in halves, since operators nest.
    fileprivate static func joined(_ parts: ArraySlice<String>, _ operation: String) -> String {
        guard parts.count > 64 else { return "(" + parts.joined(separator: operation) + ")" }
        let middle = parts.startIndex + parts.count / 2
        let halves = [joined(parts[..<middle], operation), joined(parts[middle...], operation)]
        return "(" + halves.joined(separator: operation) + ")"
    }

    /// The variable that says whether a step is reached.
    static func variable(_ step: Int) -> String { "%step\(step)" }

    private static func values(_ item: String) -> String {
        "%resource.repeat(item).where(linkId = \(quoted(item))).answer.value"
    }

    /// A string of FHIRPath.
    fileprivate static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}

extension ItemCondition.Test {
    /// The same without `all` in `all`, `any` in `any`, and `not` where another comparison says it.
    var simplified: ItemCondition.Test {
        switch self {
        case .all(let parts):
            let flat = parts.flatMap(\.simplified.conjuncts)
            return flat.count == 1 ? flat[0] : .all(flat)
        case .any(let parts):
            let flat = parts.flatMap(\.simplified.disjuncts)
            return flat.count == 1 ? flat[0] : .any(flat)
        case .not(let part):
            switch part.simplified {
            case .not(let inner): return inner
            case .compares("==", let literal): return .compares("!=", literal)
            case .compares("!=", let literal): return .compares("==", literal)
            case let other: return .not(other)
            }
        case .compares: return self
        }
    }

    private var conjuncts: [ItemCondition.Test] { if case .all(let parts) = self { parts } else { [self] } }

    private var disjuncts: [ItemCondition.Test] { if case .any(let parts) = self { parts } else { [self] } }

    /// The test in FHIRPath, of `$this`.
    fileprivate var path: String {
        switch self {
        case .all(let parts): ItemCondition.joined(parts.map(\.path)[...], " and ")
        case .any(let parts): ItemCondition.joined(parts.map(\.path)[...], " or ")
        // `not()` of an empty collection is empty, as with the code of a text.
        case .not(let part): "where(\(part.path)).empty()"
        case .compares(let sign, let literal): literal.path(sign)
        }
    }
}

extension ItemCondition.Literal {
    fileprivate func path(_ sign: String) -> String {
        let operation = sign == "==" ? "=" : sign
        switch type {
        case "Coding":
            let isSame = codingPath
            return sign == "!=" ? "where(\(isSame)).empty()" : isSame
        case "Quantity": return "value \(operation) \(number(answer["value"]))"
        case "String": return "$this \(operation) \(ItemCondition.quoted(answer.string ?? ""))"
        case "Date", "DateTime": return "$this \(operation) @\(answer.string ?? "")"
        case "Decimal": return "$this \(operation) \(number(answer))"
        default: return "$this \(operation) \(answer.text())"
        }
    }

    /// FHIRPath's numbers have no exponents.
    private func number(_ value: JSONValue?) -> String {
        value?.number.flatMap(ResearchKitNumber.init)?.text ?? "0"
    }

    /// Codings are the same by system and code; without a code, by their displays.
    private var codingPath: String {
        func equals(_ name: String) -> String {
            guard let text = answer[name]?.string else { return "\(name).empty()" }
            return "\(name) = \(ItemCondition.quoted(text))"
        }
        let names = answer["code"] == nil ? ["code", "display"] : ["system", "code"]
        return names.map(equals).joined(separator: " and ")
    }
}
