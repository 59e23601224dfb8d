import FHIR
import FHIRPathEngine
import Foundation

/// A search with FHIRPath between double braces, such as `Observation?code=8302-2&patient={{%patient.id}}`.
/// (SDC, `application/x-fhir-query`)
struct QueryTemplate: Sendable {
    enum Part: Sendable {
        case text(String)
        case path(FHIRPath)
    }

    let parts: [Part]
    /// What its expressions read, taken together.
    let reads: FHIRPathItemReads

    /// The texts of its expressions.
    var expressions: [String] {
        parts.compactMap { part in
            guard case .path(let path) = part else { return nil }
            return path.expression
        }
    }

    /// - Throws: what is wrong with an expression in it, or that braces do not close.
    init(_ text: String) throws {
        var parts: [Part] = []
        var reads = FHIRPathItemReads()
        var rest = Substring(text)
        while let open = rest.range(of: "{{") {
            guard let close = rest[open.upperBound...].range(of: "}}") else {
                throw QueryTemplateError.unclosed
            }
            if open.lowerBound > rest.startIndex {
                parts.append(.text(String(rest[..<open.lowerBound])))
            }
            let written = String(rest[open.upperBound..<close.lowerBound])
            // Some publishers encode what stands in the braces as part of the URL.
            let path = try FHIRPath(written.removingPercentEncoding ?? written)
            reads.formUnion(path.itemReads)
            parts.append(.path(path))
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
        self.reads = reads
    }
}

/// What is wrong with the text of a query.
enum QueryTemplateError: Error, CustomStringConvertible {
    case unclosed

    var description: String { "braces that are opened with {{ are not closed with }}" }
}
