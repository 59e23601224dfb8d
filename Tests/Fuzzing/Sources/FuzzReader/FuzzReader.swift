import Dispatch
import IndivoXML

/// Pieces of a document, as they come from a transport.
private struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = [UInt8]
    let bytes: [UInt8]
    let size: Int
    private var position = 0

    init(_ bytes: [UInt8], size: Int) {
        self.bytes = bytes
        self.size = size
    }

    func makeAsyncIterator() -> Pieces { self }

    mutating func next() async -> [UInt8]? {
        guard position < bytes.count else { return nil }
        defer { position += size }
        return Array(bytes[position..<Swift.min(position + size, bytes.count)])
    }
}

/// Whatever the input and however it is cut: what the reader gives is what the document read whole has.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 1, let start else { return 0 }
    let size = Int(start[0]) + 1
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let wanted: Set<String> = ["a", "Report"]
    let whole = (try? XMLNode(parsing: bytes)).map { root in
        outermost(in: root, named: wanted).map { (try? $0.xml()) ?? "unwritable" }
    }
    let done = DispatchSemaphore(value: 0)
    Task {
        var found: [String]? = []
        do {
            for try await node in XMLReader(chunks: Pieces(bytes, size: size), elements: "a", "Report") {
                found?.append((try? node.xml()) ?? "unwritable")
            }
        } catch is XMLError {
            found = nil
        } catch {
            fatalError("another error: \(error)")
        }
        if found != whole { fatalError("the reader differs: \(found ?? ["error"]), \(whole ?? ["error"])") }
        done.signal()
    }
    done.wait()
    return 0
}

/// The wanted elements that lie in no other wanted one.
private func outermost(in node: XMLNode, named wanted: Set<String>) -> [XMLNode] {
    if wanted.contains(node.name) { return [node] }
    return node.children().flatMap { outermost(in: $0, named: wanted) }
}
