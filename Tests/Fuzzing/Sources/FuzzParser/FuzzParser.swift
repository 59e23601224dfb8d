import IndivoXML

/// Whatever the input: an error, or a document whose written form is a document with the same canonical form.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let root = try? XMLNode(parsing: bytes) else { return 0 }
    let document = root.document
    guard let written = try? document.data() else { fatalError("a parsed document cannot be written") }
    guard let again = try? XMLNode(parsing: written) else {
        fatalError("a written document cannot be parsed")
    }
    // Relative namespaces have no canonical form.
    guard let before = try? document.canonical(withComments: true) else { return 0 }
    if (try? again.document.canonical(withComments: true)) != before { fatalError("the document changed") }
    _ = root.text()
    _ = try? document.xml(.pretty)
    return 0
}
