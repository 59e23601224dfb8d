import FHIR
import FHIRPathEngine
import FHIRTables
import OrderedJSON

/// What an expression's result must be, as far as it follows from which elements an object has.
///
/// `value.empty() or component.code.where(…).empty()` holds without reading values where there is no `value`,
/// and also where there is no `component`. Most rules of most objects are decided in this way, and need no
/// evaluation.
indirect enum StructuralCheck: Sendable {
    /// What is known of a result.
    enum Knowledge: Sendable {
        case unknown
        /// It has no items.
        case empty
        /// It has items, and nothing is known of them.
        case some
        case isTrue, isFalse
    }

    /// An object, and its type.
    typealias Object = (json: ParsedNode, type: DefinedType)

    case known(Knowledge)
    /// The values of an element of whatever type the object has.
    case name(String)
    /// The same where a boolean is expected.
    case truth(String)
    /// The values of an element: none when it is absent.
    case element(TypePlan.Elements)
    /// It has no items if the operand has none, and is not known otherwise.
    case part(StructuralCheck)
    /// It has no items if one of the operands has none, and is not known otherwise.
    case both(StructuralCheck, StructuralCheck)
    case exists(StructuralCheck)
    case isEmpty(StructuralCheck)
    /// False where there are no items, and not known otherwise: `hasValue()`, and `exists` with a criterion.
    case someHave(StructuralCheck)
    /// True where there are no items, and not known otherwise: `all` and `isDistinct`.
    case allHave(StructuralCheck)
    case not(StructuralCheck)
    case and(StructuralCheck, StructuralCheck)
    case or(StructuralCheck, StructuralCheck)
    case xor(StructuralCheck, StructuralCheck)

    /// - Parameter type: The type of the objects that the expression is evaluated on; nil for those of any
    ///   type, of which elements are found by name.
    init(_ syntax: FHIRPathSyntax, of type: DefinedType?) { self.init(syntax, syntax.root, type) }

    private init(_ syntax: FHIRPathSyntax, _ reference: FHIRPathSyntax.Reference, _ type: DefinedType?) {
        func check(_ reference: FHIRPathSyntax.Reference) -> StructuralCheck {
            StructuralCheck(syntax, reference, type)
        }
        switch syntax[reference].kind {
        case .empty: self = .known(.empty)
        case .boolean(let value): self = .known(value ? .isTrue : .isFalse)
        case .string, .integer, .long, .decimal, .date, .quantity, .this: self = .known(.some)
        case .index, .total, .variable: self = .known(.unknown)
        case .member(let base?, _): self = .part(check(base))
        case .member(nil, let name):
            guard let type else {
                // A path may begin with the name of a type.
                self = name.first?.isLowercase == true ? .name(name) : .known(.unknown)
                return
            }
            let bit = TypePlan.bit(of: name, in: type)
            // A name that is the type's own means the object itself.
            self = bit == 0 ? .known(.unknown) : .element(bit)
        case .indexer(let base, _): self = .part(check(base))
        case .sign(_, let operand): self = .part(check(operand))
        case .type(_, let operand?, _): self = .part(check(operand))
        case .type(_, nil, _): self = .known(.unknown)
        case .function(let base?, let function, let arguments):
            self = Self.function(function, check(base), hasArguments: !arguments.isEmpty)
        case .function(nil, _, _): self = .known(.unknown)
        case .operation(let operation, let left, let right):
            self = Self.operation(operation, check(left), check(right))
        }
    }

    private static func function(_ function: PathFunction, _ base: StructuralCheck, hasArguments: Bool)
        -> StructuralCheck
    {
        switch function {
        case .exists: hasArguments ? .someHave(base) : .exists(base)
        case .empty: .isEmpty(base)
        case .not: .not(base.asBoolean)
        case .hasValue: .someHave(base)
        case .all, .isDistinct, .allTrue, .allFalse: .allHave(base)
        case .where, .select, .first, .last, .tail, .single, .trace, .children, .descendants, .substring,
            .startsWith,
            .endsWith, .contains, .matches, .matchesFull, .toInteger, .toString, .extension, .lowBoundary,
            .highBoundary,
            .comparable:
            .part(base)
        case .count: .known(.some)
        default: .known(.unknown)
        }
    }

    private static func operation(
        _ operation: FHIRPathSyntax.Operator,
        _ left: StructuralCheck,
        _ right: StructuralCheck
    ) -> StructuralCheck {
        switch operation {
        case .and: .and(left.asBoolean, right.asBoolean)
        case .or: .or(left.asBoolean, right.asBoolean)
        case .xor: .xor(left.asBoolean, right.asBoolean)
        case .implies: .or(.not(left.asBoolean), right.asBoolean)
        case .equal, .notEqual, .lessThan, .lessOrEqual, .greaterThan, .greaterOrEqual, .add, .subtract,
            .multiply, .divide:
            .both(left, right)
        case .in: .part(left)
        default: .known(.unknown)
        }
    }

    private var asBoolean: StructuralCheck {
        if case .name(let name) = self { return .truth(name) }
        return self
    }

    /// What is known of the result for an object that has these elements.
    ///
    /// - Parameters:
    ///   - unknown: Elements that it may have or not.
    ///   - object: The object itself, for elements by name.
    func knowledge(
        of elements: TypePlan.Elements,
        unknown: TypePlan.Elements = 0,
        in object: Object? = nil
    ) -> Knowledge {
        func known(_ part: StructuralCheck) -> Knowledge {
            part.knowledge(of: elements, unknown: unknown, in: object)
        }
        // A profile's expression may fail where nothing is known, and that is told; R4's own do not.
        func mayFail(_ parts: Knowledge...) -> Bool { object != nil && parts.contains(.unknown) }
        switch self {
        case .name(let name): return object.map { Self.knowledge(of: name, in: $0).presence } ?? .unknown
        case .truth(let name): return object.map { Self.knowledge(of: name, in: $0).truth } ?? .unknown
        case .known(let knowledge): return knowledge
        case .element(let element):
            if unknown & element != 0 { return .unknown }
            return elements & element == 0 ? .empty : .some
        case .part(let base):
            return known(base) == .empty ? .empty : .unknown
        case .both(let left, let right):
            let a = known(left)
            let b = known(right)
            if mayFail(a, b) { return .unknown }
            return a == .empty || b == .empty ? .empty : .unknown
        case .exists(let base):
            return switch known(base) {
            case .empty: .isFalse
            case .unknown: .unknown
            default: .isTrue
            }
        case .isEmpty(let base):
            return switch known(base) {
            case .empty: .isTrue
            case .unknown: .unknown
            default: .isFalse
            }
        case .someHave(let base):
            return known(base) == .empty ? .isFalse : .unknown
        case .allHave(let base):
            return known(base) == .empty ? .isTrue : .unknown
        case .not(let base):
            return switch known(base) {
            case .isTrue: .isFalse
            case .isFalse: .isTrue
            case .empty: .empty
            default: .unknown
            }
        case .and(let left, let right):
            let a = known(left)
            if a == .isFalse { return .isFalse }
            if mayFail(a) { return .unknown }
            let b = known(right)
            return switch (a, b) {
            case (_, .isFalse): .isFalse
            case (.isTrue, .isTrue): .isTrue
            case (.empty, .empty), (.empty, .isTrue), (.isTrue, .empty): .empty
            default: .unknown
            }
        case .or(let left, let right):
            let a = known(left)
            if a == .isTrue { return .isTrue }
            if mayFail(a) { return .unknown }
            let b = known(right)
            return switch (a, b) {
            case (_, .isTrue): .isTrue
            case (.isFalse, .isFalse): .isFalse
            case (.empty, .empty), (.empty, .isFalse), (.isFalse, .empty): .empty
            default: .unknown
            }
        case .xor(let left, let right):
            let a = known(left)
            let b = known(right)
            if mayFail(a, b) { return .unknown }
            return switch (a, b) {
            case (.isTrue, .isFalse), (.isFalse, .isTrue): .isTrue
            case (.isTrue, .isTrue), (.isFalse, .isFalse): .isFalse
            case (.empty, _), (_, .empty): .empty
            default: .unknown
            }
        }
    }
}

extension StructuralCheck {
    /// What is known of the values of an element, and of them as a boolean: a single one that is not a
    /// boolean is true (FHIRPath section 4.5).
    private static func knowledge(of name: String, in object: Object) -> (
        presence: Knowledge, truth: Knowledge
    ) {
        var found: ParsedNode?
        let element = object.type.index(ofElementNamed: name)
        for member in object.json.members {
            let part = member.nameValue.withUTF8 { Self.part(named: $0, of: name, element, in: object.type) }
            switch part ?? .unclear {
            case .another: continue
            case .value where found == nil: found = member.value
            case .value, .unclear: return (.unknown, .unknown)
            }
        }
        guard let found else { return (.empty, .empty) }
        return switch found.kind {
        case .string, .number: (.some, .isTrue)
        case .object: element == nil ? (.unknown, .unknown) : (.some, .isTrue)
        default: (.unknown, .unknown)
        }
    }

    /// What a member of an object is to an element.
    private enum Part {
        case value, another
        /// Extensions of a primitive, or the name of a choice without a type: what FHIRPath sees of them
        /// depends on more than the name.
        case unclear
    }

    private static func part(
        named text: UnsafeBufferPointer<UInt8>,
        of name: String,
        _ element: Int?,
        in type: DefinedType
    ) -> Part {
        let (text, isSibling) = text.element
        guard text.first == name.utf8.first else { return .another }
        let isElement = element != nil && type.member(text)?.element == element
        if isElement, !isSibling { return .value }
        return isElement || text.elementsEqual(name.utf8) ? .unclear : .another
    }
}

/// The elements whose presence or absence alone decides that a rule holds: most rules of most objects need no
/// more.
struct StructuralProof: Sendable {
    /// The rule holds if any of these is absent, or any of those is present.
    private var absent: TypePlan.Elements = 0
    private var present: TypePlan.Elements = 0

    init(_ check: StructuralCheck, of type: DefinedType) {
        for index in type.elements.indices {
            let element: TypePlan.Elements = 1 << index
            if check.knowledge(of: 0, unknown: ~element) == .isTrue { absent |= element }
            if check.knowledge(of: element, unknown: ~element) == .isTrue { present |= element }
        }
    }

    /// Whether the rule certainly holds for an object that has these elements.
    func holds(for elements: TypePlan.Elements) -> Bool { ~elements & absent | elements & present != 0 }
}
