import IndivoXML

/// Whether a model of a stored document is the one that a report shows.
///
/// Reports do not repeat what is stored word for word: they spell numbers and dates their own way, fill in `false`
/// where a boolean was left out, leave out some relations and shuffle the rest.
enum ModelMatch {
    static func isSame(_ stored: XMLNode, _ reported: XMLNode, as type: IndivoDocument.Type) -> Bool {
        guard let a = try? type.read(from: stored), let b = try? type.read(from: reported) else { return false }
        return isSame(a, b)
    }

    private static func isSame(_ stored: IndivoDocument, _ reported: IndivoDocument) -> Bool {
        guard type(of: stored) == type(of: reported), let a = try? FlatWriter(stored), let b = try? FlatWriter(reported)
        else { return false }
        let layout = Layout.of(type(of: stored)).flat
        for (index, leaf) in layout.leaves.enumerated() {
            guard leaf.means(said(a.leaves[index], leaf), said(b.leaves[index], leaf)) else { return false }
        }
        return zip(a.relations, b.relations).allSatisfy { candidates, related in
            var candidates = candidates
            // Reports leave out some relations.
            if related.isEmpty { return true }
            guard candidates.count == related.count else { return false }
            return related.allSatisfy { document in
                guard let match = candidates.firstIndex(where: { isSame($0, document) }) else { return false }
                candidates.remove(at: match)
                return true
            }
        }
    }

    private static func said(_ text: String?, _ leaf: FlatLayout.Leaf) -> String? {
        leaf.type.dataType == .boolean && text == "false" ? nil : text
    }
}
