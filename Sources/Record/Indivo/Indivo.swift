// Importing `Indivo` also imports the documents, the DOM and the transport, for apps and for this module's
// own files.
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

/// The DOM's node. It is declared here as well, since Foundation on macOS has an `XMLNode` of its own.
public typealias XMLNode = IndivoXML.XMLNode
