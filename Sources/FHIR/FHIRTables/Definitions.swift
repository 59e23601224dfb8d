/// The types of FHIR R4 (4.0.1) as data: elements, cardinalities, bindings, rules, codes.
///
/// ```swift
/// let observation = Definitions.r4.type(named: "Observation")
/// let status = observation?.element(named: "status")
/// status?.minimum                                    // 1
/// status?.binding.flatMap { Definitions.r4.valueSets[$0.valueSet] }?.contains(code: "final")      // true
/// ```
///
/// What validates, evaluates paths, or converts resources asks these tables at run time; the Swift types are
/// generated from the same ones.
public final class Definitions: Sendable {
    /// Those of R4, read from the tables that are compiled in when they are first asked for.
    ///
    /// Resources without a view of their own (`ConceptMap`, `Claim`…) have elements with cardinalities and
    /// types, but no bindings, flags and rules: they are ``DefinedType/isPartial``.
    public static let r4: Definitions = {
        do throws(TableError) {
            return try Definitions(
                types: [Table.datatypes, Table.resources, Table.otherResources],
                rules: Table.rules,
                codes: Table.codes
            )
        } catch {
            // The tables are checked when they are compiled in; a test reads them.
            preconditionFailure("the tables of FHIR R4 that are compiled in: \(error)")
        }
    }()

    /// Every type: primitives, datatypes, resources, profiles of datatypes, and the nested ones of backbone
    /// elements. A type's `id` is its index.
    public let types: [DefinedType]
    /// The rules by key.
    public let rules: [String: DefinedRule]
    /// The value sets that a required binding names, by name: the end of the URL.
    public let valueSets: [String: DefinedValueSet]
    /// The names of all resources of R4.
    public let resourceNames: Set<String>

    private let idsByName: NameTable

    /// Reads tables; `schemas/fhir/README.md` describes the format.
    ///
    /// - Throws: ``TableError``, with the line.
    public init(types: [String], rules: String, codes: String) throws(TableError) {
        var reader = TypeTableReader()
        for table in types { try reader.read(table) }
        var resolver = TypeResolver(reader.types)
        self.types = try resolver.resolve()
        idsByName = NameTable(self.types.map(\.name))
        resourceNames = reader.otherResources.union(
            self.types.filter { $0.kind == .resource && !$0.isAbstract }.map(\.name)
        )
        self.rules = try DefinedRule.read(rules)
        valueSets = try DefinedValueSet.read(codes)
    }

    /// A type by its name; nested ones have a path, as in `Observation.component`.
    public func type(named name: String) -> DefinedType? {
        var name = name
        return name.withUTF8 { type(named: $0) }
    }

    /// A type by its name in UTF-8.
    public func type(named name: UnsafeBufferPointer<UInt8>) -> DefinedType? {
        idsByName[name].map { types[$0] }
    }
}

/// A line of a table that cannot be read.
public struct TableError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line.
    public let line: String
    /// What is wrong with it.
    public let reason: String

    public var description: String { "\(reason): \(line)" }
}
