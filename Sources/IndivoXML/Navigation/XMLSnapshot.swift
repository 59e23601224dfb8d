#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A document that does not change, which any number of tasks can read at once.
///
/// Each task takes nodes of its own from it; that costs next to nothing, whatever the document's size. Editing them
/// is fine and changes neither the snapshot nor what other tasks see.
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
        frozen = (isWhole ? node.tree : node.clone().tree).freeze()
    }

    /// The document node, in a tree that belongs to the caller. Every call gives another.
    public func document() -> XMLNode { XMLTree(frozen.arena, frozen: frozen).handle(0) }

    /// The root element, in a tree that belongs to the caller. Every call gives another.
    public func root() -> XMLNode {
        let document = document()
        return document.root ?? document
    }
}

extension XMLTree {
    /// Gives the arena up to an owner that shares it. The tree continues to read it, and copies it at its next edit.
    func freeze() -> FrozenArena {
        if let frozen = state.pointee.frozen { return frozen }
        let frozen = FrozenArena(state.pointee.arena)
        state.pointee.frozen = frozen
        return frozen
    }
}
