#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A document that does not change, which any number of tasks can read at once.
///
/// Each task takes nodes of its own from it; that costs next to nothing, whatever the document's size.
/// Editing them is fine and changes neither the snapshot nor what other tasks see.
///
/// ```swift
/// let snapshot = try XMLSnapshot(parsing: data)
/// await withTaskGroup(of: Int.self) { group in
///     for name in ["Medication", "Problem"] {
///         group.addTask { snapshot.root().children(named: name).count }
///     }
/// }
/// ```
public struct XMLSnapshot: Sendable {
    private let frozen: FrozenArena

    /// Parses a document.
    ///
    /// - Throws: `XMLError`, with the line and column, for input that is not well-formed or hits a limit.
    public init(parsing data: Data, options: XMLParseOptions = .init()) throws {
        self.init(try XMLNode(parsing: data, options: options).document)
    }

    /// The document, or subtree, of a node as it is now.
    ///
    /// A document that was parsed and not edited is shared, not copied.
    public init(_ node: XMLNode) {
        let isWhole = node.resolved.map { $0.index == 0 && $0.tree.isPristine } ?? false
        let tree = isWhole ? node.tree : node.clone().tree
        // The tree goes on reading the arena, which has another owner now, and copies it at its next edit.
        frozen = tree.state.pointee.frozen ?? FrozenArena(tree.state.pointee.arena)
        tree.state.pointee.frozen = frozen
    }

    /// The document node, in a tree that belongs to the caller. Every call gives another.
    public func document() -> XMLNode { XMLTree(frozen.arena, frozen: frozen).handle(0) }

    /// The root element, in a tree that belongs to the caller. Every call gives another.
    public func root() -> XMLNode {
        let document = document()
        return document.root ?? document
    }
}
