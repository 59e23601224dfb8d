import FHIR
import IndivoBase
import IndivoModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a resource will be on a FHIR server, made from what identifies it in the record: the same at every
/// export.
struct ResourceAddress: Hashable, Sendable {
    let type: String
    /// The id of the document's first version, and of a fact or part that is not the only one its number or
    /// name.
    let key: String

    /// The logical id: the key where it is one of FHIR's, else a UUID made from it.
    var id: String { LogicalID.isValid(key) ? key : Self.uuid(of: key) }

    /// The address inside a bundle, which a server replaces by its own.
    var fullURL: String { "urn:uuid:" + Self.uuid(of: "\(type)/\(key)") }

    func reference<Target: FHIRResource>() -> Reference<Target> { Reference(fullURL) }

    /// A UUID made from a name (RFC 9562, version 5), in a namespace of these exports alone.
    static func uuid(of name: String) -> String {
        let namespace: [UInt8] = [
            0x6F, 0x5B, 0x0D, 0x52, 0x3C, 0x1E, 0x4E, 0x0B, 0x9A, 0x77, 0x21, 0x8B, 0x5E, 0x94, 0xC3, 0x10,
        ]
        return DigestUUID.text(SHA1Sum.hash(Data(namespace + Array(name.utf8))), version: 5)
    }
}
