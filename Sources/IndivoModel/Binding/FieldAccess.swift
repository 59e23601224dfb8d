/// Reads and writes a ``Field`` in place, its value type known only here.
protocol FieldAccess: SendableMetatype {
    static var shape: FieldShape { get }
    static func options(at place: UnsafeRawPointer) -> FieldOptions
    static func read(into place: UnsafeMutableRawPointer, _ reader: TableReader, _ field: FieldSchema) throws
    static func write(from place: UnsafeRawPointer, _ writer: TableWriter, _ field: FieldSchema)
    static func copy(from place: UnsafeRawPointer, to other: UnsafeMutableRawPointer)
}

// The pointers come from a schema, which found at that offset a property of exactly this type; its memory is
// initialised, since every stored property of a Swift object is.
extension Field: FieldAccess {
    static var shape: FieldShape { Value._shape }

    static func options(at place: UnsafeRawPointer) -> FieldOptions {
        place.assumingMemoryBound(to: Self.self).pointee.options ?? FieldOptions()
    }

    static func read(into place: UnsafeMutableRawPointer, _ reader: TableReader, _ field: FieldSchema) throws {
        let value = try Value._read(reader, field)
        place.assumingMemoryBound(to: Self.self).pointee.wrappedValue = value
    }

    static func write(from place: UnsafeRawPointer, _ writer: TableWriter, _ field: FieldSchema) {
        place.assumingMemoryBound(to: Self.self).pointee.wrappedValue._write(writer, field)
    }

    static func copy(from place: UnsafeRawPointer, to other: UnsafeMutableRawPointer) {
        other.assumingMemoryBound(to: Self.self).pointee.wrappedValue =
            place.assumingMemoryBound(to: Self.self).pointee.wrappedValue
    }
}

extension FieldSchema {
    /// Gives an object the value that another of the same class has.
    func copy(from document: IndivoDocument, to other: IndivoDocument) {
        withExtendedLifetime(document) {
            access.copy(from: document.storage + offset, to: other.storage + offset)
        }
    }
}

/// The types that most fields have. They have code of their own: of a type that is known only at run time, each step
/// would ask the runtime what it is.
enum CommonField {
    case string, boolean, integer, number, date, dateTime, codeSystem, codedValue

    /// `nil` for a field of another type.
    init?(_ access: any FieldAccess.Type) {
        switch access {
        case is Field<String?>.Type: self = .string
        case is Field<Bool?>.Type: self = .boolean
        case is Field<Int?>.Type: self = .integer
        case is Field<Double?>.Type: self = .number
        case is Field<XMLDate?>.Type: self = .date
        case is Field<XMLDateTime?>.Type: self = .dateTime
        case is Field<CodeSystem?>.Type: self = .codeSystem
        case is Field<CodedValue?>.Type: self = .codedValue
        default: return nil
        }
    }

    func read(into place: UnsafeMutableRawPointer, _ reader: TableReader, _ field: FieldSchema) throws {
        switch self {
        case .string: try Field<String?>.read(into: place, reader, field)
        case .boolean: try Field<Bool?>.read(into: place, reader, field)
        case .integer: try Field<Int?>.read(into: place, reader, field)
        case .number: try Field<Double?>.read(into: place, reader, field)
        case .date: try Field<XMLDate?>.read(into: place, reader, field)
        case .dateTime: try Field<XMLDateTime?>.read(into: place, reader, field)
        case .codeSystem: try Field<CodeSystem?>.read(into: place, reader, field)
        case .codedValue: try Field<CodedValue?>.read(into: place, reader, field)
        }
    }

    func write(from place: UnsafeRawPointer, _ writer: TableWriter, _ field: FieldSchema) {
        switch self {
        case .string: Field<String?>.write(from: place, writer, field)
        case .boolean: Field<Bool?>.write(from: place, writer, field)
        case .integer: Field<Int?>.write(from: place, writer, field)
        case .number: Field<Double?>.write(from: place, writer, field)
        case .date: Field<XMLDate?>.write(from: place, writer, field)
        case .dateTime: Field<XMLDateTime?>.write(from: place, writer, field)
        case .codeSystem: Field<CodeSystem?>.write(from: place, writer, field)
        case .codedValue: Field<CodedValue?>.write(from: place, writer, field)
        }
    }
}
