import Foundation
import SwiftASN1

/// The elements of a sequence or a set (X.690), by their indices.
struct ASN1Elements {
    let nodes: [ASN1Node]
    private let name: String
    /// What is being read, for errors.
    private let format: String

    /// - Parameters:
    ///   - name: What the elements are of, for errors.
    ///   - format: What is being read.
    init(_ node: ASN1Node, _ name: String, of format: String = "signed CMS message") throws(StudyError) {
        self.name = name
        self.format = format
        guard case .constructed(let nodes) = node.content else {
            throw .malformed(format: format, reason: "\(name) is expected")
        }
        self.nodes = Array(nodes)
    }

    func node(_ index: Int) throws(StudyError) -> ASN1Node {
        guard nodes.indices.contains(index) else {
            throw .malformed(format: format, reason: "\(name) has only \(nodes.count) elements")
        }
        return nodes[index]
    }

    /// The object identifier at an index.
    func identifier(_ index: Int) throws -> ASN1ObjectIdentifier {
        try ASN1ObjectIdentifier(derEncoded: node(index))
    }

    /// The bytes of the integer at an index.
    func integer(_ index: Int) throws(StudyError) -> ArraySlice<UInt8> {
        let node = try node(index)
        guard node.identifier == .integer, case .primitive(let bytes) = node.content else {
            throw .malformed(format: format, reason: "\(name) has no number at \(index)")
        }
        return bytes
    }

    /// The only element of the one at an index.
    func only(in index: Int) throws(StudyError) -> ASN1Node {
        let inner = try ASN1Elements(node(index), name, of: format)
        guard inner.nodes.count == 1 else {
            throw .malformed(
                format: format,
                reason: "\(name) has \(inner.nodes.count) values where there is one"
            )
        }
        return inner.nodes[0]
    }
}

extension ASN1Node {
    /// Whether the element has this context-specific tag.
    func isContext(_ number: UInt) -> Bool {
        identifier.tagClass == .contextSpecific && identifier.tagNumber == number
    }
}
