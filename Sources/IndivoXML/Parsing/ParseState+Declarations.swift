#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif

/// What a document's own DTD may do: declare entities that stay within the limits. Everything else in it is kept as text.
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
        if let start = subsetStart, let end = offset, start <= end { keepSubset(start, end) }
        checkEntities()
    }

    private mutating func keepSubset(_ start: Int, _ end: Int) {
        let from = TagScan.endOfDoctypeKeyword(in: source) ?? start
        // What stands between the keyword and the closing bracket.
        let raw = UnsafeBufferPointer(rebasing: source[min(from, end)..<max(end - 1, from)])
        content(.documentType, name: subsetName, raw.baseAddress, count: raw.count)
    }

    mutating func declareEntity(name: UnsafePointer<UInt8>, content: UnsafePointer<UInt8>) {
        let name = UTF8Key(UnsafeBufferPointer(start: name, count: length(name)))
        // The first declaration of a name counts.
        guard entities[name] == nil else { return }
        entities[name] = Array(UnsafeBufferPointer(start: content, count: length(content)))
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
            return fail(
                .limit(.entityDepth),
                "the entity \(name.text.prefix(40)) holds itself, or entities more than \(limits.entityDepth) deep "
                    + "(limits.entityDepth)")
        }
    }

    private static func references(in content: [UInt8]) -> Set<UTF8Key> {
        var names: Set<UTF8Key> = []
        for part in content.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).dropFirst() {
            guard let end = part.firstIndex(of: UInt8(ascii: ";")), part.first != UInt8(ascii: "#") else { continue }
            names.insert(UTF8Key(part[..<end]))
        }
        return names
    }

    /// Whether an entity that is referred to may be used: it is declared, inside the document, and within the limits.
    mutating func mayUse(_ entity: xmlEntityPtr?, name: UnsafePointer<UInt8>?, sign: String) -> Bool {
        guard error == nil else { return false }
        let shown = name.map { String(String(cString: $0).prefix(40)) } ?? ""
        guard let entity else {
            fail(.syntax, "the entity \(sign)\(shown); is not declared; declare it, or write \(sign)amp; for the sign itself")
            return false
        }
        switch entity.pointee.etype {
        case XML_EXTERNAL_GENERAL_PARSED_ENTITY, XML_EXTERNAL_GENERAL_UNPARSED_ENTITY, XML_EXTERNAL_PARAMETER_ENTITY:
            fail(
                .externalEntity,
                "the entity \(sign)\(shown); lies outside the document, and such are never loaded; put its text in place")
            return false
        case XML_INTERNAL_PREDEFINED_ENTITY:
            return true
        default:
            charge(Int(entity.pointee.length) + ParseState.referenceCost)
            return error == nil
        }
    }

    /// Keeps the first error libxml2 reports.
    mutating func report(_ reported: xmlErrorPtr) {
        var message = reported.pointee.message.map { String(cString: $0) } ?? "the document is not well-formed"
        if let end = message.firstIndex(where: \.isNewline) { message = String(message[..<end]) }
        while message.last?.isWhitespace == true { message.removeLast() }
        let encodingErrors = [
            XML_ERR_INVALID_ENCODING, XML_ERR_UNSUPPORTED_ENCODING, XML_ERR_UNKNOWN_ENCODING,
            XML_I18N_CONV_FAILED, XML_I18N_NO_HANDLER,
        ].map { Int32(bitPattern: $0.rawValue) }
        let isEncoding = encodingErrors.contains(reported.pointee.code) || message.contains("not proper UTF-8")
        fail(isEncoding ? .encoding : .syntax, message)
    }
}
