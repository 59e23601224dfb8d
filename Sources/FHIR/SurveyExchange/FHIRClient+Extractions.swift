import FHIR
import FHIRClient
import FHIRTables
import Foundation
import IndivoBase
import OrderedJSON
import Surveys

extension FHIRClient {
    /// Stores what a survey extracted, as one transaction: all of it or nothing.
    ///
    /// Each new resource gets an identifier that is computed from the response, and is created only where
    /// none has it yet (`ifNoneExist`). So the same response can be sent again, after a lost response too,
    /// and nothing is stored twice.
    ///
    /// - Returns: What became of each resource, in the order of the bundle; empty where nothing was
    /// extracted. - Throws: `FHIRClientError`; then nothing was stored, unless it says that it may have been.
    @discardableResult
    public func send(_ extraction: SurveyExtraction, of response: QuestionnaireResponse) async throws
        -> [FHIREntryResult]
    {
        var bundle = extraction.bundle
        guard !bundle.entry.isEmpty else { return [] }
        let key = response.contentKey
        for index in bundle.entry.indices { bundle.entry[index].identify(by: key, index) }
        return try await transaction(FHIRTransaction(bundle))
    }
}

extension QuestionnaireResponse {
    /// A digest of what was answered, about whom and when; the same for each copy of the response.
    fileprivate var contentKey: [UInt8] {
        var content = tree
        for name in ["id", "meta", "status", "text"] { content[name] = nil }
        return SHA256Sum.hash(content.text())
    }
}

extension FHIRBundle.Entry {
    private static let identifierSystem = "urn:ietf:rfc:3986"

    /// Gives a new resource an identifier, and the condition that none with it is stored.
    fileprivate mutating func identify(by key: [UInt8], _ index: Int) {
        guard request?.method == .post, request?.ifNoneExist == nil, var tree = resource?.tree else { return }
        let number = withUnsafeBytes(of: UInt64(index).bigEndian) { Array($0) }
        let value = "urn:uuid:" + DigestUUID.text(SHA256Sum.hash(key + number), version: 8)
        let type = tree["resourceType"]?.string ?? ""
        let element = Definitions.r4.type(named: type)?.element(named: "identifier")
        let parameter: String
        if let element, element.isList || tree["identifier"] == nil {
            let identifier: JSONValue = [
                "system": JSONValue(Self.identifierSystem), "value": JSONValue(value),
            ]
            let known = tree["identifier"]?.elements.map(Array.init) ?? []
            tree["identifier"] = element.isList ? JSONValue(known + [identifier]) : identifier
            parameter = "identifier"
        } else {
            var meta = tree["meta"] ?? [:]
            let tags = meta["tag"]?.elements.map(Array.init) ?? []
            let tag: JSONValue = ["system": JSONValue(Self.identifierSystem), "code": JSONValue(value)]
            meta["tag"] = JSONValue(tags + [tag])
            tree["meta"] = meta
            parameter = "_tag"
        }
        resource = AnyResource(tree: tree)
        request?.ifNoneExist = FHIRSearch([.raw(parameter, "\(Self.identifierSystem)|\(value)")]).query
    }
}
