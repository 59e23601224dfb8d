import FHIRClient

/// What a token opens: scopes, and the patients that they are about.
struct SMARTAccess: Sendable {
    var scopes: [ResourceScope]
    /// The patient in context, whom scopes of the level `patient` are about.
    var patient: String?
    /// The patient that the user is, whose resources alone scopes of the level `user` open; nil for staff.
    var userPatient: String?

    /// What a scope lets through of a type.
    struct Rule: Sendable, Hashable {
        /// The patient in whose compartment a resource is; nil for any.
        var patient: String?
        /// What it matches.
        var conditions: [ResourceScope.Condition] = []

        var isUnbounded: Bool { patient == nil && conditions.isEmpty }
    }

    /// What the scopes let through of a type, for any of some permissions. None means that nothing is.
    func rules(_ type: String, _ permissions: ResourceScope.Permissions) -> [Rule] {
        scopes.compactMap { scope in
            guard scope.type == "*" || scope.type == type, !scope.permissions.isDisjoint(with: permissions)
            else { return nil }
            let subject: String?
            switch scope.level {
            case .patient:
                guard let patient else { return nil }
                subject = patient
            case .user: subject = userPatient
            case .system: subject = nil
            }
            let rule = Rule(patient: subject, conditions: scope.conditions)
            guard subject != nil, type != "Patient", PatientCompartment.parameters[type] == nil else {
                return rule
            }
            // What is nobody's can be read, and not changed.
            guard PatientCompartment.shared.contains(type),
                !scope.permissions.isDisjoint(with: permissions.intersection(.reading))
            else { return nil }
            return Rule(patient: nil, conditions: scope.conditions)
        }
    }

    /// Whether all of a type is let through.
    func opensAll(of type: String, _ permissions: ResourceScope.Permissions) -> Bool {
        rules(type, permissions).contains(where: \.isUnbounded)
    }

    /// Whether some scope is not about one patient alone.
    var isForManyPatients: Bool { userPatient == nil && scopes.contains { $0.level != .patient } }

    /// The same for tokens that open the same: pages of a search are for those alone.
    var key: String {
        [patient ?? "", userPatient ?? "", scopes.map(\.description).sorted().joined(separator: " ")]
            .joined(separator: "\n")
    }
}
