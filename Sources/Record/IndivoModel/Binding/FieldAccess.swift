/// Reads a ``Field`` from a table into its place in memory, and writes it from there.
struct FieldAccess: Sendable {
    typealias Reader = FieldSchema.Reader
    typealias Writer = FieldSchema.Writer

    /// What must lie at the place.
    let type: Any.Type
    let read: @Sendable (UnsafeMutableRawPointer, Reader, FieldSchema) throws -> Void
    let write: @Sendable (UnsafeRawPointer, Writer, FieldSchema) -> Void

    /// The types that most fields have get code of their own: for a type that is known only at run time, each
    /// step would ask the runtime what it is.
    init(_ shape: FieldSchema.Shape) {
        self =
            switch shape.kind {
            case .leaf(is String.Type): .leaf(String.self, shape)
            case .leaf(is Bool.Type): .leaf(Bool.self, shape)
            case .leaf(is Int.Type): .leaf(Int.self, shape)
            case .leaf(is Double.Type): .leaf(Double.self, shape)
            case .leaf(is XMLDate.Type): .leaf(XMLDate.self, shape)
            case .leaf(is XMLDateTime.Type): .leaf(XMLDateTime.self, shape)
            case .leaf(is CodeSystem.Type): .leaf(CodeSystem.self, shape)
            case .leaf(let type): .leaf(type, shape)
            case .compound(is CodedValue.Type): .compound(CodedValue.self, shape)
            case .compound(let type): .compound(type, shape)
            case .document(let type): type.access(shape)
            }
    }

    // The places come from a schema, which found at that offset a property of exactly this type, initialised
    // as all are.
    @inline(__always)
    private init<Value: FieldValue & SendableMetatype>(
        read: @Sendable @escaping (Reader, FieldSchema) throws -> Value,
        write: @Sendable @escaping (Value, Writer, FieldSchema) -> Void
    ) {
        type = Field<Value>.self
        self.read = {
            let value = try read($1, $2)
            $0.assumingMemoryBound(to: Field<Value>.self).pointee.wrappedValue = value
        }
        self.write = { write($0.assumingMemoryBound(to: Field<Value>.self).pointee.wrappedValue, $1, $2) }
    }

    /// An optional or a list.
    /// - Parameters:
    ///   - read: Reads a field's only value, or the reader's item of a list; `nil` when there is none.
    ///   - write: Writes a field's only value, or the value behind the others of a list.
    @inline(__always)
    fileprivate init<Value: FieldElement & SendableMetatype>(
        _ shape: FieldSchema.Shape,
        read: @Sendable @escaping (Reader, FieldSchema) throws -> Value?,
        write: @Sendable @escaping (Value, Writer, FieldSchema) -> Void
    ) {
        guard shape.isList else {
            self.init(read: read) { (value: Value?, writer, field) in
                if let value { write(value, writer, field) } else { writer.absent(field) }
            }
            return
        }
        self.init { reader, field in
            // A loop: `compactMap` in a generic function allocates memory for each element that it takes out
            // of the array.
            var values: [Value] = []
            for item in reader.items(of: field) {
                if let value = try read(reader.at(item), field) { values.append(value) }
            }
            return values
        } write: { (values: [Value], writer, field) in
            for value in values { write(value, writer, field) }
        }
    }

    private static func leaf<Value: LexicalValue>(_ type: Value.Type, _ shape: FieldSchema.Shape) -> Self {
        if shape.defaultText != nil, let type = type as? any (LexicalValue & FieldValue).Type {
            return nonOptional(type)
        }
        return Self(shape, read: Value.read, write: { $1.leaf($0, $2) })
    }

    /// A value that exists even if the document does not have it.
    private static func nonOptional<Value: LexicalValue & FieldValue>(_ type: Value.Type) -> Self {
        Self { reader, field in
            if let value = try Value.read(reader, field) { return value }
            if !reader.isPresent(field) { try reader.report(.missingValue, field) }
            return Value.absent
        } write: {
            $1.leaf($0, $2)
        }
    }

    private static func compound<Value: CompoundValue>(_ type: Value.Type, _ shape: FieldSchema.Shape) -> Self
    {
        Self(shape, read: Value.read, write: { $0.write($1, $2) })
    }
}

extension LexicalValue {
    fileprivate static func read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        guard let text = reader.text(of: field) else { return nil }
        do throws(LexicalError) {
            return try text.withUTF8 { (bytes) throws(LexicalError) in
                try _read(utf8: bytes, isField: reader.format == .dataModel)
            }
        } catch {
            try reader.report(.unreadableValue(text: text.string, error), field)
            return nil
        }
    }
}

extension CompoundValue {
    fileprivate static func read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        guard let inner = field.inner else { return try reader.itemValue(field) }
        guard reader.isPresent(field) else { return nil }
        var value = Self()
        try withUnsafeMutablePointer(to: &value) { try inner.read(into: UnsafeMutableRawPointer($0), reader) }
        return value
    }

    fileprivate func write(_ writer: FieldSchema.Writer, _ field: FieldSchema) {
        guard let inner = field.inner else { return writer.add(.value(self), to: field) }
        writer.compound(field) {
            withUnsafePointer(to: self) { inner.write(from: UnsafeRawPointer($0), writer) }
        }
    }
}

extension IndivoDocument {
    /// Of the class itself: in a generic function a class's type is the one that the caller names.
    fileprivate static func access(_ shape: FieldSchema.Shape) -> FieldAccess {
        func access<Document: IndivoDocument & SendableMetatype>(_: Document.Type) -> FieldAccess {
            FieldAccess(shape) {
                try $0.document(of: $1, Document.self) as? Document
            } write: {
                $1.add(.document($0), to: $2)
            }
        }
        return access(Self.self)
    }
}
