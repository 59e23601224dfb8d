#if canImport(Security)
import Foundation
import Security

/// Secrets in the keychain of Apple's systems: generic passwords of one service, on this device alone,
/// once it was unlocked.
public struct Keychain: SecretItems {
    /// The service name that separates these items from others of the app.
    public let service: String
    /// The access group that apps of one team share; `nil` for the app's own.
    public let accessGroup: String?

    /// The items of a service. Use one for each purpose: sessions, keys.
    public init(service: String, accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    public func names() throws -> [String] {
        let found =
            try find([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]) as? [[String: Any]]
        return (found ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
    }

    public func content(of name: String) throws -> Data? {
        try find([kSecAttrAccount: name, kSecMatchLimit: kSecMatchLimitOne, kSecReturnData: true])
            as? Data
    }

    public func add(_ content: Data, as name: String) throws -> Bool {
        let access = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let item = query([kSecAttrAccount: name, kSecValueData: content, kSecAttrAccessible: access])
        return try check(SecItemAdd(item, nil), unless: errSecDuplicateItem)
    }

    public func replace(_ name: String, with content: Data) throws -> Bool {
        let change = [kSecValueData: content] as CFDictionary
        return try check(
            SecItemUpdate(query([kSecAttrAccount: name]), change),
            unless: errSecItemNotFound
        )
    }

    public func remove(_ name: String) throws {
        _ = try check(SecItemDelete(query([kSecAttrAccount: name])), unless: errSecItemNotFound)
    }

    private func find(_ attributes: [CFString: Any]) throws -> CFTypeRef? {
        var result: CFTypeRef?
        return try check(SecItemCopyMatching(query(attributes), &result), unless: errSecItemNotFound)
            ? result : nil
    }

    private func query(_ attributes: [CFString: Any]) -> CFDictionary {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service,
            kSecUseDataProtectionKeychain: true,
        ]
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
        return query.merging(attributes) { $1 } as CFDictionary
    }

    /// - Returns: `false` for the status that is not an error here.
    private func check(_ status: OSStatus, unless expected: OSStatus) throws -> Bool {
        if status == expected { return false }
        guard status == errSecSuccess else { throw Failure(status: status) }
        return true
    }

    /// The keychain refused a call.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The status that Security returned.
        public let status: OSStatus

        /// An error of a status.
        public init(status: OSStatus) { self.status = status }

        public var description: String {
            let message = SecCopyErrorMessageString(status, nil) as String? ?? "no message"
            return
                "the keychain refuses it: \(message) (status \(status)); check that the device was "
                + "unlocked and that the app has the entitlement for its access group"
        }
    }
}
#endif
