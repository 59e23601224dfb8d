// An app imports `Indivo` and has the documents, the DOM and the transport with it; so have this module's
// files.
@_exported import HTTPCalls
@_exported import IndivoModel
@_exported import IndivoXML

@_exported import struct HTTPTypes.HTTPRequest
@_exported import struct IndivoBase.FormParameters
@_exported import struct IndivoBase.Secret
@_exported import protocol IndivoBase.SecretItems
@_exported import struct OAuth1.OAuthToken

#if canImport(Security)
@_exported import struct IndivoBase.Keychain
#endif

/// The DOM's node, by a name that this module declares itself: on macOS Foundation has an `XMLNode` too.
public typealias XMLNode = IndivoXML.XMLNode
