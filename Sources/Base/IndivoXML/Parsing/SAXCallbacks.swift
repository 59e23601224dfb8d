import libxml2

/// The functions libxml2 calls. Each finds the state by the context it is given, which may be an inner one
/// that reads an entity; declarations of a DTD go to libxml2's own functions as well, which keep what
/// entities mean.
enum SAXCallbacks {
    static func install(in handler: UnsafeMutablePointer<xmlSAXHandler>) {
        handler.pointee.startElementNs = {
            context,
            local,
            prefix,
            uri,
            declarations,
            declared,
            attributes,
            defaulted,
            values in
            guard let local else { return }
            state(context).pointee.startElement(
                local: local,
                prefix: prefix,
                uri: uri,
                declarations: Int(declarations),
                declared: declared,
                attributes: Int(attributes),
                defaulted: Int(defaulted),
                values: values,
                namespaces: Int(parserContext(context).pointee.nsNr) / 2
            )
        }
        handler.pointee.endElementNs = { context, _, _, _ in state(context).pointee.endElement() }
        handler.pointee.characters = { context, start, count in
            guard let start else { return }
            state(context).pointee.characters(start, count: Int(count))
        }
        // The same function for both: then libxml2 does not look whether text is blank.
        handler.pointee.ignorableWhitespace = handler.pointee.characters
        handler.pointee.cdataBlock = { context, start, count in
            state(context).pointee.content(
                .cdata,
                UTF8Bytes(start: start, count: start == nil ? 0 : Int(count))
            )
        }
        handler.pointee.comment = { context, start in
            guard parserContext(context).pointee.inSubset == 0 else { return }
            state(context).pointee.content(.comment, zeroTerminated(start))
        }
        handler.pointee.processingInstruction = { context, target, data in
            guard parserContext(context).pointee.inSubset == 0, let target else { return }
            let state = state(context)
            let name = state.pointee.names.id(
                local: target,
                prefix: nil,
                uri: nil,
                in: &state.pointee.arena.names
            )
            state.pointee.content(.processingInstruction, name: name, zeroTerminated(data))
        }
        handler.pointee.reference = nil
        handler.pointee.serror = { context, error in
            guard let context, let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else {
                return
            }
            // A namespace may be any text; that it is not a URI is not an error in XML.
            if error.pointee.code == Int32(bitPattern: XML_WAR_NS_URI.rawValue) { return }
            state(context).pointee.report(error)
        }
        handler.pointee.error = nil
        handler.pointee.warning = nil
        handler.pointee.fatalError = nil
        installDeclarations(in: handler)
    }

    private static func installDeclarations(in handler: UnsafeMutablePointer<xmlSAXHandler>) {
        // libxml2 keeps declarations in a document of its own, which only those that have any need.
        handler.pointee.startDocument = nil
        handler.pointee.endDocument = nil
        handler.pointee.internalSubset = { context, name, external, system in
            xmlSAX2StartDocument(context)
            xmlSAX2InternalSubset(context, name, external, system)
            state(context).pointee.startSubset(name: name)
        }
        // Called when the internal subset is over. The external one is never loaded.
        handler.pointee.externalSubset = { context, _, _, _ in state(context).pointee.endSubset() }
        handler.pointee.resolveEntity = { _, _, _ in nil }
        handler.pointee.entityDecl = { context, name, type, external, system, content in
            xmlSAX2EntityDecl(context, name, type, external, system, content)
            if let name, let content, type == XML_INTERNAL_GENERAL_ENTITY.rawValue {
                state(context).pointee.declareEntity(name: name, content: content)
            }
        }
        // What libxml2 makes of defaults and types when it reads a tag it keeps elsewhere; its tables of
        // declarations, which take quadratic time to build, are for validation alone.
        handler.pointee.attributeDecl = { context, element, name, _, _, value, values in
            if let values { xmlFreeEnumeration(values) }
            guard let element, let name else { return }
            if !state(context).pointee.declareAttribute(name, of: element, hasDefault: value != nil) {
                halt(context)
            }
        }
        handler.pointee.elementDecl = nil
        handler.pointee.notationDecl = nil
        handler.pointee.getEntity = { context, name in
            usable(xmlSAX2GetEntity(context, name), name, sign: "&", in: context)
        }
        handler.pointee.getParameterEntity = { context, name in
            usable(xmlSAX2GetParameterEntity(context, name), name, sign: "%", in: context)
        }
    }
}

/// An entity that is referred to; nil, and the end of parsing, where it may not be used.
private func usable(
    _ entity: xmlEntityPtr?,
    _ name: UnsafePointer<UInt8>?,
    sign: String,
    in context: UnsafeMutableRawPointer?
) -> xmlEntityPtr? {
    if state(context).pointee.mayUse(entity, name: name, sign: sign) { return entity }
    halt(context)
    return nil
}

@inline(__always)
private func parserContext(_ context: UnsafeMutableRawPointer?) -> xmlParserCtxtPtr {
    // libxml2 passes the context as user data, because nothing else was set.
    context.unsafelyUnwrapped.assumingMemoryBound(to: xmlParserCtxt.self)
}

/// Stops the context that asked for an entity, which may be an inner one. As long as a context holds its text
/// for well-formed it searches for a refused entity itself.
private func halt(_ context: UnsafeMutableRawPointer?) {
    let context = parserContext(context)
    context.pointee.wellFormed = 0
    // Takes the text away as well: in a DTD libxml2 would go round for ever on a reference that it cannot
    // pass.
    xmlStopParser(context)
}

@inline(__always)
private func state(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<ParseState> {
    // Set before the first callback, and copied to inner contexts by libxml2.
    parserContext(context).pointee._private.unsafelyUnwrapped.assumingMemoryBound(to: ParseState.self)
}
