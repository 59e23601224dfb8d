/// What a server remembers of one request (element `AuditEntry`).
public struct AuditEntry: ServerResponse {
    /// When the request came, and what became of it.
    public struct BasicInfo: CompoundValue {
        /// To the second.
        @Field("datetime", in: .attribute) public var date: XMLDateTime?
        /// The server's name for the call.
        @Field("view_func", in: .attribute) public var function: String?
        /// Whether the server did what was asked.
        @Field("request_successful", in: .attribute) public var succeeded: Bool?

        public init() {}
    }

    /// Who asked.
    public struct PrincipalInfo: CompoundValue {
        /// On whose behalf.
        @Field("effective_principal", in: .attribute) public var effective: String?
        /// The app that acted for them.
        @Field("proxied_principal", in: .attribute) public var proxied: String?

        public init() {}
    }

    /// What the request was about.
    public struct Resources: CompoundValue {
        /// The carenet's id.
        @Field("carenet_id", in: .attribute) public var carenetID: String?
        /// The record's id.
        @Field("record_id", in: .attribute) public var recordID: String?
        /// The server's internal id of the app.
        @Field("pha_id", in: .attribute) public var appID: String?
        /// The document's id.
        @Field("document_id", in: .attribute) public var documentID: String?
        /// The document's external id, chosen by an app.
        @Field("external_id", in: .attribute) public var externalID: String?
        /// The message's id.
        @Field("message_id", in: .attribute) public var messageID: String?

        public init() {}
    }

    /// The request as it came in.
    public struct RequestInfo: CompoundValue {
        /// The address below the server's.
        @Field("req_url", in: .attribute) public var path: String?
        /// Where it came from.
        @Field("req_ip_address", in: .attribute) public var ipAddress: String?
        /// The host it was sent to.
        @Field("req_domain", in: .attribute) public var domain: String?
        /// The HTTP method.
        @Field("req_method", in: .attribute) public var method: String?

        public init() {}
    }

    /// The response.
    public struct ResponseInfo: CompoundValue {
        /// The HTTP status.
        @Field("resp_code", in: .attribute) public var status: Int?

        public init() {}
    }

    /// When the request came, and what became of it.
    @Field("BasicInfo") public var basic: BasicInfo?
    /// Who asked.
    @Field("PrincipalInfo") public var principal: PrincipalInfo?
    /// What the request was about.
    @Field("Resources") public var resources: Resources?
    /// The request as it came in.
    @Field("RequestInfo") public var request: RequestInfo?
    @Field("ResponseInfo") public var response: ResponseInfo?

    public init() {}
}
