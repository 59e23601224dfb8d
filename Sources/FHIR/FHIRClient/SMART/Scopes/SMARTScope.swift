import IndivoBase

/// A scope: a part of what an app asks for, and of what it is granted (SMART App Launch 2.2, "Scopes for
/// Requesting FHIR Resources").
///
/// ```swift
/// let scopes: [SMARTScope] = [
///     .openID, .fhirUser, .launchPatient, .offlineAccess,
///     .patient("Observation", [.read, .search]),
///     .patient("Observation", .writing, where: [("category", "vital-signs")]),
/// ]
/// scopes.text         // "openid fhirUser launch/patient offline_access patient/Observation.rs …"
/// SMARTScope("patient/*.read") == .patient("*", .reading, version: .v1)
/// ```
public enum SMARTScope: Sendable, Hashable, LosslessStringConvertible {
    /// Access to resources: `patient/Observation.rs?category=laboratory`, or `patient/Observation.read`.
    case resources(ResourceScope)
    /// A patient to choose before the app starts: `launch/patient`.
    case launchPatient
    /// An encounter to choose before the app starts: `launch/encounter`.
    case launchEncounter
    /// The context that a health record launches the app with: `launch`.
    case launch
    /// An ID token: `openid`.
    case openID
    /// Who the user is, as the URL of a FHIR resource: `fhirUser`.
    case fhirUser
    /// A refresh token that outlives the user's session: `offline_access`.
    case offlineAccess
    /// A refresh token for as long as the user is online: `online_access`.
    case onlineAccess
    /// Any other, as it is written.
    case other(String)

    /// Reads a scope. What is not SMART's is ``other(_:)``.
    public init(_ text: String) {
        self =
            switch text {
            case "launch/patient": .launchPatient
            case "launch/encounter": .launchEncounter
            case "launch": .launch
            case "openid": .openID
            case "fhirUser": .fhirUser
            case "offline_access": .offlineAccess
            case "online_access": .onlineAccess
            default: ResourceScope(text).map(SMARTScope.resources) ?? .other(text)
            }
    }

    /// As OAuth writes it.
    public var description: String {
        switch self {
        case .resources(let scope): scope.description
        case .launchPatient: "launch/patient"
        case .launchEncounter: "launch/encounter"
        case .launch: "launch"
        case .openID: "openid"
        case .fhirUser: "fhirUser"
        case .offlineAccess: "offline_access"
        case .onlineAccess: "online_access"
        case .other(let text): text
        }
    }

    /// Resources of one patient.
    /// - Parameters:
    ///   - type: A type of resource, or `*`.
    ///   - condition: Search parameters that the resources match.
    public static func patient(
        _ type: String,
        _ permissions: ResourceScope.Permissions,
        where condition: [(String, String)] = [],
        version: ResourceScope.Version = .v2
    ) -> SMARTScope {
        .resources(ResourceScope(.patient, type, permissions, where: condition, version: version))
    }

    /// Resources that the user may see.
    public static func user(
        _ type: String,
        _ permissions: ResourceScope.Permissions,
        where condition: [(String, String)] = [],
        version: ResourceScope.Version = .v2
    ) -> SMARTScope {
        .resources(ResourceScope(.user, type, permissions, where: condition, version: version))
    }

    /// Resources that a backend service may see.
    public static func system(
        _ type: String,
        _ permissions: ResourceScope.Permissions,
        where condition: [(String, String)] = [],
        version: ResourceScope.Version = .v2
    ) -> SMARTScope {
        .resources(ResourceScope(.system, type, permissions, where: condition, version: version))
    }
}

extension Sequence<SMARTScope> {
    /// The scopes as OAuth's parameter `scope`.
    public var text: String { map(\.description).joined(separator: " ") }
}

extension [SMARTScope] {
    /// Reads OAuth's parameter `scope`: words with blanks between them. Each is taken once.
    public init(parsing text: String) {
        var seen: Set<SMARTScope> = []
        self = text.split(separator: " ").map { SMARTScope(String($0)) }.filter { seen.insert($0).inserted }
    }
}
