extension APIServer {
    /// Every call of the API.
    static let allRoutes: [Route] = [
        PublicCalls.routes, TokenCalls.routes, AccountCalls.routes, RecordCalls.routes, DocumentCalls.routes,
        RelationCalls.routes, AppStorageCalls.routes, DemographicsCalls.routes, MessageCalls.routes,
        CarenetCalls.routes,
        AuditCalls.routes, GenericReportCalls.routes, MinimalReportCalls.routes, CCRCalls.routes, SMARTCalls.routes,
    ].flatMap { $0 }
}
