import FHIR
import Foundation
import Indivo
import OrderedJSON

@testable import IndivoFHIR

/// Looks for the texts of documents in bundles, knowing nothing of how a mapping works.
struct LeafSearch {
    /// Every text and number in the bundle, attachments as text.
    private var texts: Set<String> = []

    init(_ bundle: FHIR.Bundle) { collect(bundle.tree) }

    private mutating func collect(_ value: OrderedJSON.JSONValue) {
        if let text = value.string {
            texts.insert(text)
        } else if let number = value.number {
            texts.insert(number)
        }
        for element in value.elements ?? [] { collect(element) }
        for member in value.members ?? [] {
            // A generated narrative repeats what an element must have.
            if member.name == "text", member.value["status"]?.string == "generated" { continue }
            if member.name == "data", let text = member.value.string.flatMap({ Data(base64Encoded: $0) }) {
                texts.insert(String(decoding: text, as: UTF8.self))
            }
            collect(member.value)
        }
    }

    /// Whether a text of a document is in the bundle: as it is, or in FHIR's own words.
    func contains(_ text: String) -> Bool {
        spellings(of: text).contains { texts.contains($0) } || texts.contains { $0.contains(text) }
    }

    private func spellings(of text: String) -> [String] {
        [text, text.trimmed, CodeSystems.uri(of: text).rawValue]
            + (Self.words[text.trimmed.lowercased()] ?? [])
    }

    /// What FHIR says for some of Indivo's words.
    private static let words: [String: [String]] = [
        "h": ["home"], "w": ["work"], "c": ["mobile"], "m": ["male"], "f": ["female"], "true": ["1"],
        "false": ["2"],
        "/d": ["d"],
    ]
}

/// A leaf of a document, found without the mapping's own reader.
struct FoundLeaf: Hashable {
    /// Its name, without those around it.
    let name: String
    let text: String

    /// The leaves of an XML document: texts of elements without elements, and attributes but `name`.
    static func all(in element: Indivo.XMLNode) -> [FoundLeaf] {
        let name = element.attr("name") ?? element.name
        let children = element.children()
        let own = children.isEmpty ? [FoundLeaf(name: name, text: element.text())] : []
        let attributes = element.attributes.filter { $0.name != "name" && $0.name != "documentId" }
        return
            (own + attributes.map { FoundLeaf(name: $0.name, text: $0.value) }
            + children.flatMap { all(in: $0) }).filter { !$0.text.trimmed.isEmpty }
    }
}
