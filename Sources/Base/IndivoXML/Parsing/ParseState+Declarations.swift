import libxml2

/// What a document's own DTD may do: declare entities that stay within the limits. Everything else in it is
/// kept as text.
extension ParseState {
    /// What a reference counts beside the bytes it brings, because libxml2 makes a parser for each.
    private static let referenceCost = 256

    mutating func startSubset(name: UnsafePointer<UInt8>?) {
        subsetStart = offset
        guard let name else { return }
        subsetName = names.id(local: name, prefix: nil, uri: nil, in: &arena.names)
    }

    /// The internal subset was read: keeps its text, and checks its entities before one is used.
    mutating func endSubset() {
        guard error == nil else { return }
        if let start = subsetStart, let end = offset, start <= end {
            // What stands between the keyword and the closing bracket.
            let from = source.end(of: "<!DOCTYPE", from: topLevelEnd, most: start - topLevelEnd) ?? start
            content(.documentType, name: subsetName, UTF8Bytes(rebasing: source[from..<max(end - 1, from)]))
        }
        checkEntities()
    }

    mutating func declareEntity(name: UnsafePointer<UInt8>, content: UnsafePointer<UInt8>) {
        // The first declaration of a name counts.
        let name = UTF8Key(zeroTerminated(name))
        if entities[name] == nil { entities[name] = Array(zeroTerminated(content)) }
    }

    /// Refuses loops and deep nesting, which libxml2 would follow by recursion.
    private mutating func checkEntities() {
        var depths: [UTF8Key: Int] = [:]
        func depth(_ name: UTF8Key, _ level: Int) -> Int {
            if level > limits.entityDepth { return level }
            if let known = depths[name] { return known }
            guard let content = entities[name] else { return 0 }
            var deepest = 0
            for reference in ParseState.references(in: content) {
                deepest = max(deepest, depth(reference, level + 1))
                if deepest + level > limits.entityDepth { return limits.entityDepth + 1 }
            }
            depths[name] = deepest + 1
            return deepest + 1
        }
        let names = entities.keys.sorted { $0.text < $1.text }
        for name in names where depth(name, 1) > limits.entityDepth {
            let name = name.text.prefix(40)
            return fail(
                .entityDepth,
                "the entity \(name) holds itself, or entities more than \(limits.entityDepth) deep"
            )
        }
    }

    private static func references(in content: [UInt8]) -> Set<UTF8Key> {
        var names: Set<UTF8Key> = []
        for part in content.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).dropFirst()
        {
            guard let end = part.firstIndex(of: UInt8(ascii: ";")), part.first != UInt8(ascii: "#") else {
                continue
            }
            names.insert(UTF8Key(part[..<end]))
        }
        return names
    }

    /// Whether an entity that is referred to may be used: it is declared, inside the document, and within the
    /// limits.
    mutating func mayUse(_ entity: xmlEntityPtr?, name: UnsafePointer<UInt8>?, sign: String) -> Bool {
        guard error == nil else { return false }
        let shown = "the entity \(sign)\(name.map { String(String(cString: $0).prefix(40)) } ?? "");"
        switch entity?.pointee.etype {
        case nil:
            fail(.syntax, "\(shown) is not declared; declare it, or write \(sign)amp; for the sign itself")
        case XML_EXTERNAL_GENERAL_PARSED_ENTITY, XML_EXTERNAL_GENERAL_UNPARSED_ENTITY,
            XML_EXTERNAL_PARAMETER_ENTITY:
            fail(
                .externalEntity,
                "\(shown) lies outside the document, and such are never loaded; put its text in place"
            )
        case XML_INTERNAL_PREDEFINED_ENTITY: break
        default: charge(Int(entity?.pointee.length ?? 0) + ParseState.referenceCost)
        }
        return error == nil
    }

    /// Keeps the first error libxml2 reports.
    mutating func report(_ reported: xmlErrorPtr) {
        var message =
            reported.pointee.message.map { String(cString: $0) } ?? "the document is not well-formed"
        message = String(message.prefix { !$0.isNewline })
        while message.last?.isWhitespace == true { message.removeLast() }
        let code = xmlParserErrors(rawValue: UInt32(bitPattern: reported.pointee.code))
        let isEncoding =
            [
                XML_ERR_INVALID_ENCODING, XML_ERR_UNSUPPORTED_ENCODING, XML_ERR_UNKNOWN_ENCODING,
                XML_I18N_CONV_FAILED,
                XML_I18N_NO_HANDLER,
            ].contains(code) || message.contains("not proper UTF-8")
        fail(isEncoding ? .encoding : .syntax, message)
    }
}

// libxml2 gives an element its defaults before it reports the tag, and compares each with each other
// attribute and with the namespaces in scope: an empty default costs no byte, but memory and time.
extension ParseState {
    /// What a default counts beside its bytes: an attribute's memory.
    private static let defaultCost = 16
    /// How many comparisons count as one byte.
    private static let comparisonsPerByte = 64

    /// Counts an attribute that the DTD declares, and says whether parsing may continue.
    mutating func declareAttribute(
        _ name: UnsafePointer<UInt8>,
        of element: UnsafePointer<UInt8>,
        hasDefault: Bool
    ) -> Bool {
        declaredAttributes[element, default: 0] += 1
        if hasDefault {
            let name = zeroTerminated(name)
            // libxml2 takes `a:b:c` or `:`.
            if !NameRules.isQualifiedName(name) {
                fail(.syntax, "the DTD gives a default to \"\(name.string.prefix(40))\", which is not a name")
            }
            defaults[element, default: 0] += 1
            if name.equals("xmlns") || name.starts(with: "xmlns:".utf8) { defaultsDeclareNamespaces = true }
        }
        if declaredAttributes[element, default: 0] > limits.attributes {
            fail(.attributes, "the DTD declares more than \(limits.attributes) attributes of an element")
        }
        return !hasFailed
    }

    /// Counts what the defaults of an element took, whether or not it has attributes of its own in their
    /// stead.
    mutating func chargeDefaults(
        local: UnsafePointer<UInt8>,
        prefix: UnsafePointer<UInt8>?,
        attributes: Int,
        namespaces: Int
    ) {
        guard let context, let name = xmlDictQLookup(context.pointee.dict, prefix, local) else { return }
        guard let count = defaults[name] else { return }
        let comparisons = count * (count + attributes + namespaces)
        charge(count * ParseState.defaultCost + comparisons / ParseState.comparisonsPerByte)
    }
}
