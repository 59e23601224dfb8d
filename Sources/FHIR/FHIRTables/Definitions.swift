/// The types of FHIR R4 (4.0.1) as data: elements, cardinalities, bindings and the keys of rules.
///
/// ```swift
/// let observation = Definitions.r4.type(named: "Observation")
/// let status = observation?.element(named: "status")
/// status?.minimum                                    // 1
/// status?.binding?.valueSet                          // "observation-status"
/// ```
///
/// What validates, evaluates paths, or converts resources asks these tables at run time; the Swift types are
/// generated from the same ones. A type is read from its lines when it is first asked for.
public final class Definitions: Sendable {
    /// Those of R4, from the tables that are compiled in.
    public static let r4: Definitions = {
        do throws(TableError) {
            return try Definitions(types: [Table.datatypes, Table.resources, Table.otherResources])
        } catch {
            // The tables are checked when they are compiled in; a test reads them.
            preconditionFailure("the tables of FHIR R4 that are compiled in: \(error)")
        }
    }()

    /// The types of R4 that have a view in the module FHIR.
    package static let viewed: Definitions = {
        do throws(TableError) {
            return try Definitions(types: [Table.datatypes, Table.resources])
        } catch {
            // The tables are checked when they are compiled in; a test reads them.
            preconditionFailure("the tables of FHIR R4 that are compiled in: \(error)")
        }
    }()

    /// The names of all resources of R4 that are not abstract.
    public let resourceNames: Set<String>

    /// By ``DefinedType/id`` whether it is one of the resources that are not abstract.
    private let areResources: [Bool]
    private let tables: [String]
    let entries: [TypeIndex.Entry]
    private let idsByName: NameTable
    // A slot for each entry. Slots are only used by their atomic operations, and freed with the definitions.
    nonisolated(unsafe) private let slots: UnsafeMutablePointer<LazyObject<DefinedType>>

    /// Finds the types in tables; `schemas/fhir/README.md` describes the format.
    ///
    /// - Throws: ``TableError``, with the line. What is wrong inside a type ``check()`` finds.
    public init(types tables: [String]) throws(TableError) {
        let tables = tables.map { table in
            var table = table
            table.makeContiguousUTF8()
            return table
        }
        var index = TypeIndex()
        for (number, table) in tables.enumerated() { try index.read(table, number: number) }
        self.tables = tables
        entries = index.entries
        idsByName = NameTable(entries.map(\.name))
        var names: Set<String> = []
        for entry in entries where entry.indent == 0 {
            let words = tables[entry.table].bytes(entry.head).words
            if words[0] == "resource", !words.dropFirst(3).contains("abstract") { names.insert(entry.name) }
        }
        resourceNames = names
        areResources = entries.map { $0.indent == 0 && names.contains($0.name) }
        slots = .allocate(capacity: entries.count)
        for id in entries.indices { (slots + id).initialize(to: LazyObject()) }
    }

    deinit {
        slots.deinitialize(count: entries.count)
        slots.deallocate()
    }

    /// Every type: primitives, datatypes, resources, profiles of datatypes, and the nested ones of backbone
    /// elements. A type's `id` is its index.
    public var types: DefinedTypes { DefinedTypes(definitions: self) }

    /// The type with an `id`.
    public func type(id: Int) -> DefinedType {
        if let type = slots[id].load() { return type }
        do throws(TableError) {
            return try load(id)
        } catch {
            preconditionFailure("a table of types that was not checked: \(error)")
        }
    }

    /// A type by its name; nested ones have a path, as in `Observation.component`.
    public func type(named name: String) -> DefinedType? { id(ofTypeNamed: name).map { type(id: $0) } }

    /// A type by its name in UTF-8.
    public func type(named name: UnsafeBufferPointer<UInt8>) -> DefinedType? {
        idsByName[name].map { type(id: $0) }
    }

    /// The id of the resource with a name in UTF-8; nil for other types, and for abstract ones.
    package func id(ofResourceNamed name: UnsafeBufferPointer<UInt8>) -> Int? {
        idsByName[name].flatMap { areResources[$0] ? $0 : nil }
    }

    /// Reads every type.
    ///
    /// - Throws: ``TableError``, with the first line that is wrong.
    public func check() throws(TableError) {
        for id in entries.indices { _ = try load(id) }
    }

    // MARK: Reading

    func id(ofTypeNamed name: String) -> Int? {
        var name = name
        return name.withUTF8 { idsByName[$0] }
    }

    func text(_ range: Range<Int>, of entry: TypeIndex.Entry) -> Substring {
        tables[entry.table].bytes(range)
    }

    /// The type with an `id`, read if nobody did; of two that read it at the same time the first's stays.
    func load(_ id: Int) throws(TableError) -> DefinedType {
        if let type = slots[id].load() { return type }
        return slots[id].storeIfNil(try TypeReader(definitions: self).type(id))
    }
}

/// The types of ``Definitions`` by their `id`.
public struct DefinedTypes: RandomAccessCollection, Sendable {
    fileprivate let definitions: Definitions

    public var startIndex: Int { 0 }
    public var endIndex: Int { definitions.entries.count }
    public subscript(id: Int) -> DefinedType { definitions.type(id: id) }
}

/// A line of a table that cannot be read.
public struct TableError: Error, Sendable, Equatable, CustomStringConvertible {
    public let line: String
    /// What is wrong with it.
    public let reason: String

    public var description: String { "\(reason): \(line)" }
}
