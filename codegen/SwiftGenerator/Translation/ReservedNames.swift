/// Names that generated declarations cannot have.
package enum ReservedNames {
    /// Types that generated code names, so that a class of that name would change its meaning.
    static let usedTypes = words(
        """
        Address BloodPressure CodedValue Columns Double Field FieldNaming Format IndivoDocument
        ModelColumn Organization PersonName Pharmacy Provider QuantitativeResult String Telephone
        ValueAndUnit ValueRange VitalSign XMLDate XMLDateTime
        """
    )

    /// Types and modules that Swift files often name, and words that cannot name a type.
    package static let commonTypes = words(
        """
        Actor Any AnyHashable AnyObject Array Bool Bundle Calendar Character ClosedRange Codable
        Collection Comparable CustomStringConvertible Data Date DateComponents DateInterval Decimal
        Decodable Dictionary Duration Encodable Equatable Error FileManager Float Formatter
        Foundation Hashable Hasher Identifiable Indivo IndivoModel IndivoXML Int Int16 Int32 Int64
        Int8 IteratorProtocol JSONDecoder JSONEncoder KeyPath Locale MainActor Measurement Mirror
        Never Notification NotificationCenter OAuth1 ObjectIdentifier Operation Optional Process
        ProcessInfo Protocol Range RawRepresentable Result Self Sendable Sequence Set Slice
        Substring Swift Task Thread TimeInterval TimeZone Timer Type UInt UInt16 UInt32 UInt64 UInt8
        URL URLRequest URLSession UUID Unit Void
        """
    )

    /// The package's other types, but for the classes of core models. A file that names one of them would
    /// mean the class.
    static let packageTypes = words(
        """
        Account AggregateQuery Annotation AppCredentials AppDocuments AppManifest AuditEntry
        CallTiming CallbackReceiver CallbackSession CareProvider Carenet CodeSystem CodedText
        CompoundValue CurlTransport DataModel Demographics DocumentError DocumentMetadata
        DocumentPlace DocumentQuery DocumentRelation DocumentStatus DocumentValidation
        EquipmentDocument ExternalID FieldElement FieldRule FieldSchema FieldValue FileContent
        FileDocument FileSessionStore FormParameters GenericDocument HTTPAnswer HTTPLimits
        HTTPTransport HTTPTransportError IndivoAccount IndivoCall IndivoCarenet IndivoSchemas
        IndivoError IndivoRecord IndivoServer IndivoSession LexicalError LexicalValue
        LoopbackListener MemorySessionStore Message OAuthAuthorization OAuthAuthorizationError
        OAuthCaller OAuthConsumer OAuthCredentials OAuthNonceMemory OAuthNonceStore OAuthRefusal
        OAuthRequest OAuthSecretSource OAuthSigner OAuthSigningError OAuthToken OAuthTokenResponse
        OAuthTokenResponseError OAuthVerificationPolicy OAuthVerifier OutOfBandReceiver
        OutgoingMessage PagedList PercentEncoding PercentEncodingError ProcedureDocument
        RecordDocument RecordInformation ReportQuery RetryPolicy SDMJError SDMXDocument SMARTGraph
        Secret SessionStore SignatureBaseString SignatureBaseStringError SignatureRule
        SimpleClinicalNoteDocument URLSchemeReceiver URLSessionTransport ValidationError
        XMLAttributes XMLBuilder XMLDuration XMLError XMLFileChunks XMLLimits XMLNode
        XMLParseOptions XMLPartialDate XMLQueryable XMLReader XMLSchema XMLSelection XMLSelector
        XMLSelectorError XMLSnapshot XMLStyle XMLTextReadable XMLTime XMLXPathResult
        """
    )

    /// Members that every document has.
    static let documentMembers = words(
        """
        addRelated carenets contentToStore copy debugDescription description documentPlace fullDescription
        hasSameContent hash hashValue id isOutdated metadata modelName problems readingProblems
        record refreshMetadata relate related replace setLabel setStatus sourceFields sourceLine
        state statusHistory validate versions xml
        """
    )

    /// What a class would stand in the way of. Notes may ask for such a name all the same, if it is none of
    /// ``usedTypes``.
    static let types = usedTypes.union(commonTypes).union(packageTypes)

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
