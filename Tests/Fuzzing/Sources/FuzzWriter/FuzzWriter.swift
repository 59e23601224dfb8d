import IndivoXML

/// Builds and edits trees as the input says. Whatever comes out is an error or a document that can be read
/// again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Array(UnsafeBufferPointer(start: start, count: count))[...]
    var nodes = [XMLNode("r"), XMLNode("s", namespace: "urn:s")]
    func text() -> String {
        let length = Int(input.popFirst() ?? 0) % 16
        defer { input = input.dropFirst(length) }
        return String(decoding: input.prefix(length), as: UTF8.self)
    }
    func node() -> XMLNode { nodes[Int(input.popFirst() ?? 0) % nodes.count] }
    var steps = 0
    var wraps = 0
    while let operation = input.popFirst(), steps < 200 {
        steps += 1
        switch operation % 16 {
        case 0: nodes.append(XMLNode(text()))
        case 1: nodes.append(XMLNode(text(), namespace: text()))
        case 2: nodes.append(.text(text()))
        case 3: nodes.append(.cdata(text()))
        case 4: nodes.append(.comment(text()))
        case 5: nodes.append(.processingInstruction(text(), text()))
        case 6: node().append(node())
        case 7: node().prepend(node())
        case 8: node().before(node())
        case 9: node().after(node())
        case 10: node().replace(with: node())
        case 11: node().remove()
        case 12: node().attr(text(), text())
        case 13: node().attr(text(), namespace: text(), text())
        case 14: node().text(text())
        default:
            // Each may double a tree.
            wraps += 1
            if wraps <= 8 { node().wrap(node()) }
        }
    }
    var limits = XMLLimits()
    limits.depth = .max
    for node in nodes {
        _ = node.kind
        _ = node.parent()
        guard node.kind == .element, let written = try? node.data() else { continue }
        let again: XMLNode
        do {
            // Wrapping in copies of itself makes a tree as deep as it likes.
            again = try XMLNode(parsing: written, options: XMLParseOptions(limits: limits))
        } catch {
            fatalError(
                "a written element cannot be parsed: \(error): \(String(decoding: written, as: UTF8.self))"
            )
        }
        if again.text() != node.text() { fatalError("the text changed") }
        _ = node.contents().map(\.isRemoved)
    }
    return 0
}
