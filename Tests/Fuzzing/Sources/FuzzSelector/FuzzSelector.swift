import IndivoXML

// Proven safe: libFuzzer calls from one thread.
nonisolated(unsafe) private let document: XMLNode = {
    let text = """
        <r xmlns:p="urn:p" id="r"><a class="k l" x="1">one<b/><c y="é"/></a><p:a id="s"><b \
        x="two"><a/></b></p:a><a/> </r>
        """
    guard let root = try? XMLNode(parsing: text) else {
        fatalError("the document of the selectors is not well-formed")
    }
    return root.document
}()

/// Whatever the selector: an error with a place inside it, or a set without duplicates that `is` agrees with.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do {
        let selector = try XMLSelector(text, namespaces: ["p": "urn:p"])
        let found = document.find(selector)
        if Set(found).count != found.count { fatalError("a node is there twice") }
        _ = document.root?.children().filter(selector)
    } catch let error as XMLSelectorError {
        if error.column < 1 || error.column > text.count + 1 { fatalError("the column lies outside") }
    } catch {
        fatalError("another error: \(error)")
    }
    return 0
}
