/// What a server remembers of one request (element `AuditEntry`).
public struct AuditEntry: CompoundValue {
    public struct BasicInfo: CompoundValue {
        /// To the second.
        @Field("datetime", in: .attribute) public var date: XMLDateTime?
        /// The server's name for the call.
        @Field("view_func", in: .attribute) public var function: String?
        @Field("request_successful", in: .attribute) public var succeeded: Bool?

        public init() {}
    }

    public struct PrincipalInfo: CompoundValue {
        /// On whose behalf.
        @Field("effective_principal", in: .attribute) public var effective: String?
        /// The app that acted for them.
        @Field("proxied_principal", in: .attribute) public var proxied: String?

        public init() {}
    }

    public struct Resources: CompoundValue {
        @Field("carenet_id", in: .attribute) public var carenetID: String?
        @Field("record_id", in: .attribute) public var recordID: String?
        /// The server's internal id of the app.
        @Field("pha_id", in: .attribute) public var appID: String?
        @Field("document_id", in: .attribute) public var documentID: String?
        @Field("external_id", in: .attribute) public var externalID: String?
        @Field("message_id", in: .attribute) public var messageID: String?

        public init() {}
    }

    public struct RequestInfo: CompoundValue {
        @Field("req_url", in: .attribute) public var path: String?
        @Field("req_ip_address", in: .attribute) public var ipAddress: String?
        @Field("req_domain", in: .attribute) public var domain: String?
        @Field("req_method", in: .attribute) public var method: String?

        public init() {}
    }

    public struct ResponseInfo: CompoundValue {
        @Field("resp_code", in: .attribute) public var status: Int?

        public init() {}
    }

    @Field("BasicInfo") public var basic: BasicInfo?
    @Field("PrincipalInfo") public var principal: PrincipalInfo?
    @Field("Resources") public var resources: Resources?
    @Field("RequestInfo") public var request: RequestInfo?
    @Field("ResponseInfo") public var response: ResponseInfo?

    public init() {}
}
