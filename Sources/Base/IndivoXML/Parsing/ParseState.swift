import libxml2

/// The state of the parser's callbacks: the growing arena, and the position in the document. It lives behind
/// a pointer that libxml2 passes to each callback.
struct ParseState {
    var context: xmlParserCtxtPtr?
    var arena = Arena()
    var names = PointerNames()
    private let recentValues = ValueCache()
    let limits: XMLLimits
    let dropsWhitespace: Bool
    /// The document in UTF-8; empty when it comes piece by piece.
    let source: UTF8Bytes
    /// How much of the source was passed to libxml2, if it reads it in pieces.
    private var fed = 0

    /// The open element, at first the document.
    var parent: UInt32 = 0
    /// The last finished child of `parent`.
    var lastSibling = noNode
    /// The text that the next piece of characters continues, if the last event was a text's.
    var openText = noNode
    /// The sibling before it.
    var textPredecessor = noNode
    var depth = 0
    /// The line where the last event ended, and so where the next node starts.
    var line: UInt32 = 1
    /// The first error, and whether there is one: the events check the flag, which is cheaper.
    private(set) var error: XMLError?
    private(set) var hasFailed = false
    /// The local names of the elements that are kept when a document is read piece by piece; nil to keep all.
    var wanted: [[UInt8]]?
    /// The subtrees that were completed since they were last taken.
    var completed: [XMLTree] = []

    // Only documents with a DTD use these.
    var entities: [UTF8Key: [UInt8]] = [:]
    /// How many attributes the DTD declares of an element, and how many of them with a default, by the
    /// pointer to the element's qualified name in libxml2's dictionary.
    var declaredAttributes: [UnsafePointer<UInt8>: Int] = [:]
    var defaults: [UnsafePointer<UInt8>: Int] = [:]
    var defaultsDeclareNamespaces = false
    var expandedBytes = 0
    var subsetStart: Int?
    var subsetName: UInt32 = 0
    /// Where the last comment or processing instruction before the root ends.
    var topLevelEnd = 0

    mutating func deallocate() {
        arena.apply(.deallocate)
        names.deallocate()
        recentValues.deallocate()
    }

    init(source: UTF8Bytes, options: XMLParseOptions) {
        self.source = source
        limits = options.limits
        dropsWhitespace = options.dropsWhitespace
        arena.lines.append(1)
    }

    /// Appends a record as the next child of the open element.
    @inline(__always)
    mutating func append(_ record: NodeRecord) -> UInt32 {
        if parent == 0 { line = topLevelLine }
        arena.lines.append(line)
        line = currentLine
        return arena.append(record, behind: lastSibling)
    }

    @inline(__always)
    var currentLine: UInt32 {
        guard let input = context?.pointee.input else { return line }
        return UInt32(truncatingIfNeeded: input.pointee.line)
    }

    /// The line of the node at the top level that the parser has just read. The white space before the node
    /// has no event of its own.
    private var topLevelLine: UInt32 {
        guard let offset else { return currentLine }
        let start = source[..<offset].lastIndex(of: UInt8(ascii: "<")) ?? 0
        let lines = source[start..<offset].count { $0 == UInt8(ascii: "\n") }
        return max(line, currentLine - min(UInt32(lines), currentLine))
    }

    /// How many bytes of the source were read; inside an entity, up to the end of its reference.
    var offset: Int? {
        guard source.baseAddress != nil, let context, context.pointee.inputNr > 0,
            let input = context.pointee.inputTab[0], let base = input.pointee.base, input.pointee.end != base
        else { return nil }
        let position = Int(input.pointee.consumed) + (input.pointee.cur - base)
        return position <= source.count ? position : nil
    }

    /// Copies the next piece of the source to libxml2's buffer.
    mutating func feed(_ target: UnsafeMutablePointer<CChar>, room: Int) -> Int32 {
        let count = min(room, source.count - fed)
        guard count > 0, let start = source.baseAddress else { return 0 }
        UnsafeMutableRawPointer(target).copyMemory(from: start + fed, byteCount: count)
        fed += count
        return Int32(count)
    }

    // MARK: Events

    /// - Parameter namespaces: How many are declared here, by this element and those around it.
    @inline(__always)
    mutating func startElement(
        local: UnsafePointer<UInt8>,
        prefix: UnsafePointer<UInt8>?,
        uri: UnsafePointer<UInt8>?,
        declarations: Int,
        declared: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        attributes: Int,
        defaulted: Int,
        values: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        namespaces: Int
    ) {
        guard !hasFailed else { return }
        closeText()
        depth += 1
        if depth > limits.depth { return fail(.depth, "elements lie more than \(limits.depth) deep") }
        if !defaults.isEmpty {
            chargeDefaults(local: local, prefix: prefix, attributes: attributes, namespaces: namespaces)
            if hasFailed { return }
        }
        if namespaces > limits.attributes {
            return fail(.attributes, "more than \(limits.attributes) namespaces are declared")
        }
        if parent == 0, let wanted, !wanted.contains(where: { $0.elementsEqual(zeroTerminated(local)) }) {
            line = currentLine
            return
        }
        let count = declarations + attributes
        if count > limits.attributes {
            return fail(.attributes, "an element has more than \(limits.attributes) attributes")
        }
        let name = names.id(local: local, prefix: prefix, uri: uri, in: &arena.names)
        var record = NodeRecord(kind: .element, name: name, parent: parent)
        if count > 0 {
            record.header |= NodeRecord.attributesFlag
            record.payload = UInt32(truncatingIfNeeded: arena.attributes.count)
            // libxml2 passes arrays of the length it says; each name and value it points at is there.
            for index in 0..<declarations {
                declare(
                    prefix: declared.unsafelyUnwrapped[2 * index],
                    uri: declared.unsafelyUnwrapped[2 * index + 1]
                )
            }
            for index in 0..<attributes {
                let entry = values.unsafelyUnwrapped + 5 * index
                let name = names.id(
                    local: entry[0].unsafelyUnwrapped,
                    prefix: entry[1],
                    uri: entry[2],
                    in: &arena.names
                )
                let start = entry[3].unsafelyUnwrapped
                let length = entry[4].unsafelyUnwrapped - start
                if length > limits.textBytes { return failText("attribute value") }
                if index >= attributes - defaulted { charge(length) }
                arena.attributes.append(
                    AttributeRecord(header: name, value: recentValues.store(start, count: length, in: &arena))
                )
            }
            arena.attributes.base[arena.attributes.count - 1].isLast = true
            checkSize()
        }
        parent = append(record)
        lastSibling = noNode
    }

    private mutating func declare(prefix: UnsafePointer<UInt8>?, uri: UnsafePointer<UInt8>?) {
        let name = names.declarationID(prefix: prefix, in: &arena.names)
        let uri = zeroTerminated(uri)
        if defaultsDeclareNamespaces { charge(uri.count) }
        arena.attributes.append(
            AttributeRecord(header: name | AttributeRecord.declarationFlag, value: arena.store(uri))
        )
    }

    @inline(__always)
    mutating func endElement() {
        guard !hasFailed else { return }
        closeText()
        depth -= 1
        if parent == 0 {
            line = currentLine
            return
        }
        lastSibling = parent
        parent = arena.nodes.base[Int(parent)].parent
        line = currentLine
        if parent == 0, wanted != nil { complete() }
    }

    /// Puts the finished subtree aside and starts anew.
    private mutating func complete() {
        let tree = takeTree()
        tree.add(declarationsForValues(in: tree), to: 1)
        completed.append(tree)
        names.removeAll()
        recentValues.removeAll()
        arena.lines.append(1)
        lastSibling = noNode
    }

    /// What was read, as a tree of its own.
    mutating func takeTree() -> XMLTree {
        arena.names.parsedCount = arena.names.count
        arena.apply(.trim)
        defer { arena = Arena() }
        return XMLTree(arena)
    }

    /// The declarations around the finished subtree that values in it may refer to. Record 1 is its element.
    private func declarationsForValues(in tree: XMLTree) -> [NamespaceDeclaration] {
        guard let context, let table = context.pointee.nsTab else { return [] }
        // The parser's table holds prefix and namespace of each declaration in force, the element's own at
        // the end.
        let own = tree.attributes(1).count(where: \.isDeclaration)
        let count = Int(context.pointee.nsNr) / 2 - own
        guard count > 0 else { return [] }
        func declaration(_ prefix: UnsafePointer<UInt8>?) -> NamespaceDeclaration? {
            guard let index = (0..<count).last(where: { table[2 * $0] == prefix }),
                let uri = table[2 * index + 1], uri.pointee != 0
            else { return nil }
            return NamespaceDeclaration(
                prefix: prefix.map { String(cString: $0) } ?? "",
                uri: String(cString: uri)
            )
        }
        let hasPrefix = (0..<count).contains { table[2 * $0] != nil }
        return tree.declarationsForValues(
            of: 1,
            maximumPrefixLength: hasPrefix ? limits.nameBytes : 0,
            default: declaration(nil)
        ) { prefix in
            // A name that is not in the dictionary was never read as one.
            xmlDictExists(context.pointee.dict, prefix.baseAddress, Int32(prefix.count)).flatMap {
                declaration($0)
            }
        }
    }

    @inline(__always)
    mutating func characters(_ start: UnsafePointer<UInt8>, count: Int) {
        guard !hasFailed, count > 0 else { return }
        if parent == 0 {
            line = currentLine
            return
        }
        if openText != noNode {
            let offset = arena.nodes.base[Int(openText)].payload
            if arena.value(at: offset).count + count > limits.textBytes { return failText("text") }
            arena.extendLastValue(at: offset, by: start, count: count)
            line = currentLine
        } else {
            if count > limits.textBytes { return failText("text") }
            let payload = arena.store(start, count: count)
            textPredecessor = lastSibling
            openText = append(NodeRecord(kind: .text, parent: parent, payload: payload))
            lastSibling = openText
        }
        checkSize()
    }

    mutating func content(_ kind: XMLNode.Kind, name: UInt32 = 0, _ content: UTF8Bytes) {
        guard !hasFailed, parent != 0 || wanted == nil else { return }
        closeText()
        if content.count > limits.textBytes { return failText("\(kind)") }
        lastSibling = append(
            NodeRecord(kind: kind, name: name, parent: parent, payload: arena.store(content))
        )
        if parent == 0 { topLevelEnd = offset ?? 0 }
        checkSize()
    }

    /// The text is complete. Takes it out again if it is white space that is not wanted.
    @inline(__always)
    mutating func closeText() {
        if dropsWhitespace, openText != noNode { dropWhitespace() }
        openText = noNode
    }

    private mutating func dropWhitespace() {
        let payload = arena.nodes.base[Int(openText)].payload
        guard arena.value(at: payload).isBlank else { return }
        // The text is the last record and the last value: nothing came after it.
        arena.bytes.removeLast(arena.bytes.count - Int(payload))
        arena.nodes.removeLast()
        arena.lines.removeLast()
        if textPredecessor == noNode {
            arena.nodes.base[Int(parent)].header &= ~NodeRecord.childrenFlag
        } else {
            arena.nodes.base[Int(textPredecessor)].next = noNode
        }
        lastSibling = textPredecessor
    }

    // MARK: Limits and errors

    /// Offsets and indices are 32 bits wide.
    @inline(__always)
    private mutating func checkSize() {
        if arena.bytes.count > Int(UInt32.max) - (1 << 28) || arena.names.count >= NodeRecord.nameLimit {
            fail(.limit(.inputBytes), "the document is too large: its text may have 3.75 GB")
        }
    }

    /// Counts bytes that come from the DTD and not from the document's own text.
    mutating func charge(_ count: Int) {
        expandedBytes += count
        if expandedBytes > limits.entityExpansionBytes {
            fail(
                .entityExpansionBytes,
                "entities and defaults add more than \(limits.entityExpansionBytes) bytes"
            )
        }
    }

    private mutating func failText(_ what: String) {
        fail(.textBytes, "\(what) of more than \(limits.textBytes) bytes")
    }

    mutating func fail(_ limit: XMLError.Limit, _ message: String) {
        fail(.limit(limit), "\(message) (limits.\(limit.rawValue))")
    }

    mutating func fail(_ kind: XMLError.Kind, _ message: String) {
        guard error == nil else { return }
        hasFailed = true
        error =
            offset.map { XMLError(kind, at: $0, of: source, message: message) }
            ?? XMLError(kind, message: message)
        // What the parser knows without the source: it counts columns in bytes.
        if offset == nil, let input = context?.pointee.input, input.pointee.base != input.pointee.end {
            error?.line = Int(input.pointee.line)
            error?.column = Int(input.pointee.col)
        }
        stop()
    }

    /// Ends libxml2's loops. Unlike `xmlStopParser` it leaves every pointer unchanged, so that it is safe
    /// inside any callback. In a DTD the parser has to reach its end by itself, since it relies on progress
    /// there.
    func stop() {
        guard let context else { return }
        context.pointee.disableSAX = 1
        if context.pointee.inSubset == 0, context.pointee.inputNr == 1 {
            context.pointee.instate = XML_PARSER_EOF
        }
    }
}

/// A text that ends with a zero byte; no bytes for `nil`.
func zeroTerminated(_ text: UnsafePointer<UInt8>?) -> UTF8Bytes {
    UTF8Bytes(start: text, count: Int(xmlStrlen(text)))
}
