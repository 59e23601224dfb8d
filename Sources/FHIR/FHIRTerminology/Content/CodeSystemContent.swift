/// The codes of a code system, with what filters and look-ups ask of them (FHIR `CodeSystem`).
public final class CodeSystemContent: Sendable {
    /// How much of the code system is there (`CodeSystem.content`).
    public enum Completeness: String, Sendable {
        /// Every code.
        case complete
        /// Some codes, chosen as examples.
        case example
        /// Some codes.
        case fragment
        /// None.
        case notPresent = "not-present"
        /// More about the codes of another code system.
        case supplement
    }

    /// A code.
    public struct Concept: Sendable {
        /// The code itself.
        public let code: String
        /// What people read; the code where there is nothing else.
        public let display: String
        /// What it means, in a sentence or more.
        public let definition: String?
        /// The properties in the order of the code system.
        public internal(set) var properties: [Property]
        /// The same in other languages, and for other uses.
        public internal(set) var designations: [Designation]
        /// The indices of the concepts that it is directly one of.
        public internal(set) var parents: [Int]

        /// Whether it only groups others and is not a value itself.
        public var isAbstract: Bool {
            properties.contains {
                ($0.name == "notSelectable" || $0.name == "abstract") && $0.value == "true"
            }
        }

        /// Whether it is no longer used.
        public var isInactive: Bool {
            properties.contains {
                $0.name == "inactive" && $0.value == "true"
                    || $0.name == "status" && ($0.value == "retired" || $0.value == "inactive")
            }
        }

        /// What people read in a language (BCP 47), or in one that it is a variant of.
        public func display(in language: String?) -> String {
            guard let language = language?.lowercased() else { return display }
            let found = designations.first { $0.language?.lowercased() == language }
            let general = language.prefix { $0 != "-" }
            let similar = found ?? designations.first { $0.language?.lowercased().hasPrefix(general) == true }
            return similar?.value ?? display
        }
    }

    /// A property of a concept; a Coding's value is its code.
    public struct Property: Sendable, Hashable {
        /// The name (`CodeSystem.property.code`).
        public let name: String
        /// The value as a text.
        public let value: String
    }

    /// Another text of a concept.
    public struct Designation: Sendable, Hashable {
        /// The language, in BCP 47.
        public let language: String?
        /// What the text is for: a system and a code.
        public let use: SystemCode?
        /// The text.
        public let value: String
    }

    /// The canonical URL.
    public let url: String
    /// The version, as the code system's authors count.
    public let version: String?
    /// The name for programs.
    public let name: String?
    /// How much of the code system is there.
    public let completeness: Completeness
    /// Whether `a` and `A` are the same code.
    public let ignoresCase: Bool
    /// The code system that this one says more about.
    public let supplements: String?
    /// The URL of the value set of all codes, where the code system names one.
    public let valueSet: String?
    /// The concepts: each before those below it.
    public let concepts: [Concept]
    /// The names of the properties that concepts may have.
    public let propertyNames: Set<String>
    private let indices: [String: Int]

    /// A concept as a table or a resource has it: one below the concept before it that is a level higher.
    struct Row {
        var depth: Int
        var code: String
        var display: String?
        var definition: String?
        var properties: [Property] = []
        var designations: [Designation] = []
    }

    /// What a code system is besides its concepts.
    struct Head {
        var url: String
        var version: String?
        var name: String?
        var completeness: Completeness
        var ignoresCase = false
        var supplements: String?
        var valueSet: String?
        var propertyNames: Set<String> = []
    }

    init(_ head: Head, _ rows: [Row]) {
        url = head.url
        version = head.version
        name = head.name
        completeness = head.completeness
        ignoresCase = head.ignoresCase
        supplements = head.supplements
        valueSet = head.valueSet
        var concepts: [Concept] = []
        var indices: [String: Int] = [:]
        var names = head.propertyNames
        var path: [Int] = []
        concepts.reserveCapacity(rows.count)
        for row in rows {
            path.removeLast(max(0, path.count - row.depth))
            let key = Self.key(row.code, head.ignoresCase)
            if indices[key] == nil { indices[key] = concepts.count }
            path.append(concepts.count)
            for property in row.properties { names.insert(property.name) }
            concepts.append(
                Concept(
                    code: row.code,
                    display: row.display ?? row.code,
                    definition: row.definition,
                    properties: row.properties,
                    designations: row.designations,
                    parents: path.count > 1 ? [path[path.count - 2]] : []
                )
            )
        }
        Self.addParents(&concepts) { indices[Self.key($0, head.ignoresCase)] }
        self.concepts = concepts
        self.indices = indices
        propertyNames = names
    }

    /// A code system with what another one says more about its codes.
    init(_ original: CodeSystemContent, supplementedBy supplement: CodeSystemContent) {
        url = original.url
        version = original.version
        name = original.name
        completeness = original.completeness
        ignoresCase = original.ignoresCase
        supplements = nil
        valueSet = original.valueSet
        indices = original.indices
        propertyNames = original.propertyNames.union(supplement.propertyNames)
        var concepts = original.concepts
        for more in supplement.concepts {
            guard let index = original.index(of: more.code) else { continue }
            concepts[index].properties += more.properties
            concepts[index].designations += more.designations
        }
        self.concepts = concepts
    }

    /// Concepts may be below several others: properties name the further ones.
    private static func addParents(_ concepts: inout [Concept], _ index: (String) -> Int?) {
        // Which of them are known, for a stranger's concept that has very many.
        var known: Set<[Int]> = []
        for (child, concept) in concepts.enumerated() {
            for parent in concept.parents { known.insert([child, parent]) }
        }
        func add(_ parent: Int, to child: Int) {
            guard parent != child, known.insert([child, parent]).inserted else { return }
            concepts[child].parents.append(parent)
        }
        for position in concepts.indices {
            for property in concepts[position].properties {
                switch property.name {
                case "parent", "subsumedBy": if let other = index(property.value) { add(other, to: position) }
                case "child": if let other = index(property.value) { add(position, to: other) }
                default: break
                }
            }
        }
    }

    private static func key(_ code: String, _ ignoresCase: Bool) -> String {
        ignoresCase ? code.lowercased() : code
    }

    /// The index of a code in ``concepts``; of codes that are there twice the first.
    public func index(of code: String) -> Int? { indices[Self.key(code, ignoresCase)] }

    /// The concept of a code.
    public func concept(_ code: String) -> Concept? { index(of: code).map { concepts[$0] } }

    /// Whether a code is missing because the code system does not have it.
    public var isComplete: Bool { completeness == .complete }

    /// Whether two codes are the same.
    func isSame(_ a: String, _ b: String) -> Bool { Self.key(a, ignoresCase) == Self.key(b, ignoresCase) }

    /// The concept and all that it is one of, directly or not.
    func lineage(of index: Int) -> Set<Int> {
        var found: Set<Int> = [index]
        var open = [index]
        while let next = open.popLast() {
            for parent in concepts[next].parents where found.insert(parent).inserted { open.append(parent) }
        }
        return found
    }

    /// The concepts directly below each.
    var children: [Int: [Int]] {
        var children: [Int: [Int]] = [:]
        for (position, concept) in concepts.enumerated() {
            for parent in concept.parents { children[parent, default: []].append(position) }
        }
        return children
    }

    /// The concept and all that are one of it, directly or not.
    func descendants(of index: Int) -> Set<Int> {
        let children = children
        var found: Set<Int> = [index]
        var open = [index]
        while let next = open.popLast() {
            for child in children[next] ?? [] where found.insert(child).inserted { open.append(child) }
        }
        return found
    }
}

/// A code with its code system.
public struct SystemCode: Sendable, Hashable {
    /// The code system's URL.
    public let system: String?
    public let code: String

    public init(system: String?, code: String) {
        self.system = system
        self.code = code
    }
}
